import Foundation
import TableKit

private struct Parent: Codable {
    var id: Int
}

private struct Plain: Codable, Equatable {
    var id: Int
    @ForeignKey(Parent.self, onDelete: ignore, onUpdate: ignore) var parent: Int

    init(id: Int, parent: Int) {
        self.id = id
        self.parent = parent
    }
}

// A type for each policy, since property wrappers take policies as arguments.
private struct Restricted: Codable {
    var id: Int
    @ForeignKey(Parent.self, onDelete: restrict, onUpdate: restrict) var parent: Int

    init(id: Int, parent: Int) {
        self.id = id
        self.parent = parent
    }
}

private struct Nulled: Codable, Equatable {
    var id: Int
    @ForeignKey(Parent.self, onDelete: setNull, onUpdate: setNull) var parent: Int?

    init(id: Int, parent: Int?) {
        self.id = id
        self.parent = parent
    }
}

private struct Cascaded: Codable {
    var id: Int
    @ForeignKey(Parent.self, onDelete: cascade, onUpdate: cascade) var parent: Int

    init(id: Int, parent: Int) {
        self.id = id
        self.parent = parent
    }
}

private struct Defaulted: Codable {
    var id: Int
    var parent: Int
}

private struct Second: Codable {
    var id: Int
    @ForeignKey(Cascaded.self, onDelete: cascade) var first: Int

    init(id: Int, first: Int) {
        self.id = id
        self.first = first
    }
}

private struct Node: Codable {
    var id: Int
    @ForeignKey(Node.self, onDelete: cascade) var up: Int?

    init(id: Int, up: Int?) {
        self.id = id
        self.up = up
    }
}

private struct Grown: Codable {
    var id: Int
}

/// Edge cases of foreign keys.
extension TableConformance {
    static var keyEdges: [(promise: String, check: Check)] {
        [
            ("a foreign key that refers to nothing throws, and changes nothing", danglingKey),
            ("NULL refers to nothing", nullReference),
            ("ignore refuses, as NO ACTION does", ignoreRefuses),
            ("restrict refuses", restrictRefuses),
            ("setNull sets NULL", setNullActs),
            ("setDefault sets the default, which must refer to a row", setDefaultActs),
            ("cascade deletes, over several tables", cascadeDeletes),
            ("a changed key is changed in rows that refer to it", cascadeUpdates),
            ("a table that refers to itself is deleted from the top", selfReference),
            ("an insert may refer to a row of the same insert", referenceWithinInsert),
            ("a refused delete changes nothing, also not in other tables", refusedDelete),
            ("a new column whose default refers to nothing throws if there are rows, and is not added", newReference),
        ]
    }

    private static func parents(_ db: Database<C>, _ ids: Int...) throws -> Table<Parent, Database<C>> {
        let table = try db.create(Parent.self)
        try table.insert(ids.map { Parent(id: $0) })
        return table
    }

    private static func danglingKey(_ db: Database<C>) throws {
        _ = try parents(db, 1)
        let table = try db.create(Plain.self)
        try requireError(.foreignKey, "The insert") {
            try table.insert([Plain(id: 1, parent: 1), Plain(id: 2, parent: 9)])
        }
        try requireEqual(try table.count(), 0, "Counting")
        try table.insert(Plain(id: 1, parent: 1))
        try requireError(.foreignKey, "The update") { try table.update(Plain(id: 1, parent: 9), setKeys: \.parent) }
        try requireEqual(try table.all().map(\.parent), [1], "The reference")
    }

    private static func nullReference(_ db: Database<C>) throws {
        _ = try parents(db, 1)
        let table = try db.create(Nulled.self)
        try table.insert([Nulled(id: 1, parent: nil), Nulled(id: 2, parent: 1)])
        try requireEqual(try table.order(by: \.id).all().map(\.parent), [nil, 1], "The references")
    }

    private static func ignoreRefuses(_ db: Database<C>) throws {
        let parents = try parents(db, 1, 2)
        try db.create(Plain.self).insert(Plain(id: 1, parent: 1))
        try requireError(.foreignKey, "The delete") { try parents.where(\Parent.id == 1).delete() }
        try requireError(.foreignKey, "The change of the key") {
            try parents.where(\Parent.id == 1).update(Parent(id: 7))
        }
        try parents.where(\Parent.id == 2).delete()
        try requireEqual(try parents.all().map(\.id), [1], "What is left")
    }

    private static func restrictRefuses(_ db: Database<C>) throws {
        let parents = try parents(db, 1, 2)
        try db.create(Restricted.self).insert(Restricted(id: 1, parent: 1))
        try requireError(.foreignKey, "The delete") { try parents.delete() }
        try requireError(.foreignKey, "The change of the key") {
            try parents.where(\Parent.id == 1).update(Parent(id: 7))
        }
        try requireEqual(try parents.count(), 2, "Counting")
    }

