/// A token of SQL text.
struct SQLToken: Sendable {
    enum Kind: Sendable, Equatable {
        /// A keyword, or a name without quotes.
        case word(String)
        /// A name in quotes, brackets or backticks.
        case quotedName(String)
        /// A string, a number or a blob.
        case value(ColumnValue)
        /// `?`, or `?1` and `$1` with their number.
        case parameter(Int?)
        case sign(String)
        case end
    }

    var kind: Kind
    /// The source text.
    var text: String
    /// Counted from 1.
    var line: Int
    /// In Unicode scalars, counted from 1.
    var column: Int
}

extension CRUDSQLGenError {
    /// The error for a statement that cannot be parsed.
    static func syntax(_ problem: String, at token: SQLToken, supported: String) -> CRUDSQLGenError {
        let shown = token.kind == .end ? "the end" : "“\(token.text.prefix(60))”"
        return CRUDSQLGenError(
            "Line \(token.line), column \(token.column), at \(shown): \(problem) Supported: \(supported)", code: .syntax
        )
    }
}
