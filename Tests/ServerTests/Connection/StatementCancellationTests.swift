#if PostgreSQL || MySQL || SQLite
import Foundation
import Synchronization
import TableKit
import Testing

@testable import TableSQL

/// Cancellations that come while no statement runs, or while a change commits.
@Suite(.timeLimit(.minutes(10))) struct StatementCancellationTests {
    /// A connection to no server that cancels statements as a server's does.
    private final class CancellableConnection: SQLConnection {
        private let waits = AnswerWaits(at: "memory", timeout: .seconds(1), cancel: {}, answers: { true })
        private let record = Mutex<[String]>([])

        var sent: [String] { record.withLock { $0 } }
        var isUsable: Bool { true }

        func execute(_ statement: SQLStatement) throws -> SQLResultSet {
            let isCancellable = StatementVerb(statement.text).isCancellable
            _ = try waits.begin(.seconds(1), isCancellable: isCancellable)
            record.withLock { $0.append(statement.text) }
            if isCancellable { _ = waits.end(isUsable: true) }
            return SQLResultSet()
        }

        func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows {
            throw SQLConnectionError(.statement, code: .unsupported, "There are no rows.")
        }

        func cancel() { waits.cancel() }
        func forgetCancellation() { waits.forgetCancellation() }
        func close() {}
    }

    @Test("a cancellation between two statements of one piece of work keeps the second one from being sent")
    func betweenStatements() async throws {
        let connection = CancellableConnection()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await TaskCancellation.run(on: WorkerThreads(name: "work")) {
                try TaskCancellation.runCurrent(connection) {
                    _ = try connection.execute(SQLStatement("INSERT 1"))
                    begin.finish()
                    while TaskCancellation.current?.isCancelled == false { Thread.sleep(forTimeInterval: 0.001) }
                    _ = try connection.execute(SQLStatement("INSERT 2"))
                }
            }
        }
        for await _ in begun {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(connection.sent == ["INSERT 1"])
        // The next user of the connection is another.
        _ = try connection.execute(SQLStatement("INSERT 3"))
        #expect(connection.sent == ["INSERT 1", "INSERT 3"])
    }

    @Test("a cancellation does not interrupt statements that are shielded from it") func shielded() async throws {
        let connection = CancellableConnection()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await TaskCancellation.run(on: WorkerThreads(name: "work")) {
                try TaskCancellation.runCurrent(connection) {
                    try TaskCancellation.shielding(connection) {
                        begin.finish()
                        while TaskCancellation.current?.isCancelled == false { Thread.sleep(forTimeInterval: 0.001) }
                        _ = try connection.execute(SQLStatement("DROP 1"))
                        _ = try connection.execute(SQLStatement("DROP 2"))
                    }
                }
                // Later statements of the work are cancelled.
                try TaskCancellation.runCurrent(connection) { _ = try connection.execute(SQLStatement("INSERT 1")) }
            }
        }
        for await _ in begun {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(connection.sent == ["DROP 1", "DROP 2"])
    }

    @Test("a cancellation leaves the end of a transaction and its savepoints alone") func control() throws {
        let connection = CancellableConnection()
        connection.cancel()
        let control = ["SAVEPOINT s", "ROLLBACK TO SAVEPOINT s", "RELEASE SAVEPOINT s", "ROLLBACK", "COMMIT"]
        for text in control { _ = try connection.execute(SQLStatement(text)) }
        for text in ["BEGIN", "SELECT 1", "DELETE"] {
            let error = #expect(throws: SQLConnectionError.self) { _ = try connection.execute(SQLStatement(text)) }
            #expect(error?.kind == .cancelled)
        }
        #expect(connection.sent == control)
    }

    private struct Item: Codable, Sendable {
        var id: Int
    }

    @Test("in a task, a cancellation of a change does not meet its COMMIT") func commitInTask() async throws {
        let connection = ScriptedConnection()
        let engine = SQLEngine(
            dialect: PostgresDialect(), pool: ConnectionPool(ScriptedConnector(connection: connection)),
            observation: .ownCommits)
        let structure = TableStructure(name: "Item", columns: [Column("id", .int64)], primaryKey: [0])
        let table = SQLTable(info: TableInfo(structure: structure, indexes: [], estimatedRows: 0))
        engine.core.catalogue.keep(["Item": table], generation: engine.core.catalogue.generation)
        let db = Database(configuration: ScriptedConfiguration(engine))
        try await db.table(Item.self).insert(Item(id: 1))
        let calls = connection.calls
        let insert = try #require(calls.firstIndex { $0.hasPrefix("INSERT") })
        let commit = try #require(calls.firstIndex(of: "COMMIT"))
        // What a cancellation ends is over.
        #expect(calls[insert..<commit].contains("forget cancellation"))
        engine.close()
    }
}
#endif
