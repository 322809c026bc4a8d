/// Finds bytes that a text format cannot carry literally, eight at a time.
///
/// Mycroft's word tricks (1987): a byte is below n if subtracting n borrows into its top bit. A borrow can mark a later
/// byte wrongly, never an earlier one, and only the first mark counts.
enum UTF8Scan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// The first offset from `offset` on of a quote, a backslash, a control character below 0x20 or a byte that is not
    /// ASCII; `bytes.count` if there is none.
    @inline(__always)
    static func firstSpecial(_ bytes: Bytes, from offset: Int) -> Int {
        var offset = offset
        while offset &+ 8 <= bytes.count {
            let word = bytes.word(at: offset)
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5c)
            let low = (word &- ones &* 0x20) & ~word
            let marks = (low | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | word) & tops
            if marks != 0 { return offset &+ marks.trailingZeroBitCount &>> 3 }
            offset &+= 8
        }
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5c { return offset }
            offset &+= 1
        }
        return offset
    }

    /// The length of the well-formed UTF-8 sequence at `offset`, 1 to 4; 0 if it is malformed (Unicode, table 3-7: no
    /// overlong forms, no surrogates, nothing above U+10FFFF).
    @inline(__always)
    static func sequenceLength(_ bytes: Bytes, at offset: Int) -> Int {
        let first = bytes[offset]
        if first < 0x80 { return 1 }
        @inline(__always) func continues(_ index: Int, _ range: ClosedRange<UInt8> = 0x80...0xbf) -> Bool {
            offset &+ index < bytes.count && range.contains(bytes[offset &+ index])
        }
        switch first {
        case 0xc2...0xdf:
            return continues(1) ? 2 : 0
        case 0xe0...0xef:
            let second: ClosedRange<UInt8> = first == 0xe0 ? 0xa0...0xbf : first == 0xed ? 0x80...0x9f : 0x80...0xbf
            return continues(1, second) && continues(2) ? 3 : 0
        case 0xf0...0xf4:
            let second: ClosedRange<UInt8> = first == 0xf0 ? 0x90...0xbf : first == 0xf4 ? 0x80...0x8f : 0x80...0xbf
            return continues(1, second) && continues(2) && continues(3) ? 4 : 0
        default:
            return 0
        }
    }

    /// Whether all bytes are well-formed UTF-8.
    static func isValid(_ bytes: Bytes) -> Bool {
        var offset = firstSpecial(bytes, from: 0)
        while offset < bytes.count {
            let length = sequenceLength(bytes, at: offset)
            if length == 0 { return false }
            offset = firstSpecial(bytes, from: offset &+ length)
        }
        return true
    }
}
