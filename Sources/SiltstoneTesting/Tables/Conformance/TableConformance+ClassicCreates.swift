import Foundation
import TableKit

private struct Narrow: Codable, TableNameProvider {
    static let tableName = "shape"
    let id: Int
    let name: String
}

private struct Wide: Codable, TableNameProvider {
    static let tableName = "shape"
    let id: Int
    let size: Double?
    let note: String?
}

private struct Owner: Codable {
    @PrimaryKey var number: Int
    var name: String
    var dogs: [Dog]?

    init(number: Int, name: String) {
        self.number = number
        self.name = name
    }
}

private struct Dog: Codable {
    @PrimaryKey var id: UUID
    @ForeignKey(Owner.self, onDelete: cascade, onUpdate: cascade) var owner: Int
    var name: String

    init(owner: Int, name: String) {
        id = UUID()
        self.name = name
        self.owner = owner
    }
}

/// Table creation, from the test suite of Perfect-SQLite.
extension TableConformance {
    static var classicCreates: [(promise: String, check: Check)] {
        [
            ("Create1: a table with its sub-tables and an index is created, filled and selected", create1),
            ("Create2: a select made before a drop reads the new table", create2),
            ("Create3: reconciling adds and drops columns", create3),
            ("Scratch1: property wrappers name keys and references", scratch1),
        ]
    }

    private static func create1(_ db: Database<C>) throws {
        try db.create(TestTable1.self, policy: .dropTable)
        try db.table(TestTable2.self).index(\.parentId)
        let first = db.table(TestTable1.self), second = db.table(TestTable2.self)
        try first.insert(TestTable1(id: 2000, name: "New One", integer: 40))
        try second.insert([
            TestTable2(parentId: 2000, name: "Me", int: 1), TestTable2(parentId: 2000, name: "Other", int: 2),
        ])
        let found = try first.where(\TestTable1.id == 2000).all()
        try requireEqual(found.count, 1, "Selecting by id")
        try requireEqual(found.first?.name, "New One", "The name")
        try requireEqual(found.first?.integer, 40, "The renamed column")
        let dated = try second.where(\TestTable2.date <= Date() && !(\TestTable2.name == "Other")).count()
        try requireEqual(dated, 1, "Counting by date and name")
    }

    private static func create2(_ db: Database<C>) throws {
        try db.create(TestTable1.self, primaryKey: \.id, policy: .dropTable).index(\.name)
        try db.table(TestTable1.self).insert(TestTable1(id: 1, name: "old"))
        let select = try db.table(TestTable1.self).select()
        try requireEqual(select.map(\.name), ["old"], "The first iteration")
        try db.create(TestTable1.self, policy: .dropTable)
        try requireEqual(select.map(\.id), [], "The iteration after the drop")
        try db.table(TestTable1.self).insert(TestTable1(id: 2, name: "new"))
        try requireEqual(select.map(\.name), ["new"], "The iteration after the insert")
    }

    private static func create3(_ db: Database<C>) throws {
        try db.create(Narrow.self, policy: .shallow).insert(Narrow(id: 1, name: "a"))
        let wide = try db.create(Wide.self, policy: [.reconcileTable, .shallow])
        let old = try required(try wide.first(), "The old row")
        try require(old.id == 1 && old.size == nil && old.note == nil, "The old row is \(old).")
        try wide.insert(Wide(id: 2, size: 2, note: "b"))
        try requireEqual(try wide.where(\Wide.size == 2.0).all().map(\.note), ["b"], "Selecting by a new column")
        try requireError(.noColumn, "A column that is gone") {
            _ = try db.table(Narrow.self).where(\Narrow.name == "a").count()
        }
    }

    private static func scratch1(_ db: Database<C>) throws {
        try db.create(Owner.self, policy: .dropTable)
        let owners = db.table(Owner.self), dogs = db.table(Dog.self)
        try owners.insert([Owner(number: 1, name: "a"), Owner(number: 2, name: "b")])
        try dogs.insert(Dog(owner: 1, name: "c"))
        let joined = try owners.order(by: \.number).join(\.dogs, on: \.number, equals: \.owner).all()
        try requireEqual(joined.map { $0.dogs?.count ?? -1 }, [1, 0], "The join")
        try requireError(.unique, "A second row of the key") { try owners.insert(Owner(number: 1, name: "d")) }
        try owners.where(\Owner.number == 1).delete()
        try requireEqual(try dogs.count(), 0, "The cascade")
    }
}
