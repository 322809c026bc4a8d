extension SQLScript {
    /// As the synchronous form, for tasks. Each transaction waits for its turn without a thread, and a cancelled task
    /// stops waiting.
    /// - Parameter read: reads the result of a statement. Called again if its transaction runs again after a conflict.
    /// - Returns: what `read` returned for the statements, in order.
    func run<Row: Sendable>(
        on engine: any TableEngine, bindings: [ColumnValue],
        _ read: @escaping @Sendable (SQLResult) throws -> [Row]
    ) async throws -> [Row] {
        var rows: [Row] = []
        var left = statements[...]
        while let first = left.first {
            let statements = left
            let part =
                if first.isReadOnly {
                    try await engine.perform { try SQLScriptPart(of: statements, on: engine, bindings, read) }
                } else {
                    try await SQLScriptPart.run(of: statements, on: engine, bindings, read)
                }
            rows += part.rows
            left = part.left
        }
        return rows
    }
}

/// The part of a script that has run: one statement, or one transaction. An error where it is thrown to roll back.
private struct SQLScriptPart<Row: Sendable>: Error {
    /// The rows of the part.
    var rows: [Row] = []
    /// The statements after it.
    var left: ArraySlice<SQLStatement>
    private var isRolledBack = false

    /// Runs the first statement, or the transaction that it begins.
    /// - Parameter session: the transaction to use. The caller commits it.
    init(
        of statements: ArraySlice<SQLStatement>, in session: (any TableSession)? = nil, on engine: any TableEngine,
        _ bindings: [ColumnValue], _ read: (SQLResult) throws -> [Row]
    ) throws {
        var run = SQLScriptRun(engine: engine, lent: session, bindings: bindings)
        left = statements
        var found: [Row] = []
        try run.runFirst(of: &left) { found += try read($0) }
        rows = found
        isRolledBack = run.isRolledBack
    }

    /// Runs the first statement, or the transaction that it begins, when it is its turn, and commits.
    static func run(
        of statements: ArraySlice<SQLStatement>, on engine: any TableEngine, _ bindings: [ColumnValue],
        _ read: @escaping @Sendable (SQLResult) throws -> [Row]
    ) async throws -> Self {
        do {
            return try await engine.inTransaction { session in
                let part = try Self(of: statements, in: session, on: engine, bindings, read)
                if part.isRolledBack { throw part }
                return part
            }
        } catch let part as Self { return part }
    }
}
