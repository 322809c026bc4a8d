import SiltstoneTesting
import Synchronization
import Testing

@testable import TableKit

private struct Item: Codable, Equatable {
    let id: Int
    var name: String
}

private struct Refused: Error, Equatable { let number: Int }

/// An engine that counts the work on its threads, and has the default of everything that has one.
private final class CountingEngine: TableEngine {
    private let base = ReferenceEngine()
    private let count = Mutex(0)

    var performed: Int { count.withLock { $0 } }

    func beginRead() throws -> any TableSession { try base.beginRead() }
    func begin(_ mode: TransactionMode) throws -> any TableSession { try base.begin(mode) }
    func begin(_ mode: TransactionMode) async throws -> any TableSession { try await base.begin(mode) }

    func perform<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        count.withLock { $0 += 1 }
        return try await base.perform(work)
    }

    func observe<R>(_ body: (any TableSession) throws -> R) throws -> (R, any TableObservation) {
        try base.observe(body)
    }

    func verify(progress: ((Double) -> Void)?) throws -> [String] { try base.verify(progress: progress) }
}

struct TransactionTests {
    private func database() throws -> Database<ReferenceDatabaseConfiguration> {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        try db.create(Item.self)
        return db
    }

    @Test("gives back what the body gives, and keeps its changes")
    func commits() throws {
        let db = try database()
        let value = try db.transaction {
            try db.table(Item.self).insert(Item(id: 1, name: "a"))
            return 42
        }
        #expect(value == 42)
        #expect(try db.table(Item.self).count() == 1)
    }

    @Test("takes everything back where the body throws, and throws the body's error")
    func rollsBack() throws {
        let db = try database()
        #expect(throws: Refused(number: 1)) {
            try db.transaction {
                try db.table(Item.self).insert(Item(id: 1, name: "a"))
                throw Refused(number: 1)
            }
        }
        #expect(try db.table(Item.self).count() == 0)
    }

    @Test("a nested transaction takes back its own changes alone")
    func nests() throws {
        let db = try database()
        let items = db.table(Item.self)
        try db.transaction {
            try items.insert(Item(id: 1, name: "a"))
            #expect(throws: Refused(number: 2)) {
                try db.transaction {
                    try items.insert(Item(id: 2, name: "b"))
                    throw Refused(number: 2)
                }
            }
            #expect(try items.count() == 1)
            try db.transaction { try items.insert(Item(id: 3, name: "c")) }
        }
        #expect(try items.select(\.id) == [1, 3])
    }

    @Test("changes of the schema are taken back, too")
    func schema() throws {
        let db = try database()
        struct Extra: Codable { let id: Int }
        #expect(throws: Refused(number: 3)) {
            try db.transaction {
                try db.create(Extra.self)
                throw Refused(number: 3)
            }
        }
        #expect(try db.tables().map(\.structure.name) == ["Item"])
    }

    @Test("child tasks belong to the transaction; a nested one of theirs keeps others from changing")
    func childTasks() async throws {
        let db = try database()
        let items = db.table(Item.self)
        try await db.transaction {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 1...8 { group.addTask { try await items.insert(Item(id: id, name: "a")) } }
                try await group.waitForAll()
            }
            #expect(try await items.count() == 8)
        }
        #expect(try await items.count() == 8)
    }

    @Test("a task that outlives the transaction gets an error")
    func outlives() async throws {
        let db = try database()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let late = try await db.transaction {
            Task {
                for await _ in gate { break }
                return try await db.table(Item.self).count()
            }
        }
        open.yield()
        let error = await #expect(throws: CRUDSQLExeError.self) { try await late.value }
        #expect(error?.code == .transaction)
    }

    /// A task with a transaction, nested in the one in which the task begins, that ends after `ended`.
    private func late(
        _ db: Database<ReferenceDatabaseConfiguration>, inserting id: Int, until ended: AsyncStream<Void>
    ) async -> Task<Void, any Error> {
        let (begun, tellBegun) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            defer { tellBegun.finish() }
            try await db.transaction { () async throws -> Void in
                try await db.table(Item.self).insert(Item(id: id, name: "late"))
                tellBegun.finish()
                for await _ in ended {}
            }
        }
        for await _ in begun {}
        return task
    }

    @Test("a nested transaction that is open at the end of the outer one is not stored, and throws")
    func outlivingNested() async throws {
        let db = try database()
        let items = db.table(Item.self)
        let (ended, tellEnded) = AsyncStream.makeStream(of: Void.self)
        let task = try await db.transaction { () async throws -> Task<Void, any Error> in
            try await items.insert(Item(id: 1, name: "a"))
            return await late(db, inserting: 2, until: ended)
        }
        tellEnded.finish()
        let error = await #expect(throws: CRUDSQLExeError.self) { try await task.value }
        #expect(error?.code == .transaction)
        #expect(try await items.select(\.id) == [1])
    }

    @Test("so it is if the outer one is nested itself, which goes on")
    func outlivingMiddle() async throws {
        let db = try database()
        let items = db.table(Item.self)
        let (ended, tellEnded) = AsyncStream.makeStream(of: Void.self)
        let task = try await db.transaction { () async throws -> Task<Void, any Error> in
            let task = try await db.transaction { () async throws -> Task<Void, any Error> in
                try await items.insert(Item(id: 1, name: "a"))
                return await late(db, inserting: 2, until: ended)
            }
            try await items.insert(Item(id: 3, name: "b"))
            tellEnded.finish()
            await #expect(throws: CRUDSQLExeError.self) { try await task.value }
            return task
        }
        await #expect(throws: CRUDSQLExeError.self) { try await task.value }
        #expect(try await items.select(\.id) == [1, 3])
    }

    @Test("a read sees one state and changes nothing")
    func reads() throws {
        let db = try database()
        try db.read {
            let count = try db.table(Item.self).count()
            #expect(count == 0)
            let error = #expect(throws: CRUDSQLExeError.self) {
                try db.table(Item.self).insert(Item(id: 1, name: "a"))
            }
            #expect(error?.code == .transaction)
        }
    }

    @Test("a conflict runs the body again, as often as it was allowed")
    func retries() throws {
        let db = try database()
        var runs = 0
        let value = try db.transaction(.concurrent(retries: 2)) {
            runs += 1
            if runs < 3 { throw CRUDSQLExeError("met another", code: .conflict) }
            return runs
        }
        #expect(value == 3)
        runs = 0
        #expect(throws: CRUDSQLExeError.self) {
            try db.transaction(.concurrent(retries: 1)) {
                runs += 1
                throw CRUDSQLExeError("met another", code: .conflict)
            }
        }
        #expect(runs == 2)
    }

    @Test("an engine runs the work of an open transaction on its threads, unless it says otherwise")
    func defaultThreads() async throws {
        let engine = CountingEngine()
        #expect(try await engine.performInTransaction { 7 } == 7)
        #expect(engine.performed == 1)
        let session = SharedSession(try await engine.begin(.serial))
        await session.rollback(on: engine)
        #expect(engine.performed == 2)
    }
}
