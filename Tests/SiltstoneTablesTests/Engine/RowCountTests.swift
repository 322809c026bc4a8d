import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

private struct Item: Codable, Sendable, Equatable {
    var id: Int
    var n: Int
}

private struct Part: Codable, Sendable {
    var id: Int
    @ForeignKey(Item.self, onDelete: cascade) var item: Int

    init(id: Int, item: Int) {
        self.id = id
        self.item = item
    }
}

private struct Failure: Error {}

/// The counts of whole tables that commits keep up to date. Debug builds compare each of them with a scan.
struct RowCountTests {
    private let db: Database<SiltstoneDatabaseConfiguration>
    private let engine: SiltstoneEngine

    init() throws {
        let configuration = try SiltstoneDatabaseConfiguration(store: try KeyValueStore.inMemory())
        db = Database(configuration: configuration)
        try db.create(Item.self).insert((1...10).map { Item(id: $0, n: $0) })
        engine = try #require(configuration.engine as? SiltstoneEngine)
    }

    /// Whether the count of a table is known without a scan.
    private func isKnown(_ name: String) throws -> Bool {
        let table = try #require(engine.catalogues.newest.tables[name])
        let snapshot = engine.store.snapshot()
        defer { snapshot.release() }
        return engine.rowCounts.count(table.id, at: snapshot.sequence) != nil
    }

    @Test("a count is known from the first one on, and every change of rows changes it")
    func changes() throws {
        let items = db.table(Item.self)
        #expect(try !isKnown("Item"))
        #expect(try items.count() == 10)
        #expect(try isKnown("Item"))
        let changes: [(Int, () throws -> Void)] = [
            (11, { try items.insert(Item(id: 11, n: 0)) }),
            (13, { try items.insert([Item(id: 12, n: 0), Item(id: 13, n: 0)]) }),
            (13, { try items.upsert(Item(id: 13, n: 1)) }), (14, { try items.upsert(Item(id: 14, n: 1)) }),
            (14, { try items.where(\Item.id == 14).update(Item(id: 15, n: 1)) }),
            (14, { try items.update(Item(id: 0, n: 7), setKeys: \.n) }),
            (13, { try items.where(\Item.id == 1).delete() }),
            (10, { try items.where(\Item.id > 11).delete() }), (0, { try items.delete() }),
            (1, { try items.insert(Item(id: 1, n: 1)) }),
        ]
        for (count, change) in changes {
            try change()
            #expect(try isKnown("Item"))
            #expect(try items.count() == count)
        }
    }

    @Test("what is rolled back does not count: statements, savepoints, transactions")
    func rollbacks() throws {
        let items = db.table(Item.self)
        #expect(try items.count() == 10)
        #expect(throws: CRUDSQLExeError.self) { try items.insert([Item(id: 20, n: 0), Item(id: 1, n: 0)]) }
        #expect(try items.count() == 10)
        #expect(throws: Failure.self) {
            try db.transaction {
                try items.insert(Item(id: 21, n: 0))
                #expect(try items.count() == 11)
                throw Failure()
            }
        }
        #expect(try items.count() == 10)
        try db.transaction {
            try items.where(\Item.id == 1).delete()
            do {
                try db.transaction {
                    try items.insert([Item(id: 22, n: 0), Item(id: 23, n: 0)])
                    throw Failure()
                }
            } catch is Failure {}
            #expect(try items.count() == 9)
        }
        #expect(try isKnown("Item"))
        #expect(try items.count() == 9)
    }

    @Test("a cascade changes the count of the other table, and a dropped table is counted anew")
    func otherTables() throws {
        let (items, parts) = (db.table(Item.self), try db.create(Part.self))
        try parts.insert((0..<30).map { Part(id: $0, item: $0 % 10 + 1) })
        #expect(try parts.count() == 30)
        try items.where(\Item.id <= 2).delete()
        #expect(try isKnown("Part"))
        #expect(try parts.count() == 24)
        #expect(try items.count() == 8)
        try db.create(Part.self, policy: .dropTable).insert(Part(id: 1, item: 5))
        #expect(try parts.count() == 1)
    }

    @Test("each snapshot has its own count, and old ones are counted by a scan")
    func snapshots() throws {
        let items = db.table(Item.self)
        let query = Query(try TableStructure.of(Item.self))
        #expect(try items.count() == 10)
        var sessions: [any TableSession] = []
        for id in 100..<300 {
            sessions.append(try engine.beginRead())
            try items.insert(Item(id: id, n: 0))
        }
        for (number, session) in sessions.enumerated() {
            #expect(try session.count(query) == 10 + number)
            session.rollback()
        }
        #expect(try isKnown("Item"))
        #expect(try items.count() == 210)
    }

    @Test("a commit that a first count saw, and that ends during the count, counts once")
    func endDuringCount() {
        let counts = RowCounts()
        let commit: [UInt64: Int] = [1: 1, 2: 1]
        counts.keep(0, of: 2, at: 4) { true }
        #expect(counts.begin(commit))
        counts.keep(10, of: 1, at: 5) {
            counts.end(commit, at: 5)
            return true
        }
        #expect(counts.count(1, at: 5) == 10)
        #expect(counts.count(2, at: 5) == 1)
        #expect(counts.begin(commit))
        counts.end(commit, at: 6)
        #expect(counts.count(1, at: 6) == 11)
        #expect(counts.count(1, at: 5) == 10)
    }

    @Test("counts beside writers are those of their snapshots")
    func concurrency() async throws {
        let (db, items) = (db, db.table(Item.self))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<50 {
                        let id = 1000 * (task + 1) + number
                        if task.isMultiple(of: 2) {
                            _ = try await items.insert([Item(id: id, n: 0), Item(id: -id, n: 0)])
                        } else {
                            try await db.transaction(.concurrent(retries: 1000)) {
                                _ = try await items.insert([Item(id: id, n: 0), Item(id: -id, n: 0)])
                            }
                        }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    var last = 0
                    for _ in 0..<200 {
                        // Rows come in pairs, and none goes. A debug build also compares with a scan.
                        let count = try await items.count()
                        if count < last || count % 2 != 0 { Issue.record("\(count) behind \(last)") }
                        last = count
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await items.count() == 410)
    }
}
