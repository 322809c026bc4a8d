package import TableKit

/// One connection to a database that speaks SQL: what an adapter implements.
///
/// Used by one thread at a time, though not always by the same. Its functions block the thread that calls them; they are
/// never called on the cooperative pool. A statement that fails throws ``SQLConnectionError`` and leaves the connection
/// usable, unless ``isUsable`` says otherwise.
package protocol SQLConnection: AnyObject, Sendable {
    /// Whether the connection can be used again. False after the network, the server or a time-out has ended it.
    var isUsable: Bool { get }

    /// Runs a statement and reads its whole result.
    func execute(_ statement: SQLStatement) throws -> SQLResultSet

    /// Runs several statements in one round trip where the server can, and stops at the first that fails.
    /// - Returns: a result for each statement.
    func executeAll(_ statements: [SQLStatement]) throws -> [SQLResultSet]

    /// Has a statement without a result run before the next one, in its round trip where the server can. Where it fails, the
    /// next one does not run, and throws its error.
    func executeLater(_ statement: SQLStatement) throws

    /// Runs a statement without a result, and does not wait for the answer where the connection can do so. Where it fails,
    /// the connection ends.
    func executeWithoutWaiting(_ statement: SQLStatement) throws

    /// Runs a query whose result is read in batches. Other statements may run between two batches. Within a transaction only.
    /// - Parameter batchRows: how many rows a batch has at most.
    func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows

    /// Gives up what the connection has prepared where the tables have changed since: statements of a table that was dropped
    /// and made anew fit it no more.
    /// - Parameter generation: how often the engine has seen tables change.
    func usePlans(ofGeneration generation: Int)

    /// Has the server cancel what the connection runs, which then throws an error of kind `cancelled`. From any thread;
    /// returns at once. Does nothing where nothing runs, or where a commit does, which must not be left in doubt.
    func cancel()

    /// Ends the connection. Again: does nothing.
    func close()
}

extension SQLConnection {
    /// Does nothing: this database looks at the tables by itself.
    package func usePlans(ofGeneration generation: Int) {}

    /// Does nothing: a statement of this database goes on to its end.
    package func cancel() {}

    /// Runs it at once.
    package func executeLater(_ statement: SQLStatement) throws { _ = try execute(statement) }

    /// Waits for the answer.
    package func executeWithoutWaiting(_ statement: SQLStatement) throws { _ = try execute(statement) }

    /// Runs the statements one after the other.
    package func executeAll(_ statements: [SQLStatement]) throws -> [SQLResultSet] {
        var results: [SQLResultSet] = []
        for statement in statements { results.append(try execute(statement)) }
        return results
    }
}

/// The rows of a query, batch by batch. Ends with the transaction.
package protocol SQLRows: AnyObject {
    /// The next rows, or nil at the end.
    func next() throws -> [[ColumnValue]]?
    /// Gives up the rest. Again, or after the end: does nothing.
    func close()
}