    private static func setNullActs(_ db: Database<C>) throws {
        let parents = try parents(db, 1, 2)
        let table = try db.create(Nulled.self)
        try table.insert((1...4).map { Nulled(id: $0, parent: $0 % 2 + 1) })
        try parents.where(\Parent.id == 1).delete()
        try requireEqual(try table.order(by: \.id).all().map(\.parent), [2, nil, 2, nil], "After a delete")
        try parents.where(\Parent.id == 2).update(Parent(id: 3))
        try requireEqual(try table.where(\Nulled.parent == nil).count(), 4, "After a change of the key")
    }

    private static func setDefaultActs(_ db: Database<C>) throws {
        let parents = try parents(db, 1, 2)
        try db.sql(
            """
            CREATE TABLE Defaulted (id INT PRIMARY KEY, parent INT NOT NULL DEFAULT 2 REFERENCES Parent(id)
                ON DELETE SET DEFAULT)
            """)
        let table = db.table(Defaulted.self)
        try table.insert(Defaulted(id: 1, parent: 1))
        try parents.where(\Parent.id == 1).delete()
        try requireEqual(try table.all().map(\.parent), [2], "The default")
        try requireError(.foreignKey, "Deleting the default") { try parents.where(\Parent.id == 2).delete() }
        try requireEqual(try parents.count(), 1, "Counting")
    }

    private static func cascadeDeletes(_ db: Database<C>) throws {
        let parents = try parents(db, 1, 2)
        let first = try db.create(Cascaded.self), second = try db.create(Second.self)
        try first.insert((1...4).map { Cascaded(id: $0, parent: $0 % 2 + 1) })
        try second.insert((1...8).map { Second(id: $0, first: ($0 + 1) / 2) })
        try parents.where(\Parent.id == 1).delete()
        try requireEqual(try first.order(by: \.id).all().map(\.id), [1, 3], "The children")
        try requireEqual(try second.order(by: \.id).all().map(\.id), [1, 2, 5, 6], "The grandchildren")
        try requireEqual(try db.verify(), [], "Verifying")
    }

    private static func cascadeUpdates(_ db: Database<C>) throws {
        let parents = try parents(db, 1, 2)
        let table = try db.create(Cascaded.self)
        try table.insert((1...4).map { Cascaded(id: $0, parent: $0 % 2 + 1) })
        try parents.where(\Parent.id == 1).update(Parent(id: 10))
        try requireEqual(try table.order(by: \.id).all().map(\.parent), [2, 10, 2, 10], "The references")
        try requireEqual(try table.where(\Cascaded.parent == 10).count(), 2, "Counting")
    }

    private static func selfReference(_ db: Database<C>) throws {
        let table = try db.create(Node.self)
        try table.insert(Node(id: 1, up: nil))
        for number in 2...20 { try table.insert(Node(id: number, up: number / 2)) }
        try table.where(\Node.id == 2).delete()
        try requireEqual(
            try table.order(by: \.id).all().map(\.id), [1, 3, 6, 7, 12, 13, 14, 15], "What is left")
        try table.delete()
        try requireEqual(try table.count(), 0, "Counting")
    }

    private static func referenceWithinInsert(_ db: Database<C>) throws {
        let table = try db.create(Node.self)
        try table.insert([Node(id: 2, up: 1), Node(id: 1, up: nil), Node(id: 3, up: 3)])
        try requireEqual(try table.count(), 3, "Counting")
    }

    private static func newReference(_ db: Database<C>) throws {
        let parents = try parents(db, 1), table = try db.create(Grown.self)
        try table.insert(Grown(id: 1))
        let statement = "ALTER TABLE Grown ADD COLUMN parent INT DEFAULT 9 REFERENCES Parent(id)"
        let error = try requireError(.foreignKey, "The new column") { try db.sql(statement) }
        try requireEqual(error.key, "9", "The key in the error")
        try requireError(.exists, "A column that exists") {
            try db.sql("ALTER TABLE Grown ADD COLUMN id INT DEFAULT 9 REFERENCES Parent(id)")
        }
        let columns = try db.tables().first { $0.structure.name == "Grown" }?.structure.columns.map(\.name)
        try requireEqual(columns ?? [], ["id"], "The columns")
        try parents.insert(Parent(id: 9))
        try db.sql(statement)
        try requireError(.foreignKey, "The delete") { try parents.where(\Parent.id == 9).delete() }
        try requireEqual(try table.count(), 1, "Counting")
        try requireEqual(try db.verify(), [], "Verifying")
    }

    private static func refusedDelete(_ db: Database<C>) throws {
        let parents = try parents(db, 1)
        let first = try db.create(Cascaded.self), last = try db.create(Plain.self)
        try first.insert(Cascaded(id: 1, parent: 1))
        try last.insert(Plain(id: 1, parent: 1))
        try requireError(.foreignKey, "The delete") { try parents.delete() }
        try requireEqual(try first.count(), 1, "The rows that would have cascaded")
        try requireEqual(try parents.count(), 1, "The parents")
    }
}
