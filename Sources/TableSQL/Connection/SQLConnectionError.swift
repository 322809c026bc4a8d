package import TableKit

/// The error of a statement or a connection.
package struct SQLConnectionError: Error, Sendable, CustomStringConvertible {
    /// What the caller can do about the error.
    package enum Kind: Sendable, Hashable {
        /// The statement failed and has changed nothing.
        case statement
        /// The transaction conflicted with another, was rolled back, and may run again (SQLSTATE 40001, 40P01).
        case conflict
        /// The connection is lost. A transaction whose commit had not begun has changed nothing.
        case connectionLost
        /// The connection was lost, or the time-out expired, between COMMIT and its answer: the transaction may have
        /// committed or not.
        case unknownOutcome
        /// The login failed: no server, wrong credentials, unknown database.
        case noConnection
        /// The statement exceeded its time-out and was cancelled.
        case timedOut
        /// The task was cancelled, and its statement with it.
        case cancelled
    }

    package var kind: Kind
    /// The error code that tables throw.
    package var code: TableErrorCode
    /// The server's error code: SQLSTATE or an error number.
    package var serverCode: String?
    /// The server's message.
    package var message: String
    /// Advice that the message lacks. Not told where the outcome is unknown: it may contradict that.
    package var advice: String?
    /// The table that the server names.
    package var table: String?
    /// The column or the constraint's columns that the server names.
    package var column: String?
    /// The key that the server names.
    package var key: String?
    /// Whether the change has committed, although its kind is `unknownOutcome`: only its result is missing.
    package private(set) var isStored = false

    package init(
        _ kind: Kind, code: TableErrorCode, serverCode: String? = nil, _ message: String, advice: String? = nil,
        table: String? = nil, column: String? = nil, key: String? = nil
    ) {
        self.kind = kind
        self.code = code
        self.serverCode = serverCode
        self.message = message
        self.advice = advice
        self.table = table
        self.column = column
        self.key = key
    }

    package var description: String { "\(advisedMessage)\(serverCode.map { " (\($0))" } ?? "")" }

    /// The error of a change that has committed, and whose result has this error.
    package var afterCommit: SQLConnectionError {
        var error = self
        error.kind = .unknownOutcome
        error.isStored = true
        error.message = "The change is stored, so it must not be repeated. Its result cannot be read: \(message)"
        return error
    }

    private var advisedMessage: String {
        guard kind != .unknownOutcome, let advice else { return message }
        return [message, advice].asSentences
    }

    /// The error with the table of a value, if it is about one and names no table.
    package func naming(_ table: String?) -> SQLConnectionError {
        guard code == .type, self.table == nil else { return self }
        var error = self
        error.table = table
        return error
    }

    /// The error as tables throw it.
    package var tableError: CRUDSQLExeError {
        var text = advisedMessage
        if let serverCode { text += " [\(serverCode)]" }
        if kind == .unknownOutcome, !isStored {
            text += ". Whether the transaction has committed is unknown: look for its effects before repeating it"
        }
        return CRUDSQLExeError(
            text, code: kind == .unknownOutcome ? .unknownOutcome : code, table: table, column: column, key: key)
    }
}
