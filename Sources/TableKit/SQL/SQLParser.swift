/// A recursive-descent parser of SQL statements, with bounded nesting.
struct SQLParser {
    /// The maximum nesting depth of parentheses and NOT.
    static let greatestDepth = 200

    private let tokens: [SQLToken]
    private var place = 0
    private var depth = 0
    /// The number of the next `?`.
    private var nextParameter = 0
    /// True if operands may be aggregates, as in HAVING.
    var allowsAggregates = false
    /// The supported syntax of the current statement, for error messages.
    var supported = SQLGrammar.statements

    init(_ text: String) throws(CRUDSQLGenError) { tokens = try SQLLexer.tokens(of: text) }

    /// Parses all statements of a text.
    /// - Parameter explained: whether EXPLAIN of the first statement runs it; nil if the text is not to be explained.
    static func statements(of text: String, explained: Bool? = nil) throws(CRUDSQLGenError) -> [SQLStatement] {
        var parser = try SQLParser(text)
        var statements: [SQLStatement] = []
        while true {
            while parser.takes(sign: ";") {}
            if parser.token.kind == .end { return statements }
            parser.supported = SQLGrammar.statements
            parser.nextParameter = 0
            if let explained, statements.isEmpty {
                statements.append(try parser.explanation(isRun: explained))
            } else {
                statements.append(try parser.statement())
            }
            if parser.token.kind != .end, !parser.takes(sign: ";") {
                throw parser.unexpected("This is not supported here.")
            }
        }
    }
}

/// Tokens.
extension SQLParser {
    /// The next token. The end token stays the next.
    var token: SQLToken { tokens[place] }

    /// The token after the next.
    var following: SQLToken { tokens[min(place + 1, tokens.count - 1)] }

    /// True if the second token after the next is a star, as in `table.*`.
    var isStarAfterDot: Bool { place + 2 < tokens.count && tokens[place + 2].kind == .sign("*") }

    mutating func advance() { if place + 1 < tokens.count { place += 1 } }

    /// The error at the next token: names the unsupported part of SQL that it begins, else `problem`.
    func unexpected(_ problem: String) -> CRUDSQLGenError {
        .syntax(construct ?? problem, at: token, supported: supported)
    }

    /// The error sentence for an unsupported part of SQL that the next token begins.
    private var construct: String? {
        switch token.kind {
        case .sign("("): SQLParser.isKeyword(following, "SELECT") ? "Subqueries are not supported." : nil
        case .sign("+"), .sign("-"), .sign("*"): "Arithmetic is not supported: compute in the program."
        case .word(let word): SQLGrammar.constructs[word.uppercased()]
        default: nil
        }
    }

    /// True if a token is this keyword.
    static func isKeyword(_ token: SQLToken, _ word: String) -> Bool {
        if case .word(let text) = token.kind { text.uppercased() == word } else { false }
    }

    func isNext(_ word: String) -> Bool { SQLParser.isKeyword(token, word) }

    /// Consumes these keywords, all or none. Returns true if they came next.
    mutating func takes(_ words: String...) -> Bool {
        for (offset, word) in words.enumerated()
        where place + offset >= tokens.count || !SQLParser.isKeyword(tokens[place + offset], word) {
            return false
        }
        for _ in words { advance() }
        return true
    }

    mutating func takes(sign: String) -> Bool {
        guard token.kind == .sign(sign) else { return false }
        advance()
        return true
    }

    mutating func expect(_ words: String...) throws(CRUDSQLGenError) {
        for word in words where !takes(word) { throw unexpected("\(word) is missing.") }
    }

    mutating func expect(sign: String) throws(CRUDSQLGenError) {
        if !takes(sign: sign) { throw unexpected("A \(sign) is missing.") }
    }

    /// Parses the name of a table, a column or an index.
    mutating func name(_ what: String) throws(CRUDSQLGenError) -> SQLName {
        let token = token
        switch token.kind {
        case .quotedName(let text):
            advance()
            return SQLName(text: text, token: token)
        case .word(let text) where !SQLGrammar.reserved.contains(text.uppercased()):
            advance()
            return SQLName(text: text, token: token)
        default: throw unexpected("The name of \(what) is missing.")
        }
    }

    /// Parses names in parentheses. Ignores ASC and DESC, because indexes are scanned in both directions.
    mutating func names(_ what: String) throws(CRUDSQLGenError) -> [SQLName] {
        try expect(sign: "(")
        var names: [SQLName] = []
        repeat {
            names.append(try name(what))
            if !takes("ASC") { _ = takes("DESC") }
        } while takes(sign: ",")
        try expect(sign: ")")
        return names
    }

