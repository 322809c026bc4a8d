#if PostgreSQL || MySQL || SQLite
import TableKit
import Testing

/// Schema changes of a program whose cached catalogue another program has made stale.
struct StaleCatalogueTests {
    private struct Item: Codable {
        var id: Int
        var name: String
    }

    private struct Short: Codable, TableNameProvider {
        static let tableName = "Shape"
        var id: Int
        var name: String?
    }

    private struct Long: Codable, TableNameProvider {
        static let tableName = "Shape"
        var id: Int
        var name: String?
        var size: Int?
    }

    private func onBoth(
        _ server: MoveTarget, _ body: @escaping @Sendable (any SchemaProgram, any SchemaProgram) throws -> Void
    ) async throws {
        try await onThread {
            let (first, second) = try server.twoPrograms()
            try body(first, second)
            for program in [first, second] { try program.end() }
        }
    }

    @Test("a table that another program has made exists", arguments: MoveTarget.available)
    func made(server: MoveTarget) async throws {
        try await onBoth(server) { first, second in
            try second.create(Item.self)
            try second.index(\Item.name, isUnique: false)
            try first.create(Item.self)
            try first.index(\Item.name, isUnique: false)
            try first.insert([Item(id: 1, name: "a")])
            #expect(try second.count(Item.self) == 1)
        }
    }

    @Test("an index that another program has made exists, and becomes unique", arguments: MoveTarget.available)
    func indexed(server: MoveTarget) async throws {
        try await onBoth(server) { first, second in
            try first.create(Item.self)
            for program in [first, second] { _ = try program.count(Item.self) }
            try second.index(\Item.name, isUnique: false)
            try first.index(\Item.name, isUnique: false)
            try second.index(\Item.name, isUnique: true)
            try first.index(\Item.name, isUnique: true)
            #expect(try first.infos().flatMap(\.indexes).map(\.definition.isUnique) == [true])
        }
    }

    @Test("a table that another program has dropped is made again", arguments: MoveTarget.available)
    func dropped(server: MoveTarget) async throws {
        try await onBoth(server) { first, second in
            try first.create(Item.self)
            try first.insert([Item(id: 1, name: "a")])
            try second.drop(Item.self)
            try first.create(Item.self)
            try first.insert([Item(id: 1, name: "b")])
            try second.drop(Item.self)
            // Nothing is left to drop.
            try first.drop(Item.self)
            try second.create(Item.self)
            try first.drop(Item.self)
            #expect(try second.columns(Item.self).isEmpty)
            try second.create(Item.self)
            try first.create(Item.self, policy: .dropTable)
            #expect(try second.count(Item.self) == 0)
        }
    }

    @Test("columns that another program has added or dropped stay so", arguments: MoveTarget.available)
    func reconciled(server: MoveTarget) async throws {
        try await onBoth(server) { first, second in
            try first.create(Short.self)
            _ = try second.count(Short.self)
            try second.create(Long.self, policy: .reconcileTable)
            try first.create(Long.self, policy: .reconcileTable)
            #expect(try first.columns(Long.self) == ["id", "name", "size"])
            try first.insert([Long(id: 1, name: "a", size: 1)])
            try second.create(Short.self, policy: .reconcileTable)
            try first.create(Short.self, policy: .reconcileTable)
            #expect(try first.columns(Short.self) == ["id", "name"])
            try first.insert([Short(id: 2, name: "b")])
            #expect(try second.count(Short.self) == 2)
        }
    }

    @Test("SQL statements see the tables of other programs", arguments: MoveTarget.available)
    func statements(server: MoveTarget) async throws {
        try await onBoth(server) { first, second in
            try second.create(Item.self)
            try second.index(\Item.name, isUnique: false)
            try first.run("CREATE TABLE IF NOT EXISTS Item (id INT PRIMARY KEY, name TEXT NOT NULL)")
            try first.run("CREATE INDEX IF NOT EXISTS index_Item_name ON Item (name)")
            try second.drop(Item.self)
            try first.run("DROP TABLE IF EXISTS Item")
            try first.run("CREATE TABLE IF NOT EXISTS Item (id INT PRIMARY KEY, name TEXT NOT NULL)")
            try second.insert([Item(id: 1, name: "a")])
        }
    }

    @Test("statements of a transaction see the tables of other programs", arguments: MoveTarget.available)
    func transactions(server: MoveTarget) async throws {
        try await onBoth(server) { first, second in
            try second.create(Item.self)
            try first.transact {
                try first.create(Item.self)
                try first.insert([Item(id: 1, name: "a")])
            }
            try second.drop(Item.self)
            try first.transact { try first.create(Item.self) }
            try first.transact { try first.insert([Item(id: 1, name: "a")]) }
            #expect(try second.count(Item.self) == 1)
        }
    }

    @Test("a migration that another program has made is not made again", arguments: MoveTarget.available)
    func migrated(server: MoveTarget) async throws {
        try await onBoth(server) { first, second in
            let row = Item(id: 1, name: "a")
            let made = [try second.migrate(row), try first.migrate(row)]
            #expect(made == [["first"], []])
            #expect(try first.count(Item.self) == 1)
        }
    }

    @Test("what really exists is an error", arguments: MoveTarget.available)
    func existing(server: MoveTarget) async throws {
        try await onBoth(server) { first, second in
            try first.create(Item.self)
            let structure = try #require(first.infos().first { $0.structure.name == "Item" }?.structure)
            let table = try #require(throws: CRUDSQLExeError.self) { try second.change(.createTable(structure)) }
            #expect(table.code == .exists)
            try first.change(.createIndex(IndexDefinition(table: "Item", columns: ["name"], name: "same")))
            let index = try #require(throws: CRUDSQLExeError.self) {
                try second.change(.createIndex(IndexDefinition(table: "Item", columns: ["id", "name"], name: "same")))
            }
            #expect(index.code == .exists)
        }
    }
}
#endif
