#if SQLite
import CSQLite3
import Foundation
import Synchronization
import TableKit
import TableSQL

/// A connection to an SQLite file.
///
/// `@unchecked Sendable`: the pool gives it to one thread at a time, and the handle is opened without a mutex.
@safe
final class SQLiteConnection: SQLConnection, @unchecked Sendable {
    private var handle: OpaquePointer?
    /// Prepared statements that are not in use, by text.
    private var prepared: [StatementText: OpaquePointer] = unsafe [:]
    private static let maximumPrepared = 128
    private let path: String
    private let wait: LockWait
    /// The error with which SQLite has rolled back the whole transaction, as it may on a full disk. Later statements
    /// would commit alone, and are refused.
    fileprivate private(set) var doom: SQLConnectionError?

    /// Opens a file; creates a missing one.
    /// - Throws: `SQLConnectionError` of kind `noConnection`; `CancellationError` if the task is cancelled while
    ///   another program's lock holds up the opening.
    init(path: String, pragmas: [String], busyTimeout: Double) throws {
        self.path = path
        wait = LockWait(limit: busyTimeout)
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        let status = unsafe sqlite3_open_v2(path, &handle, flags, nil)
        guard status == SQLITE_OK else {
            let message = unsafe handle.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            unsafe sqlite3_close_v2(handle)
            unsafe handle = nil
            throw SQLConnectionError(
                .noConnection, code: .unavailable, serverCode: "\(status)", "\(path) cannot be opened: \(message)")
        }
        unsafe sqlite3_extended_result_codes(handle, 1)
        unsafe wait.attach(to: handle)
        for registered in unsafe [PatternFunction.register(handle), JSONFunction.register(handle)] {
            guard registered == SQLITE_OK else { throw error(registered) }
        }
        try TaskCancellation.runCurrent(self) { try setUp(pragmas) }
    }

    private func setUp(_ pragmas: [String]) throws {
        for pragma in pragmas {
            // Two connections that change the journal of a new file at once wait for each other's read lock. SQLite
            // refuses one of them without a wait.
            try wait.retrying {
                do { try run(pragma) } catch let error as SQLConnectionError
                    where error.serverCode == Self.readOnly && isReadOnly
                {
                    // A file that can only be read keeps its journal.
                }
            }
        }
        try wait.retrying(checkEncoding)
    }

    private func run(_ pragma: String) throws {
        _ = try execute(SQLStatement("PRAGMA \(pragma)", isRepeated: false))
    }

    private var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// SQLITE_READONLY
    private static let readOnly = "8"

    /// Refuses a file that stores text in UTF-16: SQLite orders such texts by their bytes in that form, which is another
    /// order than that of ``TableKit``.
    private func checkEncoding() throws {
        let question = SQLStatement("PRAGMA encoding", results: [.string], isRepeated: false)
        guard case .text(let encoding)? = try execute(question).rows.first?.first, encoding != "UTF-8" else { return }
        throw SQLConnectionError(
            .noConnection, code: .unsupported,
            "\(path) stores text in \(encoding), whose order is another. Copy it: sqlite3 OLD .dump | sqlite3 NEW")
    }

    deinit { close() }

    var isUsable: Bool { unsafe handle != nil }

    /// Whether the file was removed, or replaced by another one, since the connection was opened.
    var hasMoved: Bool {
        var hasMoved: Int32 = 0
        unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return hasMoved != 0
    }

    func close() {
        unsafe prepared.values.forEach { unsafe sqlite3_finalize($0) }
        unsafe prepared = unsafe [:]
        unsafe sqlite3_close_v2(handle)
        unsafe handle = nil
    }

    /// Ends the wait for another connection's lock, with an error of kind `cancelled`. Running statements go on.
    func cancel() { wait.cancel() }

    func forgetCancellation() { wait.forgetCancellation() }

    /// Whether a statement waits for another connection's lock.
    var isWaiting: Bool { wait.isWaiting }

    func execute(_ statement: SQLStatement) throws -> SQLResultSet {
        if let doom, !statement.explainsFailure, try isDone(statement, doom) { return SQLResultSet() }
        let cursor = try SQLiteCursor(self, statement, batchRows: .max)
        defer { cursor.close() }
        var result = SQLResultSet()
        while let rows = try cursor.next() { result.rows += rows }
        result.changedRows = unsafe Int(sqlite3_changes(handle))
        return result
    }

