#if SQLite
import CRUDKit
import Foundation
import TableKit
import TableSQL
import Testing

@testable import SQLiteTables

/// A cancelled task stops waiting for other writers, and for a connection.
@Suite(.timeLimit(.minutes(10))) struct SQLiteCancellationTests {
    struct Item: Codable, Sendable, Equatable {
        var id: Int
    }

    /// Longer than the test may take: who waits on would fail it.
    private static let patience = 3600.0

    private func withPath(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let result: Result<Void, any Error>
        do { result = .success(try await body(directory.appendingPathComponent("a.sqlite").path)) } catch {
            result = .failure(error)
        }
        try FileManager.default.removeItem(at: directory)
        try result.get()
    }

    private func connection(_ path: String) throws -> SQLiteConnection {
        try SQLiteConnection(path: path, pragmas: ["journal_mode = WAL"], busyTimeout: Self.patience)
    }

    @Test("A statement that waits for a lock ends when it is cancelled, and its connection goes on") func statement()
        async throws
    {
        try await withPath { path in
            let (holder, other) = (try connection(path), try connection(path))
            let begin = SQLStatement("BEGIN IMMEDIATE")
            _ = try holder.execute(begin)
            let task = Task { try await onThread { _ = try other.execute(begin) } }
            while !other.isWaiting { await Task.yield() }
            other.cancel()
            let error = await #expect(throws: SQLConnectionError.self) { try await task.value }
            #expect(error?.kind == .cancelled)
            // Until it is forgotten, a cancellation also ends the waits that come.
            let second = #expect(throws: SQLConnectionError.self) { _ = try other.execute(begin) }
            #expect(second?.kind == .cancelled)
            other.forgetCancellation()
            _ = try holder.execute(SQLStatement("COMMIT"))
            _ = try other.execute(begin)
            _ = try other.execute(SQLStatement("COMMIT"))
        }
    }

    @Test("A cancelled task stops opening a file that another program has locked") func opening() async throws {
        try await withPath { path in
            let holder = try SQLiteConnection(path: path, pragmas: [], busyTimeout: Self.patience)
            _ = try holder.execute(SQLStatement("CREATE TABLE t (a INTEGER)"))
            _ = try holder.execute(SQLStatement("BEGIN EXCLUSIVE"))
            let configuration = try SQLiteDatabaseConfiguration(path, busyTimeout: Self.patience)
            let db = Database(configuration: configuration)
            let table = db.table(Item.self)
            let tasks = [
                Task { _ = try await table.all() }, Task { try await db.transaction { _ = try await table.all() } },
            ]
            // Usually both wait for the lock by then.
            try await Task.sleep(for: .milliseconds(300))
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            _ = try holder.execute(SQLStatement("ROLLBACK"))
            try await db.create(Item.self).insert(Item(id: 1))
            #expect(try await table.all() == [Item(id: 1)])
            try await db.close()
        }
    }

    @Test("Cancelled writes of tables and repositories end while another program has the lock, and store nothing")
    func writes() async throws {
        try await withPath { path in
            let configuration = try SQLiteDatabaseConfiguration(path, busyTimeout: Self.patience)
            let db = Database(configuration: configuration), table = db.table(Item.self)
            try await db.create(Item.self).insert(Item(id: 1))
            let repository = try SQLiteRepository(path: path, tableName: "t")
            try await repository.create(id: "a", item: 1)
            let holder = try connection(path)
            _ = try holder.execute(SQLStatement("BEGIN IMMEDIATE"))
            // More than there are connections.
            var tasks = (0..<40).map { id in Task { _ = try await table.insert(Item(id: 10 + id)) } }
            tasks.append(Task { _ = try await table.insert([Item(id: 2), Item(id: 3)]) })
            tasks.append(Task { _ = try await table.delete() })
            tasks.append(Task { try await db.transaction { _ = try await table.insert(Item(id: 4)) } })
            let writesOfTables = tasks.count
            tasks.append(Task { try await repository.create(id: "b", item: 2) })
            tasks.append(Task { try await repository.createAll([(id: "c", item: 3), (id: "d", item: 4)]) })
            // Each connection waits for the lock, and the other tasks for a connection. The repository has its own.
            let pool = try configuration.use.pool()
            while pool.waitingCallers < writesOfTables - pool.options.maximumConnections { await Task.yield() }
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            _ = try holder.execute(SQLStatement("ROLLBACK"))
            #expect(try await table.all() == [Item(id: 1)])
            #expect(try await repository.ids() == ["a"])
            try await table.insert(Item(id: 5))
            repository.close()
            try await db.close()
        }
    }
}
#endif
