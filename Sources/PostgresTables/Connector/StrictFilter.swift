#if PostgreSQL
import TableKit
import TableSQL

/// Refuses statements with words that `Docs/Databases.md` does not list: for servers that implement PostgreSQL's
/// protocol, and for tests that prove the list complete.
///
/// A statement is split into words, quoted names, literals, placeholders and signs. Its first word must be in the list
/// of statements, every other word in the vocabulary. This excludes LISTEN, advisory locks, cursors, comments and a
/// second statement behind a semicolon.
enum StrictFilter {
    /// - Throws: ``SQLConnectionError`` with code `unsupported`, which names the word.
    static func check(_ text: String) throws {
        var scanner = StrictScanner(text)
        var isFirst = true
        while let token = scanner.next() {
            switch token {
            case .word(let word):
                guard (isFirst ? StrictVocabulary.statements : StrictVocabulary.words).contains(word) else {
                    throw refusal(word, text)
                }
            case .name, .literal, .placeholder: break
            case .sign(let sign): if !StrictVocabulary.signs.contains(sign) { throw refusal(sign, text) }
            }
            isFirst = false
        }
    }

    private static func refusal(_ word: String, _ text: String) -> SQLConnectionError {
        SQLConnectionError(
            .statement, code: .unsupported,
            "The strict mode sends no \(word), since not all servers of PostgreSQL's protocol know it: \(text)")
    }
}

/// Splits a statement like PostgreSQL's lexer, for the forms that the adapter uses.
struct StrictScanner {
    enum Token: Equatable {
        /// In lower case.
        case word(String)
        /// In double quotes.
        case name
        /// In single quotes, or a number.
        case literal
        case placeholder
        case sign(String)
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func next() -> Token? {
        while let byte = current, Self.isBlank(byte) { position += 1 }
        guard let byte = current else { return nil }
        switch byte {
        case UInt8(ascii: "\""): return quoted(byte, as: .name)
        case UInt8(ascii: "'"): return quoted(byte, as: .literal)
        case UInt8(ascii: "$") where isDigit(at: position + 1):
            position += 1
            while isDigit(at: position) { position += 1 }
            return .placeholder
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            while isDigit(at: position) || current == UInt8(ascii: ".") { position += 1 }
            return .literal
        default: return Self.isWord(byte) ? word() : sign()
        }
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }

    /// Whether a byte begins a word: letters, the underscore, and everything beyond ASCII, as in PostgreSQL.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 128...:
            true
        default: false
        }
    }

    private func isDigit(at position: Int) -> Bool {
        position < bytes.count && bytes[position] >= UInt8(ascii: "0") && bytes[position] <= UInt8(ascii: "9")
    }

    /// Reads up to the closing quote; a doubled quote stands for itself. Without one: a sign that is not allowed.
    private mutating func quoted(_ quote: UInt8, as token: Token) -> Token {
        position += 1
        while let byte = current {
            position += 1
            guard byte == quote else { continue }
            if current != quote { return token }
            position += 1
        }
        return .sign("quote without end")
    }

    private mutating func word() -> Token {
        let start = position
        while let byte = current, Self.isWord(byte) || isDigit(at: position) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
        // E'…' and similar literals have other escapes.
        if current == UInt8(ascii: "'") { return .sign("\(word)'") }
        return .word(word)
    }

    /// The longest run of signs that PostgreSQL may read as one operator. Brackets, commas and points stand alone.
    private mutating func sign() -> Token {
        let start = position
        position += 1
        let operators = Array("+-*/<>=~!@#%^&|`?:".utf8)
        if operators.contains(bytes[start]) {
            while let byte = current, operators.contains(byte) { position += 1 }
        }
        return .sign(String(decoding: bytes[start..<position], as: UTF8.self))
    }
}
#endif
