/// The SQL statements of a text, run one after the other.
///
/// Each statement is a transaction of its own, unless the text begins one with BEGIN or SAVEPOINT. It must end such a
/// transaction, too. Names match exactly first, then case-insensitively if one name alone does so. The names of new
/// tables, columns and indexes may differ from others only in case.
public struct SQLScript: Sendable {
    let statements: [SQLStatement]

    /// Parses the statements of a text, separated by `;`.
    /// - Throws: ``CRUDSQLGenError`` with ``TableErrorCode/syntax``. Its message has the place.
    public init(_ text: String) throws {
        statements = try SQLParser.statements(of: text)
    }

    /// Parses one statement to be explained, as if EXPLAIN stood before it. Errors have the place in `text`.
    /// - Parameter isRun: true for EXPLAIN ANALYZE.
    package init(explaining text: String, isRun: Bool) throws {
        statements = try SQLParser.statements(of: text, explained: isRun)
    }

    /// True if no statement changes data. False if a statement begins or ends a transaction.
    public var isReadOnly: Bool { statements.allSatisfy(\.isReadOnly) }

    /// True if no statement changes data. Statements that begin or end transactions change none.
    package var changesNothing: Bool {
        statements.allSatisfy { statement in
            if case .transaction = statement { true } else { statement.isReadOnly }
        }
    }

    /// The number of statements.
    package var count: Int { statements.count }

    /// Runs the statements, each as a transaction of its own unless the text begins one.
    /// - Parameters:
    ///   - engine: runs the statements.
    ///   - bindings: the values of `?`, `?1` and `$1`. Each statement counts its `?` from the first value.
    ///   - body: called with the result of each statement. It reads the rows before the next statement runs. The
    ///     statements that it runs itself belong to the transaction of a statement that changes something.
    /// - Throws: the errors of the statements. Statements before the failed one stay committed, unless the text began a
    ///   transaction, which is rolled back.
    public func run(
        on engine: any TableEngine, bindings: [ColumnValue] = [], _ body: (SQLResult) throws -> Void = { _ in }
    ) throws {
        var run = SQLScriptRun(engine: engine, bindings: bindings)
        try run.run(statements, body)
    }

    /// Runs the statements in an open transaction: BEGIN and SAVEPOINT create savepoints.
    /// - Parameter engine: the engine of the session.
    package func run(
        in session: any TableSession, of engine: any TableEngine, bindings: [ColumnValue] = [],
        _ body: (SQLResult) throws -> Void = { _ in }
    ) throws {
        var run = SQLScriptRun(engine: engine, outer: session, bindings: bindings)
        try run.run(statements, body)
    }
}
