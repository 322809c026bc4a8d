import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

private struct Item: Codable, Sendable, Equatable {
    var id: Int
    var n: Int
}

/// Closing a database.
struct CloseTests {
    private typealias Store = SiltstoneDatabaseConfiguration

    private let configuration: Configuration

    init() {
        var configuration = Configuration()
        configuration.fileSystem = InMemoryFileSystem()
        self.configuration = configuration
    }

    private func open() throws -> Database<Store> {
        Database(configuration: try Store("/a", configuration: configuration))
    }

    private func makeItems() throws -> Database<Store> {
        let db = try open()
        try db.create(Item.self).insert((1...1000).map { Item(id: $0, n: $0) })
        return db
    }

    @Test("after close every statement of the configuration and its copies throws; the store can be opened anew")
    func statements() throws {
        let db = try makeItems()
        let copy = db, table = db.table(Item.self), query = try table.select()
        try db.close()
        try db.close()
        for attempt in [
            { _ = try table.count() }, { _ = try copy.table(Item.self).first() }, { try table.delete() },
            { _ = try db.verify() }, { try db.transaction {} }, { _ = try db.tables() }, { try table.index(\.n) },
        ] as [() throws -> Void] {
            #expect(code(attempt) == .unavailable)
        }
        #expect(Array(query).isEmpty)
        // A store of its own takes the lock of the path: nobody has it any more.
        let store = try KeyValueStore.open(at: "/a", configuration: configuration)
        try store.close()
        #expect(try open().table(Item.self).count() == 1000)
    }

    @Test("another configuration of the path goes on; the last one closes")
    func others() throws {
        let db = try makeItems(), other = try open()
        try db.close()
        try other.table(Item.self).insert(Item(id: 0, n: 0))
        #expect(try other.table(Item.self).count() == 1001)
        #expect(code { _ = try db.table(Item.self).count() } == .unavailable)
        // One that comes behind the closed one, too.
        let third = try open()
        try other.close()
        #expect(try third.table(Item.self).count() == 1001)
        try third.close()
        let store = try KeyValueStore.open(at: "/a", configuration: configuration)
        try store.close()
    }

    @Test("a configuration that goes without being closed leaves its streams the store")
    func gone() async throws {
        try await makeItems().close()
        let rows = try { try open().table(Item.self).rows() }()
        var count = 0
        for try await _ in rows { count += 1 }
        #expect(count == 1000)
    }

    @Test("a transaction that is open when the last configuration closes stores nothing and throws")
    func transaction() throws {
        let db = try makeItems()
        #expect(
            code {
                try db.transaction {
                    try db.table(Item.self).insert(Item(id: 0, n: 0))
                    try db.close()
                    try db.table(Item.self).insert(Item(id: -1, n: 0))
                }
            } == .unavailable)
        let session = try open()
        #expect(
            code {
                try session.transaction {
                    try session.table(Item.self).insert(Item(id: 0, n: 0))
                    try session.close()
                }
            } == .unavailable)
        #expect(try open().table(Item.self).count() == 1000)
    }

    @Test("those who wait for their turn throw, and are not left waiting")
    func waiting() async throws {
        let db = try makeItems()
        let engine = db.engine
        let holder = try await engine.begin(.serial)
        let waiting = (0..<2).map { _ in Task { try await engine.inTransaction { try $0.tables().count } } }
        try await db.close()
        holder.rollback()
        for task in waiting { await #expect(throws: CRUDSQLExeError.self) { try await task.value } }
    }

    @Test("an observation ends with an error of the closed database; a result that is read does, or is whole")
    func readers() async throws {
        let db = try makeItems()
        var rows = try db.table(Item.self).rows().makeAsyncIterator()
        _ = try await rows.next()
        var values = try db.table(Item.self).values().makeAsyncIterator()
        #expect(try await values.next()?.count == 1000)
        try await db.close()
        var count = 1
        do {
            while try await rows.next() != nil { count += 1 }
            #expect(count == 1000)
        } catch let error as any TableError { #expect(error.code == .unavailable) }
        do {
            _ = try await values.next()
            Issue.record("there was another value")
        } catch let error as any TableError { #expect(error.code == .unavailable) }
    }

    @Test("an observation ends when its own database closes, while another configuration has the store open")
    func ownObservations() async throws {
        let db = try makeItems(), other = try open()
        let few = db.table(Item.self).order(by: \.n).limit(3).where(\Item.id > 10)
        var values = try few.values().makeAsyncIterator()
        #expect(try await values.next()?.count == 3)
        var distinct = try few.distinctValues().makeAsyncIterator()
        #expect(try await distinct.next()?.count == 3)
        var counts = try db.observe { try db.table(Item.self).count() }.makeAsyncIterator()
        #expect(try await counts.next() == 1000)
        var others = try other.observe { try other.table(Item.self).count() }.makeAsyncIterator()
        #expect(try await others.next() == 1000)
        try await db.close()
        await #expect { _ = try await values.next() } throws: { ($0 as? any TableError)?.code == .unavailable }
        await #expect { _ = try await distinct.next() } throws: { ($0 as? any TableError)?.code == .unavailable }
        await #expect { _ = try await counts.next() } throws: { ($0 as? any TableError)?.code == .unavailable }
        try await other.table(Item.self).insert(Item(id: 0, n: 0))
        #expect(try await others.next() == 1001)
        try await other.close()
    }

    @Test("a store that was handed over open stays open")
    func handedOver() throws {
        let store = try KeyValueStore.inMemory()
        let db = Database(configuration: try Store(store: store))
        try db.create(Item.self)
        try db.close()
        #expect(try Database(configuration: try Store(store: store)).table(Item.self).count() == 0)
        try store.close()
    }
}
