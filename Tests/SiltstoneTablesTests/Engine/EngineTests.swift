import Dispatch
import Siltstone
import SiltstoneTesting
import TableKit
import Testing

@testable import SiltstoneTables

/// Sessions, turns and observations.
struct EngineTests {
    private static let table = TableStructure(
        name: "t", columns: [Column("id", .int64), Column("n", .int64)], primaryKey: [0])

    private func makeTable() throws -> any TableEngine {
        let (_, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.table))
            try session.insert(Self.table, (1...10).map { [.integer($0), .integer(0)] })
        }
        return engine
    }

    private func match(_ id: Int64) -> TableKit.Predicate {
        .compare(ColumnReference(column: 0), .equal, .integer(id))
    }

    /// Adds 1 to a row by reading and writing it.
    private static func increment(_ session: any TableSession, _ id: Int64) throws {
        let row = try session.all(
            table, where: .compare(ColumnReference(column: 0), .equal, .integer(id)))
        guard case .integer(let number) = row[0][1] else { return }
        let new = try table.rows([[.integer(id), .integer(number + 1)]])
        _ = try session.update(
            UpdateStatement(
                table, columns: [1], row: new,
                predicate: .compare(ColumnReference(column: 0), .equal, .integer(id))))
    }

    @Test("configurations of one path share a store and an engine; the last one that goes closes it")
    func sharedPath() throws {
        var configuration = Configuration()
        configuration.fileSystem = InMemoryFileSystem()
        do {
            let a = try SiltstoneDatabaseConfiguration("/a", configuration: configuration)
            let b = try SiltstoneDatabaseConfiguration("/a", configuration: configuration)
            #expect(a.engine === b.engine)
            try a.engine.change { try $0.alter(.createTable(Self.table)) }
        }
        let again = try SiltstoneDatabaseConfiguration("/a", configuration: configuration)
        let session = try again.engine.beginRead()
        #expect(try session.table(named: "t") != nil)
        #expect(code { _ = try SiltstoneDatabaseConfiguration(name: nil) } == .argument)
        session.rollback()
    }

    @Test("serial transactions of tasks and threads take turns: no change is lost, and none conflicts")
    func turns() async throws {
        let engine = try makeTable()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask {
                    for _ in 0..<30 {
                        if task % 2 == 0 {
                            try await engine.perform { try engine.change { try Self.increment($0, 1) } }
                        } else {
                            let session = try await engine.begin(.serial)
                            do { try Self.increment(session, 1) } catch {
                                session.rollback()
                                throw error
                            }
                            try await session.commit()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let session = try engine.beginRead()
        #expect(try session.all(Self.table, where: match(1)) == [[.integer(1), .integer(180)]])
        session.rollback()
    }

    @Test("of two concurrent transactions that read what the other writes one conflicts")
    func conflicts() throws {
        let engine = try makeTable()
        let a = try engine.begin(.concurrent(retries: 0)), b = try engine.begin(.concurrent(retries: 0))
        try Self.increment(a, 1)
        try Self.increment(b, 1)
        try a.commit()
        #expect(code { try b.commit() } == .conflict)
        let c = try engine.begin(.concurrent(retries: 0)), d = try engine.begin(.concurrent(retries: 0))
        try Self.increment(c, 2)
        try Self.increment(d, 3)
        try c.commit()
        try d.commit()
    }

    @Test("a session that was dropped gives its turn back, and one that has ended throws")
    func ends() throws {
        let engine = try makeTable()
        do {
            let session = try engine.begin(.serial)
            try Self.increment(session, 1)
        }
        let session = try engine.begin(.serial)
        #expect(try session.all(Self.table, where: match(1)) == [[.integer(1), .integer(0)]])
        try session.commit()
        #expect(code { try session.commit() } == .transaction)
        session.rollback()
        let reading = try engine.beginRead()
        #expect(code { try reading.insert(Self.table, [[.integer(99), .integer(0)]]) } == .transaction)
        reading.rollback()
    }

    @Test("tasks that change synchronously and tasks that suspend for their turn do not block each other for ever")
    func mixedTasks() async throws {
        let engine = try makeTable()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<32 {
                group.addTask {
                    for number in 0..<20 {
                        let id = Int64(1000 + task * 100 + number)
                        let row: [ColumnValue] = [.integer(id), .integer(0)]
                        if task % 2 == 0 {
                            try engine.change { _ = try $0.insert(Self.table, [row]) }
                        } else {
                            try await engine.inTransaction { _ = try $0.insert(Self.table, [row]) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let session = try engine.beginRead()
        let count = try session.count(Query(Self.table))
        session.rollback()
        #expect(count >= 640)
    }

    @Test("what a task does with the transaction lock runs on the engine's queue, which waiting threads cannot use up")
    func turnQueue() async throws {
        let configuration = try SiltstoneDatabaseConfiguration(store: try KeyValueStore.inMemory())
        let db = Database(configuration: configuration)
        let engine = try #require(configuration.engine as? SiltstoneEngine)
        let key = DispatchSpecificKey<Bool>()
        engine.turnQueue.setSpecific(key: key, value: true)
        func isOnQueue() async throws -> Bool {
            try await engine.perform { DispatchQueue.getSpecific(key: key) ?? false }
        }
        let whole = try await engine.inTransaction { _ in DispatchQueue.getSpecific(key: key) ?? false }
        let serial = try await db.transaction { try await isOnQueue() }
        let nested = try await db.transaction { try await db.transaction { try await isOnQueue() } }
        #expect(whole && serial && nested)
        // These do not hold the lock.
        let concurrent = try await db.transaction(.concurrent(retries: 0)) { try await isOnQueue() }
        let outside = try await isOnQueue()
        #expect(!concurrent && !outside)
    }

    @Test("a task's transaction that begins with a delete after the opening does not give numbers up")
    func numbersAfterDelete() async throws {
        let engine = try makeTable()
        let store = try #require(engine as? SiltstoneEngine).store
        for mode in [TransactionMode.serial, .concurrent(retries: 0)] {
            let other = try SiltstoneEngine(store, nil, durability: nil)
            let session = try await other.begin(mode)
            _ = try session.delete(DeleteStatement(Self.table, predicate: match(mode == .serial ? 10 : 9)))
            try await session.commit()
        }
        let last = try SiltstoneEngine(store, nil, durability: nil)
        #expect(try last.change { try $0.insert(Self.table, [[.null, .integer(0)]]) }.lastInsertID == 11)
    }

    @Test("an observation tells of a commit that changes what was read, also a row that was not there, and of no other")
    func observation() async throws {
        let engine = try makeTable()
        func observe(_ id: Int64) throws -> any TableObservation {
            try engine.observe { try $0.all(Self.table, where: match(id)) }.1
        }
        let one = try observe(1), missing = try observe(50), other = try observe(2)
        try engine.change { try Self.increment($0, 1) }
        try await one.change()
        try engine.change { _ = try $0.insert(Self.table, [[.integer(50), .integer(0)]]) }
        try await missing.change()
        let waiting = Task { try await other.change() }
        other.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("no change between the state that was read and the observation is lost")
    func observationBegins() async throws {
        let engine = try makeTable()
        let writer = Task.detached {
            for _ in 0..<200 { try engine.change { try Self.increment($0, 1) } }
        }
        var value: [[ColumnValue]] = []
        while value != [[.integer(1), .integer(200)]] {
            let (read, observation) = try engine.observe { try $0.all(Self.table, where: match(1)) }
            value = read
            if value != [[.integer(1), .integer(200)]] { try await observation.change() }
            observation.cancel()
        }
        try await writer.value
    }

    @Test("find gives the row of a key, and nil for one that no row can have")
    func find() throws {
        let engine = try makeTable()
        let session = try engine.beginRead()
        defer { session.rollback() }
        func number(_ key: ColumnValue) throws -> ColumnValue? {
            try session.find(Self.table, key: [key]) { row, shape in
                var rows = RowBuffer()
                rows.append(row)
                return try rows.values(shape)[0][0]
            }
        }
        #expect(try number(.integer(3)) == .integer(3))
        #expect(try number(.integer(30)) == nil)
        #expect(try number(.text("x")) == nil)
        #expect(try number(.null) == nil)
    }
}
