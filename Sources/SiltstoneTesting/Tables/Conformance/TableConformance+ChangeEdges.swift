import Foundation
import TableKit

private struct Item: Codable, Equatable {
    var id: Int
    var name: String?
    var size: Int?
    var parts: [Part]?

    init(id: Int, name: String? = nil, size: Int? = nil, parts: [Part]? = nil) {
        self.id = id
        self.name = name
        self.size = size
        self.parts = parts
    }
}

private struct Part: Codable, Equatable {
    var id: Int
    var item: Int
}

private struct Defaults: Codable, Equatable {
    var id: Int
    var def: Int?
    var text: String?
}

private struct Word: Codable {
    var id: String
}

private struct Strict: Codable {
    var id: Int
    var name: String
}

private struct Loose: Codable, TableNameProvider {
    static let tableName = "returned"
    var id: Int
    var name: String?
}

private struct Tight: Codable, TableNameProvider {
    static let tableName = "returned"
    var id: Int
    var name: String
}

/// Edge cases of inserts, updates and deletes.
extension TableConformance {
    static var changeEdges: [(promise: String, check: Check)] {
        [
            ("no rows are inserted without an error", insertNothing),
            ("an insert of several rows is all or nothing", insertAllOrNothing),
            ("array properties of sub-tables are not inserted", insertIgnoresArrays),
            ("a key path that names no column throws", insertWrongKey),
            ("all keys ignored: the defaults count", insertDefaults),
            ("the number of a row is nil for a key that is no integer", noNumber),
            ("numbers of deleted rows are not used again within a transaction's sight", numbersGoOn),
            ("an update without a condition changes all rows; nil sets NULL", updateAll),
            ("an update that gives several rows one key changes nothing", updateSameKey),
            ("a key can be changed", updateKey),
            ("update and delete refuse order and limit", refuseLimit),
            ("NULL for a property that is not optional throws", notNull),
            ("returning an array keeps the order of the input", returningOrder),
            ("a change outside of transactions whose rows do not decode is stored, and says so", undecodedRows),
            ("changes tell how many rows they changed", changeCounts),
        ]
    }

    private static func insertNothing(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try table.insert([])
        try requireEqual(try table.count(), 0, "Counting")
    }

    private static func insertAllOrNothing(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try table.insert(Item(id: 3))
        let error = try requireError(.unique, "The insert") { try table.insert((1...5).map { Item(id: $0) }) }
        try requireEqual(error.table, "Item", "The error's table")
        try requireEqual(try table.all().map(\.id), [3], "The rows")
    }

    private static func insertIgnoresArrays(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try table.insert(Item(id: 1, parts: [Part(id: 1, item: 1)]))
        try requireEqual(try db.table(Part.self).count(), 0, "The parts")
        try requireEqual(try table.first(), Item(id: 1), "The row")
    }

    private static func insertWrongKey(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        do {
            try table.insert(Item(id: 1), setKeys: \.id, \.parts)
            throw Violation("A sub-table was taken as a column.")
        } catch is CRUDSQLGenError {}
        try requireEqual(try table.count(), 0, "Counting")
    }

    private static func insertDefaults(_ db: Database<C>) throws {
        try db.sql("CREATE TABLE Defaults (id INTEGER PRIMARY KEY, def INT DEFAULT 42, text TEXT)")
        let table = db.table(Defaults.self)
        try table.insert(
            [Defaults(id: 0, def: 1, text: "x"), Defaults(id: 0, def: 1, text: "x")], ignoreKeys: \.id, \.def, \.text)
        try requireEqual(
            try table.order(by: \.id).all(), [Defaults(id: 1, def: 42), Defaults(id: 2, def: 42)], "The rows")
    }

    private static func noNumber(_ db: Database<C>) throws {
        let table = try db.create(Word.self)
        try requireEqual(try table.insert(Word(id: "a")).lastInsertId(), nil, "The number")
        try requireEqual(try db.create(Item.self).insert(Item(id: 5)).lastInsertId(), 5, "The number of an integer")
    }

