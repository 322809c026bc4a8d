package import TableKit

/// A connection to an SQL database, which each adapter implements.
///
/// One thread at a time uses it, not always the same one. Its functions block; never call them on the cooperative pool.
/// A failed statement throws ``SQLConnectionError`` and leaves the connection usable, unless ``isUsable`` says
/// otherwise.
package protocol SQLConnection: AnyObject, Sendable {
    /// False once the network, the server or a time-out has ended the connection.
    var isUsable: Bool { get }

    /// Whether it needs a health check even if it was not idle for long.
    var needsCheck: Bool { get }

    /// Runs a statement and reads its complete result.
    func execute(_ statement: SQLStatement) throws -> SQLResultSet

    /// Runs several statements, in one round trip if the server can, and stops at the first failure.
    /// - Returns: a result for each statement.
    func executeAll(_ statements: [SQLStatement]) throws -> [SQLResultSet]

    /// Queues a statement without a result; it runs before the next statement, in the same round trip if the server
    /// can. If it fails, the next statement does not run and throws its error.
    func executeLater(_ statement: SQLStatement) throws

    /// Runs a statement without a result, and returns without its answer if the connection can. A later failure ends
    /// the connection.
    func executeWithoutWaiting(_ statement: SQLStatement) throws

    /// Looks a row up by its key, and reads it into `row`.
    /// - Parameter key: values of the types of the look-up.
    /// - Returns: false if there is no such row.
    func fetchRow(_ lookup: RowLookup, key: [ColumnValue], into row: RowAssembler) throws -> Bool

    /// Opens a cursor on a query, within a transaction only. Other statements may run between two batches.
    /// - Parameter batchRows: the most rows of a batch.
    func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows

    /// Discards prepared statements if the schema has changed since they were prepared: a statement of a table that was
    /// dropped and created again no longer fits.
    /// - Parameter generation: the engine's count of schema changes.
    func usePlans(ofGeneration generation: Int)

    /// Asks the server to cancel the running statement, which then throws an error of kind `cancelled`. So do the next
    /// statements, until ``forgetCancellation()``. Callable from any thread; returns at once. Never ends a commit, whose
    /// outcome must not become unknown, nor a savepoint or a rollback, which the rest of the transaction relies on.
    func cancel()

    /// Forgets a request to cancel. Called at the end of each statement, or sequence of statements, that a task may
    /// cancel.
    func forgetCancellation()

    /// Closes the connection. Idempotent.
    func close()
}

extension SQLConnection {
    /// False.
    package var needsCheck: Bool { false }

    /// Does nothing: this database checks prepared statements against the schema itself.
    package func usePlans(ofGeneration generation: Int) {}

    /// Does nothing: statements of this database cannot be cancelled.
    package func cancel() {}

    /// Does nothing, like ``cancel()``.
    package func forgetCancellation() {}

    /// Runs the statement at once.
    package func executeLater(_ statement: SQLStatement) throws { _ = try execute(statement) }

    /// Waits for the answer.
    package func executeWithoutWaiting(_ statement: SQLStatement) throws { _ = try execute(statement) }

    /// Runs the look-up's statement, and copies its row.
    package func fetchRow(_ lookup: RowLookup, key: [ColumnValue], into row: RowAssembler) throws -> Bool {
        try fetchRowOfStatement(lookup, key, into: row)
    }

    /// Looks a row up by the look-up's statement, like any other: the general form of ``fetchRow(_:key:into:)``.
    package func fetchRowOfStatement(
        _ lookup: RowLookup, _ key: [ColumnValue], into row: RowAssembler
    ) throws -> Bool {
        guard let values = try execute(lookup.statement(key)).rows.first else { return false }
        row.begin()
        for (slot, value) in zip(lookup.slots, values) { try row.set(slot, value) }
        return true
    }

    /// Runs the statements one after the other.
    package func executeAll(_ statements: [SQLStatement]) throws -> [SQLResultSet] {
        var results: [SQLResultSet] = []
        for statement in statements { results.append(try execute(statement)) }
        return results
    }
}

/// A cursor on the rows of a query, valid until the transaction ends. It uses its connection, so the user of the
/// connection closes it before anybody else gets the connection.
package protocol SQLRows: AnyObject {
    /// The next batch of rows; nil at the end.
    func next() throws -> [[ColumnValue]]?
    /// Closes the cursor. Idempotent.
    func close()
}
