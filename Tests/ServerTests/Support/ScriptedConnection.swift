#if PostgreSQL || MySQL || SQLite
import Foundation
import Synchronization
import TableKit
import TableSQL

/// A connection to no server. Records the calls, and answers or fails the statements of a script.
final class ScriptedConnection: SQLConnection {
    private let record = Mutex<[String]>([])
    private let names = Mutex<Set<String>>([])
    /// The error of a statement with this text; nil if it succeeds.
    private let failure: @Sendable (String) -> SQLConnectionError?

    /// The rows of a statement with this text that comes for the nth time, from 1 on.
    private let answer: @Sendable (String, Int) -> [[ColumnValue]]
    /// The batches of each cursor; nil if no cursor can be opened.
    private let batches: [[[ColumnValue]]]?

    init(
        failure: @escaping @Sendable (String) -> SQLConnectionError? = { _ in nil },
        batches: [[[ColumnValue]]]? = nil,
        answer: @escaping @Sendable (String, Int) -> [[ColumnValue]] = { _, _ in [] }
    ) {
        self.failure = failure
        self.batches = batches
        self.answer = answer
    }

    /// The texts of the statements, and the names of the other calls.
    var calls: [String] { record.withLock { $0 } }

    /// The names of the threads that have run statements.
    var threads: Set<String> { names.withLock { $0 } }

    func note(_ call: String) { record.withLock { $0.append(call) } }

    var isUsable: Bool { !calls.contains("close") }
    var needsCheck: Bool { true }

    func execute(_ statement: SQLStatement) throws -> SQLResultSet {
        let name = Thread.current.name ?? ""
        names.withLock { _ = $0.insert(name) }
        note(statement.text)
        if let error = failure(statement.text) { throw error }
        return SQLResultSet(rows: answer(statement.text, calls.count { $0 == statement.text }))
    }

    func executeWithoutWaiting(_ statement: SQLStatement) throws {
        note("without waiting")
        _ = try execute(statement)
    }

    func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows {
        guard let batches else { throw SQLConnectionError(.statement, code: .unsupported, "There are no rows.") }
        return ScriptedRows(batches, self)
    }

    func usePlans(ofGeneration generation: Int) { note("plans of \(generation)") }
    func cancel() { note("cancel") }
    func forgetCancellation() { note("forget cancellation") }
    func close() { note("close") }
}

/// Rows in memory. Like the cursors of a database, they use their connection when they are closed, at the latest when
/// they are freed.
private final class ScriptedRows: SQLRows {
    private var rest: ArraySlice<[[ColumnValue]]>
    private let connection: ScriptedConnection
    private var isClosed = false

    init(_ batches: [[[ColumnValue]]], _ connection: ScriptedConnection) {
        rest = batches[...]
        self.connection = connection
    }

    deinit { close() }

    func next() -> [[ColumnValue]]? { rest.popFirst() }

    func close() {
        if !isClosed { connection.note("rows closed") }
        isClosed = true
    }
}

/// Gives out one connection.
struct ScriptedConnector: SQLConnector {
    let connection: ScriptedConnection
    var place: String { "memory" }

    func connect() throws -> ScriptedConnection { connection }
    func isHealthy(_ connection: ScriptedConnection) -> Bool { connection.isUsable }
}

/// A database over one scripted connection.
struct ScriptedConfiguration: DatabaseConfigurationProtocol {
    let engine: any TableEngine

    init(_ engine: any TableEngine) { self.engine = engine }

    init(url: String?, name: String?, host: String?, port: Int?, user: String?, pass: String?) throws {
        throw CRUDSQLGenError("Not made by name.")
    }
}
#endif