    private static func numbersGoOn(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        let first = try table.insert([Item(id: 0), Item(id: 0)], ignoreKeys: \.id).lastInsertId()
        try requireEqual(first, 2, "The second number")
        try table.where(\Item.id == 2).delete()
        let next = try table.insert(Item(id: 0), ignoreKeys: \.id).lastInsertId()
        try requireEqual(next, 3, "The number after a delete")
    }

    private static func updateAll(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try table.insert((1...3).map { Item(id: $0, name: "a", size: $0) })
        try table.update(Item(id: 0, name: nil, size: 9), ignoreKeys: \.id, \.size)
        try requireEqual(try table.order(by: \.id).all(), (1...3).map { Item(id: $0, size: $0) }, "The rows")
    }

    private static func updateSameKey(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try table.insert((1...3).map { Item(id: $0, name: "a") })
        try requireError(.unique, "The update") { try table.update(Item(id: 9, name: "b")) }
        try requireEqual(try table.order(by: \.id).all(), (1...3).map { Item(id: $0, name: "a") }, "The rows")
    }

    private static func updateKey(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try table.index(\.name)
        try table.insert((1...3).map { Item(id: $0, name: "n\($0)") })
        try table.where(\Item.id == 2).update(Item(id: 20, name: "x"))
        try requireEqual(try table.order(by: \.id).all().map(\.id), [1, 3, 20], "The keys")
        try requireEqual(try table.where(\Item.name == "x").all().map(\.id), [20], "By the index")
        try requireError(.unique, "A key that exists") {
            try table.where(\Item.id == 1).update(Item(id: 3), setKeys: \.id)
        }
    }

    private static func refuseLimit(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try table.insert((1...3).map { Item(id: $0) })
        do {
            try table.limit(1).where(\Item.id > 0).delete()
            throw Violation("A delete with a limit ran.")
        } catch is CRUDSQLGenError {}
        do {
            try table.order(by: \.id).where(\Item.id > 0).update(Item(id: 1), setKeys: \.name)
            throw Violation("An update with an order ran.")
        } catch is CRUDSQLGenError {}
        try requireEqual(try table.count(), 3, "Counting")
    }

    private static func notNull(_ db: Database<C>) throws {
        let table = try db.create(Strict.self)
        let error = try requireError(.notNull, "The insert") {
            try table.insert(Strict(id: 1, name: "a"), ignoreKeys: \.name)
        }
        try requireEqual(error.column, "name", "The error's column")
        try requireEqual(try table.count(), 0, "Counting")
    }

    private static func returningOrder(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        let ids = [5, 1, 4, 2]
        try requireEqual(try table.returning(\.id, insert: ids.map { Item(id: $0) }), ids, "One column")
        let items = [9, 7, 8].map { Item(id: $0, name: "n") }
        try requireEqual(try table.returning(insert: items), items, "Rows")
        try requireEqual(try table.returning(insert: []), [], "No rows")
    }

    private static func undecodedRows(_ db: Database<C>) throws {
        let table = try db.create(Loose.self)
        try table.insert((1...2).map { Loose(id: $0) })
        let row = db.table(Tight.self).where(\Tight.id == 1)
        try requireError(.type, "The delete in a transaction") {
            try db.transaction { () -> Void in _ = try row.returningDelete() }
        }
        try requireEqual(try table.count(), 2, "Counting after the transaction")
        let error = try requireError(.unknownOutcome, "The delete") { _ = try row.returningDelete() }
        try require(error.message.contains("is stored"), "The error says: \(error.message)")
        try requireEqual(error.column, "name", "The error's column")
        try requireEqual(try table.all().map(\.id), [2], "The rows")
    }

    private static func changeCounts(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try requireEqual(try table.insert((1...4).map { Item(id: $0) }).count, 4, "The insert")
        try requireEqual(
            try table.where(\Item.id > 2).update(Item(id: 0, name: "a"), setKeys: \.name).count, 2, "The update")
        try requireEqual(try table.where(\Item.id != 3).delete().count, 3, "The delete")
    }
}
