/// Splits SQL text into tokens.
struct SQLLexer {
    private let text: [Unicode.Scalar]
    private var place = 0
    private var line = 1
    private var column = 1

    init(_ text: String) { self.text = Array(text.unicodeScalars) }

    /// All tokens. The last is ``SQLToken/Kind/end``.
    static func tokens(of text: String) throws(CRUDSQLGenError) -> [SQLToken] {
        var lexer = SQLLexer(text)
        var tokens: [SQLToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        place + distance < text.count ? text[place + distance] : nil
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where place < text.count {
            if text[place] == "\n" {
                line += 1
                column = 1
            } else {
                column += 1
            }
            place += 1
        }
    }

    private mutating func next() throws(CRUDSQLGenError) -> SQLToken {
        try skipBlanks()
        let (start, line, column) = (place, line, column)
        let kind = try scan()
        return SQLToken(kind: kind, text: written(from: start), line: line, column: column)
    }

    private func written(from start: Int) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: text[start..<place])
        return String(view)
    }

    private func error(_ problem: String, supported: String) -> CRUDSQLGenError {
        let token = SQLToken(
            kind: peek() == nil ? .end : .sign(""), text: peek().map(String.init) ?? "", line: line, column: column)
        return .syntax(problem, at: token, supported: supported)
    }

    private mutating func skipBlanks() throws(CRUDSQLGenError) {
        while let next = peek() {
            if next.properties.isWhitespace {
                advance()
            } else if next == "-" && peek(1) == "-" {
                while let inside = peek(), inside != "\n" { advance() }
            } else if next == "/" && peek(1) == "*" {
                advance(2)
                while !(peek() == "*" && peek(1) == "/") {
                    if peek() == nil { throw error("The comment does not end.", supported: "-- … and /* … */") }
                    advance()
                }
                advance(2)
            } else {
                return
            }
        }
    }

    private mutating func scan() throws(CRUDSQLGenError) -> SQLToken.Kind {
        guard let first = peek() else { return .end }
        switch first {
        case "'": return .value(.text(try quoted(until: "'")))
        case "\"": return .quotedName(try quoted(until: "\""))
        case "`": return .quotedName(try quoted(until: "`"))
        case "[": return .quotedName(try bracketed())
        case "?", "$": return try parameter()
        case "x" where peek(1) == "'", "X" where peek(1) == "'":
            advance()
            return .value(.bytes(try blob()))
        case "0"..."9": return .value(try number())
        case "." where peek(1).map(SQLLexer.isDigit) == true: return .value(try number())
        case _ where SQLLexer.isNameStart(first):
            let start = place
            while let inside = peek(), SQLLexer.isNameStart(inside) || SQLLexer.isDigit(inside) || inside == "$" {
                advance()
            }
            return .word(written(from: start))
        default: return try sign(first)
        }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar >= "0" && scalar <= "9" }

    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar == "_"
    }

    /// The text up to the closing quote. A doubled quote stands for one.
    private mutating func quoted(until quote: Unicode.Scalar) throws(CRUDSQLGenError) -> String {
        advance()
        var content = String.UnicodeScalarView()
        while let next = peek() {
            if next == quote {
                if peek(1) != quote {
                    advance()
                    return String(content)
                }
                advance()
            }
            content.append(next)
            advance()
        }
        throw error("The closing \(quote) is missing.", supported: "'text', \"name\", `name`, [name]")
    }

    private mutating func bracketed() throws(CRUDSQLGenError) -> String {
        advance()
        let start = place
        while let next = peek(), next != "]" { advance() }
        if peek() == nil { throw error("The closing ] is missing.", supported: "[name]") }
        let content = written(from: start)
        advance()
        return content
    }

    private mutating func blob() throws(CRUDSQLGenError) -> [UInt8] {
        let digits = Array(try quoted(until: "'").utf8)
        var bytes: [UInt8] = []
        for pair in stride(from: 0, to: digits.count, by: 2) {
            guard pair + 1 < digits.count, let high = HexadecimalDigit.value(of: digits[pair]),
                let low = HexadecimalDigit.value(of: digits[pair + 1])
            else { throw error("A blob has pairs of hexadecimal digits.", supported: "x'0A1F'") }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private mutating func parameter() throws(CRUDSQLGenError) -> SQLToken.Kind {
        let isNumbered = peek() == "$"
        advance()
        let start = place
        while let next = peek(), SQLLexer.isDigit(next) { advance() }
        if start == place && !isNumbered { return .parameter(nil) }
        guard let number = Int(written(from: start)), number > 0 else {
            throw error("A parameter has a number from 1 on.", supported: "?, ?1, $1")
        }
        return .parameter(number)
    }

    private mutating func number() throws(CRUDSQLGenError) -> ColumnValue {
        let start = place
        if peek() == "0", peek(1) == "x" || peek(1) == "X" {
            advance(2)
            let digits = place
            while let next = peek(), next.properties.isASCIIHexDigit { advance() }
            guard let value = UInt64(written(from: digits), radix: 16) else {
                throw error("The number is no hexadecimal one of 64 bits.", supported: "0x1F")
            }
            return ColumnValue(value)
        }
        var isWhole = true
        while let next = peek() {
            if next == "." || next == "e" || next == "E" {
                isWhole = false
                advance()
                if next != ".", peek() == "+" || peek() == "-" { advance() }
            } else if SQLLexer.isDigit(next) {
                advance()
            } else {
                break
            }
        }
        let digits = written(from: start)
        if isWhole, let value = UInt64(digits) { return ColumnValue(value) }
        if let value = Double(digits.hasPrefix(".") ? "0" + digits : digits) { return .real(value) }
        throw error("The number \(digits.prefix(40)) cannot be read.", supported: "12, 1.5, 1e6, 0x1F")
    }

    private mutating func sign(_ first: Unicode.Scalar) throws(CRUDSQLGenError) -> SQLToken.Kind {
        let pair = String(first) + (peek(1).map(String.init) ?? "")
        if ["==", "<>", "!=", "<=", ">="].contains(pair) {
            advance(2)
            return .sign(pair)
        }
        guard "=<>(),;*.+-".unicodeScalars.contains(first) else {
            throw error(
                "/%|&".unicodeScalars.contains(first)
                    ? "Arithmetic is not supported: compute in the program." : "The sign is not known.",
                supported: "= == <> != < <= > >= ( ) , ; * . + -")
        }
        advance()
        return .sign(String(first))
    }
}
