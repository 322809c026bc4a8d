/// The statements of a text, to be run one after the other.
///
/// A statement is a transaction of its own, unless the text itself begins one with BEGIN or SAVEPOINT; that must end within
/// the same text. Names match exactly, then without case.
public struct SQLScript: Sendable {
    let statements: [SQLStatement]

    /// Reads the statements of a text, separated by `;`.
    /// - Throws: ``CRUDSQLGenError`` with ``TableErrorCode/syntax``: line, column, and what is supported.
    public init(_ text: String) throws {
        statements = try SQLParser.statements(of: text)
    }

    /// Whether no statement changes anything.
    public var isReadOnly: Bool { statements.allSatisfy(\.isReadOnly) }

    /// Runs the statements, each as a transaction of its own but for what the text says.
    /// - Parameters:
    ///   - engine: runs the statements.
    ///   - bindings: the values of `?`, `?1` and `$1`. Each statement counts its `?` from the first on.
    ///   - body: takes the result of each statement, and pulls its rows before the next statement runs.
    /// - Throws: what statements throw. Those before the failing one stay done, unless the text began a transaction:
    ///   that is taken back.
    public func run(
        on engine: any TableEngine, bindings: [ColumnValue] = [], _ body: (SQLResult) throws -> Void = { _ in }
    ) throws {
        var run = SQLScriptRun(engine: engine, outer: nil, bindings: bindings)
        try run.run(statements, body)
    }

    /// Runs the statements in a transaction that is open: BEGIN and SAVEPOINT make savepoints.
    /// - Parameter engine: the session's.
    package func run(
        in session: any TableSession, of engine: any TableEngine, bindings: [ColumnValue] = [],
        _ body: (SQLResult) throws -> Void = { _ in }
    ) throws {
        var run = SQLScriptRun(engine: engine, outer: session, bindings: bindings)
        try run.run(statements, body)
    }
}
