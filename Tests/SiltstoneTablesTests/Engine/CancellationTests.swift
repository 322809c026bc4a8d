import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

private struct Item: Codable, Sendable, Equatable {
    var id: Int
    var n: Int
}

/// A cancelled task stops waiting for the transaction lock. What has begun goes on to its end.
@Suite("Cancelled writes", .timeLimit(.minutes(10)))
struct CancellationTests {
    private let db: Database<SiltstoneDatabaseConfiguration>
    private let engine: SiltstoneEngine

    init() throws {
        let configuration = try SiltstoneDatabaseConfiguration(store: try KeyValueStore.inMemory())
        db = Database(configuration: configuration)
        try db.create(Item.self).insert([Item(id: 1, n: 1), Item(id: 2, n: 2)])
        engine = try #require(configuration.engine as? SiltstoneEngine)
    }

    /// Suspends until so many wait for the lock.
    private func waiters(_ count: Int) async { while engine.turn.waiterCount < count { await Task.yield() } }

    @Test("a write that waits for its turn throws, and changes nothing")
    func waitingWrites() async throws {
        let (db, table) = (db, db.table(Item.self))
        let holder = try await engine.begin(.serial)
        let writes: [@Sendable () async throws -> Void] = [
            { _ = try await table.insert(Item(id: 3, n: 3)) },
            { _ = try await table.insert([Item(id: 4, n: 4), Item(id: 5, n: 5)]) },
            { _ = try await table.where(\Item.id == 1).update(Item(id: 1, n: 9)) },
            { _ = try await table.where(\Item.id == 2).delete() },
            { try await db.transaction { _ = try await table.insert(Item(id: 6, n: 6)) } },
            { try await db.sql("DELETE FROM Item") },
            { _ = try await db.sql("SELECT * FROM Item; BEGIN; DELETE FROM Item; COMMIT", Item.self) },
        ]
        let tasks = writes.map { write in Task { try await write() } }
        await waiters(writes.count)
        for task in tasks { task.cancel() }
        // The lock is still held: nobody gets a turn.
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        holder.rollback()
        try await table.insert(Item(id: 7, n: 7))
        #expect(try await table.order(by: \.id).all() == [Item(id: 1, n: 1), Item(id: 2, n: 2), Item(id: 7, n: 7)])
    }

    @Test("SQL that waits for its turn takes no thread from the transaction that it waits for")
    func manyTexts() async throws {
        let (db, table) = (db, db.table(Item.self))
        // More than Dispatch has threads.
        let ids = 1_000..<1_600
        let tasks = try await db.transaction { () async throws -> [Task<Void, any Error>] in
            let tasks = ids.map { id in
                Task.detached { try await db.sql("INSERT INTO Item VALUES (\(id), 1)") }
            }
            await waiters(ids.count)
            try await table.insert(Item(id: 3, n: 3))
            return tasks
        }
        for task in tasks { try await task.value }
        #expect(try await table.count() == ids.count + 3)
    }

    @Test("a text that is cancelled keeps the statements before the one that waits")
    func cancelledText() async throws {
        let (db, table) = (db, db.table(Item.self))
        let (held, tellHeld) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let holder = try await engine.begin(.serial)
        let task = Task { try await db.sql("INSERT INTO Item VALUES (3, 3); INSERT INTO Item VALUES (4, 4)") }
        await waiters(1)
        let second = Task {
            try await db.transaction { () async throws -> Void in
                tellHeld.finish()
                for await _ in released {}
            }
        }
        await waiters(2)
        holder.rollback()
        for await _ in held {}
        // The second statement waits behind the transaction.
        await waiters(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        release.finish()
        try await second.value
        #expect(try await table.order(by: \.id).all().map(\.id) == [1, 2, 3])
    }

    @Test("those who wait behind a cancelled write get their turns")
    func others() async throws {
        let table = db.table(Item.self)
        let holder = try await engine.begin(.serial)
        var tasks: [Task<Void, any Error>] = []
        for id in 10..<16 {
            tasks.append(Task { _ = try await table.insert(Item(id: id, n: id)) })
            await waiters(id - 9)
        }
        for place in [0, 2, 3, 5] { tasks[place].cancel() }
        holder.rollback()
        for place in [1, 4] { try await tasks[place].value }
        for place in [0, 2, 3, 5] { await #expect(throws: CancellationError.self) { try await tasks[place].value } }
        #expect(try await table.order(by: \.id).all().map(\.id) == [1, 2, 11, 14])
        #expect(engine.turn.waiterCount == 0)
    }

    @Test("a cancelled transaction whose body has ended commits, also if it waits for the lock")
    func commits() async throws {
        let (db, table) = (db, db.table(Item.self))
        let holder = try await engine.begin(.serial)
        let task = Task {
            try await db.transaction(.concurrent(retries: 0)) { _ = try await table.insert(Item(id: 3, n: 3)) }
        }
        await waiters(1)
        task.cancel()
        holder.rollback()
        try await task.value
        #expect(try await table.count() == 3)
    }

    @Test("a write that is cancelled at any time is there as a whole or not at all, as its task tells")
    func anyTime() async throws {
        let table = db.table(Item.self)
        try await withThrowingTaskGroup(of: (id: Int, isStored: Bool).self) { group in
            for number in 0..<200 {
                let id = 100 + 2 * number
                let task = Task { _ = try await table.insert([Item(id: id, n: 0), Item(id: id + 1, n: 0)]) }
                if number.isMultiple(of: 3) { await Task.yield() }
                task.cancel()
                group.addTask {
                    do { try await task.value } catch is CancellationError { return (id, false) }
                    return (id, true)
                }
            }
            for try await (id, isStored) in group {
                let found = try await table.where(\Item.id >= id && \Item.id < id + 2).count()
                #expect(found == (isStored ? 2 : 0))
            }
        }
    }
}
