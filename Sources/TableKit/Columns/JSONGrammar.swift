/// A check of JSON text against the grammar of RFC 8259.
///
/// Foundation's `JSONSerialization` does not serve: on Linux it takes `[1,]`, and refuses `1e400` and lone surrogates.
package struct JSONGrammar {
    /// The deepest nesting of objects and arrays.
    package static let mostDepth = 500

    private let bytes: [UInt8]
    private var offset = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// True if a text is exactly one JSON value, with blanks around it.
    package static func isValue(_ text: String) -> Bool {
        var grammar = JSONGrammar(text)
        return grammar.value(depth: 0) && grammar.isAtEnd
    }

    /// True if a text is exactly one number: without a plus sign, a leading zero or a bare point.
    package static func isNumber(_ text: String) -> Bool {
        var grammar = JSONGrammar(text)
        return grammar.number() && grammar.isAtEnd
    }

    private var isAtEnd: Bool { offset == bytes.count }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { offset += 1 }
    }

    private mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        offset += 1
        return true
    }

    /// Skips a value and the blanks around it. Returns false if there is none.
    private mutating func value(depth: Int) -> Bool {
        guard depth < Self.mostDepth else { return false }
        skipBlanks()
        let isValue =
            switch next {
            case UInt8(ascii: "{"): object(depth)
            case UInt8(ascii: "["): list(depth)
            case UInt8(ascii: "\""): string()
            case UInt8(ascii: "t"): word("true")
            case UInt8(ascii: "f"): word("false")
            case UInt8(ascii: "n"): word("null")
            default: number()
            }
        skipBlanks()
        return isValue
    }

    private mutating func object(_ depth: Int) -> Bool {
        offset += 1
        skipBlanks()
        if takes("}") { return true }
        repeat {
            skipBlanks()
            guard string() else { return false }
            skipBlanks()
            guard takes(":"), value(depth: depth + 1) else { return false }
        } while takes(",")
        return takes("}")
    }

    private mutating func list(_ depth: Int) -> Bool {
        offset += 1
        skipBlanks()
        if takes("]") { return true }
        repeat {
            guard value(depth: depth + 1) else { return false }
        } while takes(",")
        return takes("]")
    }

    private mutating func string() -> Bool {
        guard takes("\"") else { return false }
        while let byte = next, byte >= 0x20 {
            offset += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\"), !escape() { return false }
        }
        return false
    }

    /// Skips an escape behind its backslash.
    private mutating func escape() -> Bool {
        guard let byte = next else { return false }
        offset += 1
        guard byte == UInt8(ascii: "u") else { return Self.escapes.contains(byte) }
        let digits = bytes[offset...].prefix(4)
        offset += digits.count
        return digits.count == 4 && digits.allSatisfy(Self.isHexadecimal)
    }

    private static let escapes = Array("\"\\/bfnrt".utf8)

    private static func isHexadecimal(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }

    private mutating func word(_ word: String) -> Bool {
        guard bytes[offset...].starts(with: word.utf8) else { return false }
        offset += word.utf8.count
        return true
    }

    private mutating func number() -> Bool {
        _ = takes("-")
        if !takes("0"), !digits() { return false }
        if takes("."), !digits() { return false }
        guard takes("e") || takes("E") else { return true }
        if !takes("+") { _ = takes("-") }
        return digits()
    }

    /// Skips digits. Returns false if there is none.
    private mutating func digits() -> Bool {
        let start = offset
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { offset += 1 }
        return offset > start
    }
}
