/// A pattern prepared for matching UTF-8. ASCII letters match case-insensitively.
package struct TextPattern: Sendable {
    private let place: LikePattern.Place
    /// The pattern's text, with ASCII letters in lower case.
    private let text: [UInt8]

    package init(_ pattern: LikePattern) {
        place = pattern.place
        text = pattern.text.utf8.map(TextPattern.folded)
    }

    /// A byte with ASCII letters in lower case.
    @inline(__always)
    package static func folded(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }

    /// True if the pattern matches.
    package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if place != .wildcards, bytes.count < text.count { return false }
        return unsafe text.withUnsafeBytes { text in
            switch place {
            case .whole: unsafe bytes.count == text.count && Self.isSame(text, bytes, at: 0)
            case .atStart: unsafe Self.isSame(text, bytes, at: 0)
            case .atEnd: unsafe Self.isSame(text, bytes, at: bytes.count - text.count)
            case .anywhere: unsafe Self.contains(bytes, text)
            case .wildcards: unsafe Self.matches(bytes, wildcards: text)
            }
        }
    }

    @inline(__always)
    private static func isSame(_ text: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        var index = 0
        while index < text.count {
            if unsafe folded(bytes[start &+ index]) != text[index] { return false }
            index &+= 1
        }
        return true
    }

    private static func contains(_ bytes: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer) -> Bool {
        guard let first = unsafe text.first else { return true }
        var start = 0
        let last = bytes.count - text.count
        while start <= last {
            if unsafe folded(bytes[start]) == first, unsafe isSame(text, bytes, at: start) { return true }
            start &+= 1
        }
        return false
    }

    /// Matches with SQL's wildcards. On a mismatch only the last `%` grows by a character: earlier ones need no retry.
    private static func matches(_ text: UnsafeRawBufferPointer, wildcards pattern: UnsafeRawBufferPointer) -> Bool {
        var (place, wanted) = (0, 0)
        var retry: (place: Int, wanted: Int)?
        while place < text.count {
            if wanted < pattern.count, unsafe pattern[wanted] == UInt8(ascii: "%") {
                wanted += 1
                retry = (place, wanted)
            } else if wanted < pattern.count, unsafe pattern[wanted] == UInt8(ascii: "_") {
                place = unsafe endOfCharacter(text, at: place)
                wanted += 1
            } else if wanted < pattern.count, unsafe pattern[wanted] == folded(text[place]) {
                (place, wanted) = (place + 1, wanted + 1)
            } else if let last = retry {
                (place, wanted) = unsafe (endOfCharacter(text, at: last.place), last.wanted)
                retry = (place, wanted)
            } else {
                return false
            }
        }
        return unsafe pattern[wanted...].allSatisfy { $0 == UInt8(ascii: "%") }
    }

    private static func endOfCharacter(_ text: UnsafeRawBufferPointer, at start: Int) -> Int {
        var place = start + 1
        while place < text.count, unsafe text[place] & 0xC0 == 0x80 { place += 1 }
        return place
    }
}
