#if PostgreSQL
import TableKit
import TableSQL

/// Refuses statements that are not made of what `Docs/Databases.md` lists with its sources: for servers that speak
/// PostgreSQL's protocol and are not PostgreSQL, and for the tests that hold the list to be complete.
///
/// A statement is taken apart into words, names in quotes, literals, placeholders and signs. Its first word must be one of
/// the statements, every other word one of the vocabulary. So nothing of PostgreSQL gets in unseen: no LISTEN, no advisory
/// lock, no cursor, no comment, no second statement behind a semicolon.
enum StrictFilter {
    /// - Throws: ``SQLConnectionError`` with code `unsupported`, naming the word.
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

/// Takes a statement apart, as PostgreSQL's lexer does for the forms that the adapter uses.
struct StrictScanner {
    enum Token: Equatable {
        /// In small letters.
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

    /// Letters, digits, the underscore, and all beyond ASCII, as PostgreSQL has it.
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

    /// To the closing quote; a doubled quote stands for itself. Without a closing quote: a sign that nobody allows.
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
        // E'…' and its like have other rules for what is within.
        if current == UInt8(ascii: "'") { return .sign("\(word)'") }
        return .word(word)
    }

    /// The longest run of signs that PostgreSQL may read as one operator; brackets, commas and points stand alone.
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
