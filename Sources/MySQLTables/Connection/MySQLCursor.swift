#if MySQL
import CMariaDB
import TableKit
import TableSQL

/// The rows of a query, from a cursor on the server, which keeps the rows until they are fetched. Other statements may
/// run between two batches.
final class MySQLCursor: SQLRows {
    private let connection: MySQLConnection
    /// Nil at the end.
    private var prepared: PreparedStatement?
    private let source: SQLStatement
    private let batchRows: Int

    init(_ connection: MySQLConnection, _ prepared: PreparedStatement, _ source: SQLStatement, batchRows: Int) {
        self.connection = connection
        self.prepared = prepared
        self.source = source
        self.batchRows = batchRows
    }

    deinit { close() }

    func next() throws -> [[ColumnValue]]? {
        guard let prepared else { return nil }
        // Not the query's text: a fetch that fails has changed nothing.
        let fetch = SQLStatement("FETCH", isRepeated: false)
        return try connection.run(fetch, connection.options.answerLimit) { _, deadline in
            var rows: [[ColumnValue]] = []
            rows.reserveCapacity(batchRows)
            while rows.count < batchRows {
                var status: Int32 = 0
                try connection.link.call(
                    &deadline, { mysql_stmt_fetch_start(&status, prepared.raw) },
                    { mysql_stmt_fetch_cont(&status, prepared.raw, $0) })
                if status == MYSQL_NO_DATA {
                    finish(prepared)
                    break
                }
                if status == 1 { throw MySQLError.error(prepared.raw) }
                rows.append(try prepared.reader.takeRow())
            }
            return rows.isEmpty ? nil : rows
        }
    }

    func close() {
        // Closes the cursor, too, without an answer of the server.
        prepared?.close()
        prepared = nil
    }

    private func finish(_ prepared: PreparedStatement) {
        // The connection alone refers to it from now on, and frees it on its own thread.
        self.prepared = nil
        mysql_stmt_free_result(prepared.raw)
        connection.giveBack(prepared, source)
    }
}
#endif