    /// Parses one nesting level deeper.
    mutating func nested<R>(
        _ body: (inout SQLParser) throws(CRUDSQLGenError) -> R
    ) throws(CRUDSQLGenError) -> R {
        depth += 1
        defer { depth -= 1 }
        if depth > SQLParser.greatestDepth {
            throw unexpected("The statement is nested more than \(SQLParser.greatestDepth) levels deep.")
        }
        return try body(&self)
    }

    /// The index of a parameter, from 0.
    mutating func parameter(_ number: Int?) -> Int {
        let index = number.map { $0 - 1 } ?? nextParameter
        nextParameter = max(nextParameter, index == .max ? index : index + 1)
        return index
    }
}

/// Statements.
extension SQLParser {
    mutating func statement() throws(CRUDSQLGenError) -> SQLStatement {
        if isNext("SELECT") { return .select(try select()) }
        if isNext("INSERT") || isNext("REPLACE") { return .insert(try insert()) }
        if takes("UPDATE") { return .update(try update()) }
        if takes("DELETE") { return .delete(try delete()) }
        if takes("CREATE") { return try create() }
        if takes("DROP") { return try drop() }
        if takes("ALTER") { return try alter() }
        if takes("PRAGMA") { return try pragma() }
        if takes("EXPLAIN") { return try explain() }
        if let step = try transactionStep() { return .transaction(step) }
        throw unexpected("The statement is not supported.")
    }

    private mutating func transactionStep() throws(CRUDSQLGenError) -> SQLTransactionStep? {
        if takes("BEGIN") {
            supported = SQLGrammar.transaction
            if !takes("DEFERRED"), !takes("IMMEDIATE") { _ = takes("EXCLUSIVE") }
            _ = takes("TRANSACTION")
            return .begin
        }
        if takes("COMMIT") || takes("END") {
            supported = SQLGrammar.transaction
            _ = takes("TRANSACTION")
            return .commit
        }
        if takes("ROLLBACK") {
            supported = SQLGrammar.transaction
            _ = takes("TRANSACTION")
            guard takes("TO") else { return .rollback }
            _ = takes("SAVEPOINT")
            return .rollbackTo(try name("a savepoint").text)
        }
        if takes("SAVEPOINT") { return .savepoint(try name("a savepoint").text) }
        if takes("RELEASE") {
            _ = takes("SAVEPOINT")
            return .release(try name("a savepoint").text)
        }
        return nil
    }

    private mutating func pragma() throws(CRUDSQLGenError) -> SQLStatement {
        supported = SQLGrammar.pragma
        let pragma = try name("a pragma")
        if takes(sign: "=") { return .pragma(name: pragma, argument: try pragmaArgument()) }
        guard takes(sign: "(") else { return .pragma(name: pragma, argument: nil) }
        let argument = try pragmaArgument()
        try expect(sign: ")")
        return .pragma(name: pragma, argument: argument)
    }

    private mutating func pragmaArgument() throws(CRUDSQLGenError) -> SQLName {
        let token = token
        switch token.kind {
        case .word(let text), .quotedName(let text), .value(.text(let text)):
            advance()
            return SQLName(text: text, token: token)
        case .value(.integer(let number)):
            advance()
            return SQLName(text: String(number), token: token)
        default: throw unexpected("The argument is missing.")
        }
    }

    private mutating func explain() throws(CRUDSQLGenError) -> SQLStatement {
        _ = takes("QUERY", "PLAN")
        return try explanation(isRun: takes("ANALYZE"))
    }

    /// Parses a statement to be explained.
    fileprivate mutating func explanation(isRun: Bool) throws(CRUDSQLGenError) -> SQLStatement {
        let token = token
        // Before it is parsed: otherwise each EXPLAIN of a long row of them would take a level of the stack.
        if isNext("EXPLAIN") { throw SQLParser.notExplained(token) }
        let inner = try statement()
        switch inner {
        case .select, .update, .delete: return .explain(inner, isRun: isRun)
        default: throw SQLParser.notExplained(token)
        }
    }

    private static func notExplained(_ token: SQLToken) -> CRUDSQLGenError {
        .syntax("This cannot be explained.", at: token, supported: "EXPLAIN [ANALYZE] SELECT, UPDATE or DELETE.")
    }
}
