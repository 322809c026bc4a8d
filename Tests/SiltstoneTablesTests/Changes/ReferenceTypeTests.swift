import Foundation
import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

private struct Owner: Codable {
    var id: UUID
}

private struct OldPet: Codable, TableNameProvider {
    static let tableName = "Pet"
    var id: Int
}

private struct Pet: Codable {
    var id: Int
    @ForeignKey(Owner.self, onDelete: cascade) var owner: String?
}

private enum ByNumber {
    struct Parent: Codable {
        var id: Int
    }
    struct Child: Codable {
        var id: Int
        @ForeignKey(Parent.self, onDelete: cascade) var parent: Int? = nil
    }
}

private enum ByUUID {
    struct Parent: Codable {
        var id: UUID
    }
    struct Child: Codable {
        var id: Int
        @ForeignKey(Parent.self, onDelete: cascade) var parent: UUID? = nil
    }
}

/// Foreign keys between columns of two types.
struct ReferenceTypeTests {
    private static func parents(_ type: ColumnType) -> TableStructure {
        TableStructure(name: "parents", columns: [Column("id", type)], primaryKey: [0])
    }

    private static func reference(
        _ type: ColumnType, _ onDelete: ForeignKeyAction = .ignore, _ onUpdate: ForeignKeyAction = .ignore,
        default value: ColumnValue? = nil
    ) -> Column {
        Column(
            "parent", type, isOptional: true, defaultValue: value,
            foreignKey: ForeignKeyReference(table: "parents", onDelete: onDelete, onUpdate: onUpdate))
    }

    private static func children(_ reference: Column) -> TableStructure {
        TableStructure(name: "children", columns: [Column("id", .int64), reference], primaryKey: [0])
    }

    private static func equals(_ value: ColumnValue) -> TableKit.Predicate {
        .compare(ColumnReference(column: 0), .equal, value)
    }

    // MARK: New references

    @Test(
        "a reference to a key of another type is refused, in whatever order it comes about",
        arguments: [
            (ColumnType.string, ColumnType.uuid), (.bytes, .uuid), (.string, .date), (.double, .date),
            (.double, .int64), (.int64, .double), (.float, .double), (.bool, .int64), (.int64, .string),
        ])
    func refused(type: ColumnType, key: ColumnType) throws {
        let (parents, children) = (Self.parents(key), Self.children(Self.reference(type)))
        let plain = TableStructure(name: "children", columns: [Column("id", .int64)], primaryKey: [0])
        let (_, engine) = try makeEngine()
        let orders: [(before: [SchemaChange], refused: SchemaChange)] = [
            ([.createTable(parents)], .createTable(children)),
            ([.createTable(children)], .createTable(parents)),
            ([.createTable(parents), .createTable(plain)], .addColumn(table: "children", Self.reference(type))),
            (
                [
                    .createTable(TableStructure(name: "others", columns: parents.columns, primaryKey: [0])),
                    .createTable(children),
                ], .renameTable("others", to: "parents")
            ),
            (
                [],
                .createTable(
                    TableStructure(
                        name: "parents", columns: [Column("id", key), Self.reference(type)], primaryKey: [0]))
            ),
        ]
        for order in orders {
            let session = try engine.begin(.serial)
            for change in order.before { try session.alter(change) }
            let tables = try session.tables().map(\.structure.name)
            #expect(code { try session.alter(order.refused) } == .type, "\(order.refused)")
            #expect(try session.tables().map(\.structure.name) == tables)
            session.rollback()
        }
    }

    @Test("reconciling a table refuses a reference to a key of another type, and adds no column")
    func reconciled() throws {
        let db = Database(configuration: try SiltstoneDatabaseConfiguration(store: try KeyValueStore.inMemory()))
        try db.create(Owner.self)
        try db.create(OldPet.self).insert(OldPet(id: 1))
        #expect(code { try db.create(Pet.self, policy: .reconcileTable) } == .type)
        #expect(try db.tables().first { $0.structure.name == "Pet" }?.structure.columns.map(\.name) == ["id"])
    }

