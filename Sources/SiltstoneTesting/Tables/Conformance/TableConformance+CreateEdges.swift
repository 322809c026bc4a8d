import Foundation
import TableKit

private struct Thing: Codable, Equatable {
    var id: Int
    var name: String?
}

private struct OtherThing: Codable, TableNameProvider {
    static let tableName = "Thing"
    var id: Int
    var size: Int
}

private struct Coded: Codable {
    var id: Int
    var code: String
}

private struct Renamed: Codable {
    enum CodingKeys: String, CodingKey { case id = "number", name }
    var id: Int
    var name: String
}

private struct Word: Codable {
    var id: String
    var name: String?
}

private struct OldParent: Codable, TableNameProvider {
    static let tableName = "Parent"
    var id: Int
    var name: String
    var size: Int
    var children: [OldChild]?
}

private struct OldChild: Codable, TableNameProvider {
    static let tableName = "Child"
    var id: Int
    @ForeignKey(OldParent.self, onDelete: cascade) var parent: Int

    init(id: Int, parent: Int) {
        self.id = id
        self.parent = parent
    }
}

private struct NewParent: Codable, TableNameProvider {
    static let tableName = "Parent"
    var id: Int
    var name: String
    var weight: Int?
    var children: [NewChild]?
}

private struct NewChild: Codable, TableNameProvider {
    static let tableName = "Child"
    var id: Int
    @ForeignKey(NewParent.self, onDelete: cascade) var parent: Int
    var note: String?
}

/// Edge cases of creating tables and indexes.
extension TableConformance {
    static var createEdges: [(promise: String, check: Check)] {
        [
            ("create on a table that exists changes nothing", createAgain),
            ("sub-tables are created, too, unless the policy is shallow", subTables),
            ("the key that create names is the key", namedKey),
            ("a property id that is renamed is no key", renamedID),
            ("NULL in an integer key takes the next number; in another key it throws", nullKeys),
            ("a new column that is not optional throws on a table with rows", newColumn),
            ("reconciling keeps indexes and rows, and reconciles sub-tables", reconcileKeeps),
            ("dropping weighs more than reconciling", dropWins),
            ("a dropped parent's rows act on their children as deleted ones do", dropActs),
            ("the same columns of two tables have an index each", indexesOfTwoTables),
            ("a plain index becomes unique", indexBecomesUnique),
            ("a unique index over duplicates throws; NULLs are no duplicates", uniqueIndex),
        ]
    }

    private static func createAgain(_ db: Database<C>) throws {
        try db.create(Thing.self).insert(Thing(id: 1, name: "a"))
        try db.create(OtherThing.self)
        let columns = try db.tables().first?.structure.columns.map(\.name) ?? []
        try requireEqual(columns, ["id", "name"], "The columns")
        try requireEqual(try db.table(Thing.self).all(), [Thing(id: 1, name: "a")], "The rows")
    }

    private static func subTables(_ db: Database<C>) throws {
        try db.create(TestTable1.self, policy: .shallow)
        try requireEqual(try db.tables().map(\.structure.name), ["test_table_1"], "Shallow")
        try db.create(TestTable1.self)
        try requireEqual(try db.tables().map(\.structure.name).sorted(), ["TestTable2", "test_table_1"], "Not shallow")
    }

    private static func namedKey(_ db: Database<C>) throws {
        let table = try db.create(Coded.self, primaryKey: \.code)
        try table.insert(Coded(id: 1, code: "a"))
        try table.insert(Coded(id: 1, code: "b"))
        try requireError(.unique, "The same code") { try table.insert(Coded(id: 2, code: "a")) }
        try requireEqual(try table.count(), 2, "Counting")
    }

    private static func renamedID(_ db: Database<C>) throws {
        let table = try db.create(Renamed.self)
        try table.insert([Renamed(id: 1, name: "a"), Renamed(id: 1, name: "b")])
        try requireEqual(try table.count(), 2, "Counting")
    }

