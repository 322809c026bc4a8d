/// Tells constants from other defaults, by the text in a server's catalogue.
///
/// The server computes constants while the catalogue is read, to give the column's default. It must not compute others
/// then: `now()` gives each row another value, `nextval('s')` takes a number, and the expression of a generated column
/// names other columns.
package struct ConstantDefault {
    private let bytes: [UInt8]
    private var position = 0
    private var casts = 0
    /// Whether the next name is that of a type, a collation or a character set.
    private var expectsName = false
    /// Whether an operand ends here, so that a sign between would compute a sum.
    private var followsOperand = false
    private var hasOperand = false
    private let allowsSums: Bool

    private init(_ text: String, allowsSums: Bool) {
        bytes = Array(text.utf8)
        self.allowsSums = allowsSums
    }

    /// Whether an expression is a literal, with casts and a sign.
    /// - Parameter allowsSums: whether sums of literals are constants, too. SQLite's least integer is one. Other
    ///   servers may fail to compute a sum.
    package static func isConstant(_ text: String, allowsSums: Bool = false) -> Bool {
        var scanner = ConstantDefault(text, allowsSums: allowsSums)
        while scanner.skipBlanks() { if !scanner.next() { return false } }
        return scanner.hasOperand
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips blanks.
    /// - Returns: whether anything follows.
    private mutating func skipBlanks() -> Bool {
        while let byte = current, byte == 32 || (9...13).contains(byte) { position += 1 }
        return position < bytes.count
    }

    /// Skips one token.
    /// - Returns: whether it may be part of a constant.
    private mutating func next() -> Bool {
        guard let byte = current else { return false }
        switch byte {
        case UInt8(ascii: "'"): return operand(skipQuoted(byte))
        case UInt8(ascii: "\""), UInt8(ascii: "`"): return expectsName && name(skipQuoted(byte))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return operand(skipNumber())
        case UInt8(ascii: "("), UInt8(ascii: ","): followsOperand = false
        case UInt8(ascii: ")"): followsOperand = true
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            if followsOperand, !allowsSums { return false }
            followsOperand = false
        case UInt8(ascii: ":"): return skipCast()
        default: return Self.isWord(byte) ? word() : byte == UInt8(ascii: ".") && operand(skipNumber())
        }
        position += 1
        return true
    }

    private mutating func operand(_ isWhole: Bool) -> Bool {
        (expectsName, followsOperand, hasOperand) = (false, true, true)
        return isWhole
    }

    /// Ends a name, which a dot and another part may follow.
    private mutating func name(_ isWhole: Bool) -> Bool {
        expectsName = current == UInt8(ascii: ".")
        if expectsName { position += 1 }
        return isWhole
    }

    /// Skips quoted text; a doubled quote stands for itself.
    /// - Returns: whether it ends.
    private mutating func skipQuoted(_ quote: UInt8) -> Bool {
        position += 1
        while let byte = current {
            position += 1
            guard byte == quote else { continue }
            if current != quote { return true }
            position += 1
        }
        return false
    }

    /// Skips digits, a point, an exponent with its sign, or hexadecimal digits.
    private mutating func skipNumber() -> Bool {
        let start = position
        while let byte = current {
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            let isExponent = position > start && bytes[position - 1] | 0x20 == UInt8(ascii: "e")
            guard isSign ? isExponent : Self.isWord(byte) || byte == UInt8(ascii: ".") else { break }
            position += 1
        }
        return position > start + 1 || bytes[start] != UInt8(ascii: ".")
    }

    private mutating func skipCast() -> Bool {
        let start = position
        while current == UInt8(ascii: ":") { position += 1 }
        casts += 1
        expectsName = true
        return position - start > 1
    }

    // MARK: Words

    private static let constants: Set<String> = ["null", "true", "false"]
    private static let functions: Set<String> = ["cast", "convert", "unhex"]
    /// Words before the name of a type, a character set or a collation.
    private static let beforeNames: Set<String> = ["as", "using", "collate"]
    /// Words behind the first one of a type's name.
    private static let ofTypes: Set<String> = ["precision", "varying", "with", "without", "time", "zone"]

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 128...:
            true
        default: false
        }
    }

    private mutating func word() -> Bool {
        let start = position
        while let byte = current, Self.isWord(byte) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
        if expectsName { return name(!readsClockOrCatalogue(word)) }
        _ = skipBlanks()
        // x'00', b'1', n'a' and _utf8mb4'a'. In e'\'' a backslash could hide the end.
        if current == UInt8(ascii: "'") { return ["x", "b", "n"].contains(word) || word.hasPrefix("_") }
        if Self.functions.contains(word) { return current == UInt8(ascii: "(") }
        if Self.beforeNames.contains(word) {
            expectsName = true
            return true
        }
        if Self.ofTypes.contains(word) { return word == "varying" || current != UInt8(ascii: "(") }
        return operand(Self.constants.contains(word)) && current != UInt8(ascii: "(")
    }

    /// Whether a cast to a type may give another value later: `('now'::text)::date` is the day of the cast, and names
    /// of tables and types may be gone.
    private func readsClockOrCatalogue(_ type: String) -> Bool {
        type.hasPrefix("reg") || casts > 1 && (type.contains("time") || type.contains("date"))
    }
}