    @Test("a table is created anew with a key of another type before the tables that refer to it, but not after them")
    func recreated() throws {
        let db = Database(configuration: try SiltstoneDatabaseConfiguration(store: try KeyValueStore.inMemory()))
        try db.create(ByNumber.Parent.self).insert(ByNumber.Parent(id: 1))
        let old = try db.create(ByNumber.Child.self)
        try old.insert([ByNumber.Child(id: 1, parent: 1), ByNumber.Child(id: 2, parent: nil)])
        #expect(code { try db.create(ByUUID.Child.self, policy: .dropTable) } == .type)
        #expect(try old.count() == 2)

        let parents = try db.create(ByUUID.Parent.self, policy: .dropTable)
        #expect(try old.count() == 1)
        #expect(code { try old.insert(ByNumber.Child(id: 3, parent: 1)) } == .foreignKey)
        let children = try db.create(ByUUID.Child.self, policy: .dropTable)
        let parent = ByUUID.Parent(id: UUID())
        try parents.insert(parent)
        try children.insert(ByUUID.Child(id: 1, parent: parent.id))
        try parents.delete()
        #expect(try children.count() == 0)
        #expect(try db.verify() == [])
    }

    @Test("a refusal names the table that is in the way")
    func advice() throws {
        let (_, engine) = try makeEngine()
        let (parents, children) = (Self.parents(.uuid), Self.children(Self.reference(.int64)))
        try engine.change { try $0.alter(.createTable(children)) }
        let error = #expect(throws: CRUDSQLExeError.self) { try engine.change { try $0.alter(.createTable(parents)) } }
        #expect(error?.message.contains("Drop children first") == true)
        try engine.change { session in
            try session.alter(.dropTable("children"))
            try session.alter(.createTable(parents))
        }
    }

