extension LikePattern {
    /// Matches a value. The result is unknown for NULL, and false for values that are not text.
    package func evaluate(_ value: ColumnValue) -> Bool? {
        switch value {
        case .null: nil
        case .text(let text), .json(let text): matches(Array(text.utf8))
        default: false
        }
    }

    /// Matches a UTF-8 text.
    /// - Complexity: O(text × pattern) at worst.
    package func matches(_ text: [UInt8]) -> Bool {
        let pattern = Array(self.text.utf8)
        switch place {
        case .whole: return text.count == pattern.count && LikePattern.isSame(text[...], pattern)
        case .atStart: return LikePattern.isSame(text.prefix(pattern.count), pattern)
        case .atEnd: return LikePattern.isSame(text.suffix(pattern.count), pattern)
        case .anywhere:
            guard text.count >= pattern.count else { return false }
            return (0...text.count - pattern.count).contains {
                LikePattern.isSame(text[$0..<$0 + pattern.count], pattern)
            }
        case .wildcards: return LikePattern.matches(text, wildcards: pattern)
        }
    }

    private static func isSame(_ text: ArraySlice<UInt8>, _ pattern: [UInt8]) -> Bool {
        text.count == pattern.count && zip(text, pattern).allSatisfy { folded($0) == folded($1) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte + 32 : byte
    }

    /// Matches with SQL's wildcards. On a mismatch only the last `%` grows by a character: earlier ones need no retry.
    private static func matches(_ text: [UInt8], wildcards pattern: [UInt8]) -> Bool {
        var (place, wanted) = (0, 0)
        var retry: (place: Int, wanted: Int)?
        while place < text.count {
            if wanted < pattern.count, pattern[wanted] == UInt8(ascii: "%") {
                wanted += 1
                retry = (place, wanted)
            } else if wanted < pattern.count, pattern[wanted] == UInt8(ascii: "_") {
                place += 1
                while place < text.count, text[place] & 0xC0 == 0x80 { place += 1 }
                wanted += 1
            } else if wanted < pattern.count, folded(pattern[wanted]) == folded(text[place]) {
                (place, wanted) = (place + 1, wanted + 1)
            } else if let last = retry {
                (place, wanted) = (last.place + 1, last.wanted)
                while place < text.count, text[place] & 0xC0 == 0x80 { place += 1 }
                retry = (place, wanted)
            } else {
                return false
            }
        }
        return pattern[wanted...].allSatisfy { $0 == UInt8(ascii: "%") }
    }
}
