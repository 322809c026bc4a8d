#if PostgreSQL
import TableKit
import TableSQL

/// The rows of a query, from a cursor on the server. Other statements may run between two batches.
///
/// The cursor ends with the transaction. Its CLOSE is part of the next round trip.
final class PostgresCursor: SQLRows {
    private let connection: PostgresConnection
    private let name: String
    private let transaction: Int
    private let returns: Int
    private let fetch: SQLStatement
    private let batchRows: Int
    private var first: [[ColumnValue]]?
    private var isAtEnd: Bool

    /// Declares the cursor and fetches the first batch, in one round trip.
    init(_ connection: PostgresConnection, _ statement: SQLStatement, number: Int, batchRows: Int) throws {
        self.connection = connection
        self.batchRows = max(batchRows, 1)
        name = "c\(number)"
        fetch = SQLStatement("FETCH \(self.batchRows) FROM \(name)", results: statement.results, isRepeated: false)
        let declare = SQLStatement(
            "DECLARE \(name) NO SCROLL CURSOR FOR \(statement.text)", statement.parameters,
            isRepeated: statement.isRepeated)
        let rows = try connection.executeAll([declare, fetch])[1].rows
        transaction = connection.transactions
        returns = connection.returns
        first = rows
        isAtEnd = false
        if rows.count < self.batchRows { finish() }
    }

    func next() throws -> [[ColumnValue]]? {
        if let rows = first {
            first = nil
            return rows.isEmpty ? nil : rows
        }
        guard !isAtEnd else { return nil }
        guard transaction == connection.transactions else {
            throw SQLConnectionError(
                .statement, code: .transaction, "The rows of a query ended with its transaction.")
        }
        let rows = try connection.execute(fetch).rows
        if rows.count < batchRows { finish() }
        return rows.isEmpty ? nil : rows
    }

    func close() {
        first = nil
        finish()
    }

    private func finish() {
        guard !isAtEnd else { return }
        isAtEnd = true
        // A rollback to a savepoint may have ended the cursor; its CLOSE would then fail.
        if transaction == connection.transactions, returns == connection.returns { connection.close(cursor: name) }
    }
}

/// The rows of a result in memory.
final class BufferedRows: SQLRows {
    private var rows: ArraySlice<[ColumnValue]>
    private let batchRows: Int

    init(_ rows: [[ColumnValue]], batchRows: Int) {
        self.rows = rows[...]
        self.batchRows = max(batchRows, 1)
    }

    func next() -> [[ColumnValue]]? {
        guard !rows.isEmpty else { return nil }
        let batch = Array(rows.prefix(batchRows))
        rows = rows.dropFirst(batchRows)
        return batch
    }

    func close() { rows = [] }
}
#endif