    @Test(
        "integers refer to integers of any width, and every type to itself",
        arguments: [
            (ColumnType.int8, ColumnType.int64), (.int64, .int8), (.uint64, .int16), (.uuid, .uuid), (.float, .float),
            (.string, .string), (.date, .date),
        ])
    func accepted(type: ColumnType, key: ColumnType) throws {
        let (parents, children) = (Self.parents(key), Self.children(Self.reference(type, .cascade)))
        var values = RandomValues(seed: 3)
        let value = type.isInteger ? .integer(7) : values.value(type, nulls: false)
        let (_, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(children))
            try session.alter(.createTable(parents))
            try session.insert(parents, [[value]])
            try session.insert(children, [[.integer(1), value]])
            #expect(try session.delete(DeleteStatement(parents)).count == 1)
            #expect(try session.all(children).isEmpty)
        }
    }

    // MARK: References of older stores

    /// An engine on a store of an earlier release, which accepted a reference to a key of any type.
    private func olderEngine(_ parents: TableStructure, _ children: TableStructure) throws -> SiltstoneEngine {
        let (store, engine) = try makeEngine()
        var plain = children.columns[1]
        plain.foreignKey = nil
        try engine.change { session in
            try session.alter(.createTable(parents))
            try session.alter(.createTable(Self.children(plain)))
            try session.alter(.createIndex(IndexDefinition(table: "children", columns: ["parent"])))
        }
        var definition = try Catalogue.load(from: store, known: nil).table("children").definition
        definition.columns[1].column.foreignKey = children.columns[1].foreignKey
        try store.put(KeySpace.description(definition.id), definition.encoded())
        return try SiltstoneEngine(store, nil, durability: nil)
    }

    @Test(
        "in an older store each action finds the texts that refer to a UUID, however they write it",
        arguments: [ForeignKeyAction.ignore, .restrict, .setNull, .setDefault, .cascade])
    func textsOfUUIDs(action: ForeignKeyAction) throws {
        let (a, b) = (UUID(), UUID())
        let parents = Self.parents(.uuid)
        let children = Self.children(Self.reference(.string, action, default: .text(b.uuidString)))
        let engine = try olderEngine(parents, children)
        let rows: [[ColumnValue]] = [
            [.integer(1), .text(a.uuidString)], [.integer(2), .text(a.uuidString.lowercased())],
            [.integer(3), .text(b.uuidString)],
        ]
        func change(_ body: (any TableSession) throws -> Void) throws { try engine.change(body) }
        try change { session in
            try session.insert(parents, [[.uuid(a)], [.uuid(b)]])
            try session.insert(children, rows)
        }
        for stray in ["none", UUID().uuidString] {
            #expect(code { try change { try $0.insert(children, [[.integer(4), .text(stray)]]) } } == .foreignKey)
        }
        let failure = code {
            try change { _ = try $0.delete(DeleteStatement(parents, predicate: Self.equals(.uuid(a)))) }
        }
        var left: [[ColumnValue]] = []
        try change { left = try $0.all(children) }
        switch action {
        case .ignore, .restrict: #expect(failure == .foreignKey && left == rows)
        case .setNull: #expect(failure == nil && left.map { $0[1] } == [.null, .null, .text(b.uuidString)])
        case .setDefault: #expect(failure == nil && left.allSatisfy { $0[1] == .text(b.uuidString) })
        case .cascade: #expect(failure == nil && left == [rows[2]])
        }
        // Rows already have the default that goes, so none of them changes.
        if action == .setDefault {
            #expect(code { try change { _ = try $0.delete(DeleteStatement(parents)) } } == .foreignKey)
        }
        #expect(try engine.verify(progress: nil) == [])
    }

    /// A number that refers to a key of another type of numbers.
    struct Numbers: Sendable {
        let type: ColumnType
        let keyType: ColumnType
        let value: ColumnValue
        /// The key that the value converts to.
        let key: ColumnValue
        /// Another key.
        let other: ColumnValue

        static let all = [
            Numbers(
                type: .double, keyType: .int64, value: .real(0x1p53), key: .integer(1 << 53),
                other: .integer(1 << 53 + 1)),
            Numbers(
                type: .float, keyType: .int64, value: .real(0x1p24), key: .integer(1 << 24),
                other: .integer(1 << 24 + 1)),
            Numbers(
                type: .float, keyType: .double, value: .real(Double(Float(0.1))), key: .real(Double(Float(0.1))),
                other: .real(0.1)),
            Numbers(
                type: .double, keyType: .float, value: .real(0.1), key: .real(Double(Float(0.1))), other: .real(0.5)),
            Numbers(
                type: .int64, keyType: .double, value: .integer(1 << 53 + 1), key: .real(0x1p53),
                other: .real(0x1p53 + 2)),
        ]
    }

    @Test(
        "in an older store a number refers to the key that it converts to, and to no other that rounds to it",
        arguments: Numbers.all)
    func rounded(numbers: Numbers) throws {
        let (parents, children) = (Self.parents(numbers.keyType), Self.children(Self.reference(numbers.type, .cascade)))
        let engine = try olderEngine(parents, children)
        func delete(_ key: ColumnValue) throws -> (deleted: Int, left: Int) {
            try engine.change { session in
                let statement = DeleteStatement(parents, predicate: Self.equals(key))
                return (try session.delete(statement).count, try session.all(children).count)
            }
        }
        try engine.change { session in
            try session.insert(parents, [[numbers.key], [numbers.other]])
            try session.insert(children, [[.integer(1), numbers.value]])
        }
        #expect(try delete(numbers.other) == (1, 1))
        #expect(try engine.verify(progress: nil) == [])
        #expect(try delete(numbers.key) == (1, 0))
    }

    @Test("in an older store a key does not change to one that the column referring to it cannot hold")
    func changedKeys() throws {
        let (parents, children) = (Self.parents(.int64), Self.children(Self.reference(.double, .ignore, .cascade)))
        let engine = try olderEngine(parents, children)
        func change(_ session: any TableSession, to key: Int64) throws {
            let row = try parents.rows([[.integer(key)]])
            _ = try session.update(
                UpdateStatement(parents, columns: [0], row: row, predicate: Self.equals(.integer(3))))
        }
        try engine.change { session in
            // The column would round to the key of the other row.
            try session.insert(parents, [[.integer(3)], [.integer(1 << 53)]])
            try session.insert(children, [[.integer(1), .real(3)]])
            #expect(code { try change(session, to: 1 << 53 + 1) } == .type)
            #expect(try session.all(parents) == [[.integer(3)], [.integer(1 << 53)]])
            try change(session, to: 4)
            #expect(try session.all(children) == [[.integer(1), .real(4)]])
        }
        #expect(try engine.verify(progress: nil) == [])
    }
}