    private static func nullKeys(_ db: Database<C>) throws {
        let things = try db.create(Thing.self)
        try things.insert(Thing(id: 7, name: "a"))
        try things.insert(Thing(id: 0, name: "b"), ignoreKeys: \.id)
        try requireEqual(try things.order(by: \.id).all().map(\.id), [7, 8], "The numbers")
        let words = try db.create(Word.self)
        try requireError(.notNull, "A key of text") { try words.insert(Word(id: "x", name: "a"), ignoreKeys: \.id) }
    }

    private static func newColumn(_ db: Database<C>) throws {
        try db.create(Thing.self).insert(Thing(id: 1, name: "a"))
        try requireError(.notNull, "Reconciling") { try db.create(OtherThing.self, policy: .reconcileTable) }
        try requireEqual(try db.table(Thing.self).all(), [Thing(id: 1, name: "a")], "The rows after it")
        try db.table(Thing.self).delete()
        try db.create(OtherThing.self, policy: .reconcileTable)
        try db.table(OtherThing.self).insert(OtherThing(id: 1, size: 3))
    }

    private static func reconcileKeeps(_ db: Database<C>) throws {
        try db.create(OldParent.self).insert(OldParent(id: 1, name: "a", size: 2))
        try db.table(OldParent.self).index(unique: true, \.name)
        try db.table(OldChild.self).insert(OldChild(id: 1, parent: 1))
        try db.create(NewParent.self, policy: .reconcileTable)
        let parents = db.table(NewParent.self)
        try requireError(.unique, "The index") { try parents.insert(NewParent(id: 2, name: "a")) }
        let child = try required(try db.table(NewChild.self).first(), "The child")
        try require(child.note == nil && child.parent == 1, "The child is \(child).")
        try parents.delete()
        try requireEqual(try db.table(NewChild.self).count(), 0, "The cascade")
        try requireEqual(
            try db.tables().first { $0.structure.name == "Parent" }?.structure.columns.map(\.name) ?? [],
            ["id", "name", "weight"], "The columns")
    }

    private static func dropWins(_ db: Database<C>) throws {
        try db.create(Thing.self).insert(Thing(id: 1, name: "a"))
        try db.create(Thing.self, policy: [.dropTable, .reconcileTable])
        try requireEqual(try db.table(Thing.self).count(), 0, "Counting")
    }

    private static func dropActs(_ db: Database<C>) throws {
        try db.create(OldParent.self).insert(OldParent(id: 1, name: "a", size: 2))
        try db.table(OldChild.self).insert(OldChild(id: 1, parent: 1))
        try db.create(OldParent.self, policy: [.dropTable, .shallow])
        try requireEqual(try db.table(OldChild.self).count(), 0, "The children after a cascade")
    }

    private static func indexesOfTwoTables(_ db: Database<C>) throws {
        let things = try db.create(Thing.self), words = try db.create(Word.self)
        try things.index(unique: true, \.name)
        try words.index(unique: true, \.name)
        try things.insert(Thing(id: 1, name: "a"))
        try words.insert(Word(id: "1", name: "a"))
        try requireError(.unique, "The first table") { try things.insert(Thing(id: 2, name: "a")) }
        try requireError(.unique, "The second table") { try words.insert(Word(id: "2", name: "a")) }
    }

    private static func indexBecomesUnique(_ db: Database<C>) throws {
        let table = try db.create(Thing.self)
        try table.index(\.name)
        try table.insert(Thing(id: 1, name: "a"))
        try table.index(unique: true, \.name)
        try requireError(.unique, "The same name") { try table.insert(Thing(id: 2, name: "a")) }
        try requireEqual(try db.tables().first?.indexes.count, 1, "Indexes")
    }

    private static func uniqueIndex(_ db: Database<C>) throws {
        let table = try db.create(Thing.self)
        try table.insert([Thing(id: 1, name: "a"), Thing(id: 2, name: "a")])
        try requireError(.unique, "The index") { try table.index(unique: true, \.name) }
        try table.where(\Thing.id == 2).update(Thing(id: 2, name: "b"), setKeys: \.name)
        try table.index(unique: true, \.name)
        try table.insert([Thing(id: 3, name: nil), Thing(id: 4, name: nil)])
        try requireError(.unique, "An update") {
            try table.where(\Thing.id == 2).update(Thing(id: 2, name: "a"), setKeys: \.name)
        }
    }
}
