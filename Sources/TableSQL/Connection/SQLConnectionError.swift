package import TableKit

/// A statement, or a connection, that failed.
package struct SQLConnectionError: Error, Sendable, CustomStringConvertible {
    /// How the work goes on.
    package enum Kind: Sendable, Hashable {
        /// The statement was refused and has changed nothing: its error says why.
        case statement
        /// Another transaction stood in the way; the transaction was rolled back, and may run again (SQLSTATE 40001, 40P01).
        case conflict
        /// The connection is gone. A transaction that had not begun to commit has changed nothing.
        case connectionLost
        /// The connection is gone, or the time is up, after COMMIT was sent and before its answer: nobody knows whether the
        /// transaction has committed.
        case unknownOutcome
        /// No connection could be made: no server, refused login, unknown database.
        case noConnection
        /// The statement took longer than the configuration allows, and was cancelled.
        case timedOut
        /// The task was cancelled, and the statement with it.
        case cancelled
    }

    /// How the work goes on.
    package var kind: Kind
    /// What tables call the error.
    package var code: TableErrorCode
    /// The server's own code: SQLSTATE, or the library's number.
    package var serverCode: String?
    /// The server's words, and what to do.
    package var message: String
    /// The table that the server names.
    package var table: String?
    /// The column or the constraint's columns that the server names.
    package var column: String?
    /// The key that the server names.
    package var key: String?

    package init(
        _ kind: Kind, code: TableErrorCode, serverCode: String? = nil, _ message: String, table: String? = nil,
        column: String? = nil, key: String? = nil
    ) {
        self.kind = kind
        self.code = code
        self.serverCode = serverCode
        self.message = message
        self.table = table
        self.column = column
        self.key = key
    }

    package var description: String { "\(message)\(serverCode.map { " (\($0))" } ?? "")" }

    /// The error as tables throw it.
    package var tableError: CRUDSQLExeError {
        var text = message
        if let serverCode { text += " [\(serverCode)]" }
        if kind == .unknownOutcome {
            text += ". Whether the transaction has committed is unknown: look for its effects before repeating it"
        }
        return CRUDSQLExeError(
            text, code: kind == .unknownOutcome ? .unknownOutcome : code, table: table, column: column, key: key)
    }
}