    /// Whether the rollback of the whole transaction has done what a statement asks for.
    /// - Throws: the error of that rollback for all other statements.
    private func isDone(_ statement: SQLStatement, _ doom: SQLConnectionError) throws -> Bool {
        switch StatementVerb(statement.text) {
        case .rollback:
            self.doom = nil
            return true
        case .rollbackToSavepoint, .savepoint: return true
        default: throw doom
        }
    }

    /// Whether a transaction is open.
    fileprivate var isInTransaction: Bool { unsafe handle.map { unsafe sqlite3_get_autocommit($0) == 0 } ?? false }

    func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows {
        if let doom { throw doom }
        return try SQLiteCursor(self, statement, batchRows: batchRows)
    }

    /// Prepares a statement, for the caller alone until ``giveBack(_:_:)``.
    fileprivate func prepare(_ statement: SQLStatement) throws -> OpaquePointer {
        guard let handle = unsafe handle else {
            throw SQLConnectionError(.connectionLost, code: .unavailable, "The database is closed: \(path)")
        }
        if let found = unsafe prepared.removeValue(forKey: StatementText(statement.text)) { return unsafe found }
        var made: OpaquePointer?
        var text = statement.text
        let status = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                unsafe sqlite3_prepare_v2(handle, text.baseAddress, Int32(text.count), &made, nil)
            }
        }
        guard status == SQLITE_OK, let made = unsafe made else { throw error(status) }
        return unsafe made
    }

    fileprivate func giveBack(_ statement: OpaquePointer, _ source: SQLStatement) {
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
        let text = StatementText(source.text)
        if source.isRepeated, unsafe prepared.count < Self.maximumPrepared, unsafe prepared[text] == nil {
            unsafe prepared[text] = unsafe statement
        } else {
            unsafe sqlite3_finalize(statement)
        }
    }

    /// The error of the last call of a statement.
    /// - Parameter inTransaction: whether a transaction was open before the statement.
    fileprivate func error(_ status: Int32, inTransaction: Bool) -> SQLConnectionError {
        let error = error(status)
        if inTransaction, !isInTransaction { doom = error }
        return error
    }

    /// The error of the last call.
    fileprivate func error(_ status: Int32) -> SQLConnectionError {
        let message = unsafe handle.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "closed"
        var error = unsafe SQLiteErrors.error(sqlite3_extended_errcode(handle), status, message, path)
        if status & 0xff == SQLITE_BUSY, wait.isCancelled { error.kind = .cancelled }
        return error
    }
}

/// The rows of a statement, stepped one by one.
@safe
private final class SQLiteCursor: SQLRows {
    private let connection: SQLiteConnection
    private let source: SQLStatement
    private let batchRows: Int
    private var statement: OpaquePointer?

    init(_ connection: SQLiteConnection, _ source: SQLStatement, batchRows: Int) throws {
        self.connection = connection
        self.source = source
        self.batchRows = batchRows
        let statement = try unsafe connection.prepare(source)
        unsafe self.statement = unsafe statement
        for (number, parameter) in source.parameters.enumerated() {
            guard case .value(let value, let type) = parameter else {
                throw SQLConnectionError(.statement, code: .unsupported, "SQLite has no arrays.")
            }
            let status = unsafe SQLiteValues.bind(value, type, statement, Int32(number + 1))
            if status != SQLITE_OK { throw connection.error(status) }
        }
    }

    deinit { close() }

    func close() {
        guard let statement = unsafe statement else { return }
        unsafe self.statement = nil
        unsafe connection.giveBack(statement, source)
    }

    func next() throws -> [[ColumnValue]]? {
        guard let statement = unsafe statement else { return nil }
        // SQLite would go on with rows from before the transaction.
        if let doom = connection.doom, !source.explainsFailure {
            close()
            throw doom
        }
        var rows: [[ColumnValue]] = []
        let inTransaction = connection.isInTransaction
        while rows.count < batchRows {
            let status = unsafe sqlite3_step(statement)
            if status == SQLITE_DONE {
                close()
                return rows.isEmpty ? nil : rows
            }
            guard status == SQLITE_ROW else {
                let error = connection.error(status, inTransaction: inTransaction)
                close()
                throw error
            }
            if source.results.isEmpty { continue }
            rows.append(
                try source.results.enumerated().map { try unsafe SQLiteValues.column(statement, Int32($0), $1) })
        }
        return rows
    }
}
#endif
