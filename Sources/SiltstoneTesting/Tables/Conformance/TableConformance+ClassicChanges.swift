import Foundation
import TableKit

private struct ReturningItem: Codable, Equatable {
    var id: UUID
    var def: Int?
    init(id: UUID = UUID(), def: Int? = nil) {
        self.id = id
        self.def = def
    }
}

private struct NumberedItem: Codable, Equatable {
    var id: Int
    var def: Int?
}

/// Inserts, updates and deletes, from the test suites of Perfect-SQLite and Perfect-PostgreSQL.
extension TableConformance {
    static var classicChanges: [(promise: String, check: Check)] {
        [
            ("Insert1: an inserted row is found", insert1),
            ("Insert2: ignored keys take their default or NULL", insert2),
            ("Insert3: only the keys that are set are inserted", insert3),
            ("Update: an update sets the columns that it names, in matching rows", update),
            ("Delete: a delete removes matching rows", delete),
            ("EmptyInsert: a row without any column has the table's defaults", emptyInsert),
            ("LastInsertId: an insert tells the number of its row", lastInsertId),
            ("ReturningInsert: an insert returns what it stored", returningInsert),
            ("ReturningUpdate: an update returns what it changed", returningUpdate),
        ]
    }

    private static func insert1(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable1.self)
        try table.insert(TestTable1(id: 2000, name: "New One", integer: 40))
        let found = try table.where(\TestTable1.id == 2000).select().map { $0 }
        try requireEqual(found.map(\.id), [2000], "Selecting the new row")
        try requireEqual(try table.count(), 6, "Counting")
    }

    private static func insert2(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable1.self)
        try table.insert(
            [TestTable1(id: 2000, name: "a", integer: 40), TestTable1(id: 2001, name: "b", integer: 41)],
            ignoreKeys: \.integer)
        let found = try table.order(by: \.id).where(\TestTable1.id >= 2000).all()
        try requireEqual(found.map(\.name), ["a", "b"], "The names")
        try requireEqual(found.map(\.integer), [nil, nil], "The ignored column")
    }

    private static func insert3(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable1.self)
        try table.insert(TestTable1(id: 2000, name: "a", integer: 40, double: 1), setKeys: \.id, \.integer)
        let found = try required(try table.where(\TestTable1.id == 2000).first(), "The row")
        try require(found.name == nil && found.double == nil && found.integer == 40, "The row is \(found).")
    }

    private static func update(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable1.self)
        let id = try db.transaction { () -> Int in
            try table.insert(TestTable1(id: 2000, name: "New One", integer: 40))
            try table.where(\TestTable1.id == 2000)
                .update(TestTable1(id: 2000, name: "New 👻 One", integer: 41), setKeys: \.name)
            return 2000
        }
        let found = try table.where(\TestTable1.id == id).all()
        try requireEqual(found.map(\.name), ["New 👻 One"], "The column that was set")
        try requireEqual(found.map(\.integer), [40], "The column that was not")
    }

    private static func delete(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable1.self)
        try table.where(\TestTable1.id == 2).delete()
        try requireEqual(try table.order(by: \.id).all().map(\.id), [1, 3, 4, 5], "What is left")
        try table.delete()
        try requireEqual(try table.count(), 0, "Counting after a delete without a condition")
    }

    private static func emptyInsert(_ db: Database<C>) throws {
        try db.sql("DROP TABLE IF EXISTS \(NumberedItem.CRUDTableName)")
        try db.sql("CREATE TABLE \(NumberedItem.CRUDTableName) (id INT PRIMARY KEY, def INT DEFAULT 42)")
        let table = db.table(NumberedItem.self)
        let id = try table.insert(NumberedItem(id: 0, def: 0), ignoreKeys: \.id, \.def).lastInsertId()
        try requireEqual(id, 1, "The number")
        try requireEqual(try table.all(), [NumberedItem(id: 1, def: 42)], "The table")
    }

    private static func lastInsertId(_ db: Database<C>) throws {
        try db.sql("CREATE TABLE \(NumberedItem.CRUDTableName) (id INTEGER PRIMARY KEY, def INT DEFAULT 42)")
        let table = db.table(NumberedItem.self)
        for number in 1...3 {
            let id = try table.insert(NumberedItem(id: 0, def: 0), ignoreKeys: \.id).lastInsertId()
            try requireEqual(id, number, "The number")
        }
        let last = try table.insert([NumberedItem(id: 10, def: 1), NumberedItem(id: 11, def: 1)]).lastInsertId()
        try requireEqual(last, 11, "The number after an array")
        try requireEqual(
            try table.insert(NumberedItem(id: 0, def: 0), ignoreKeys: \.id).lastInsertId(), 12,
            "The number after an explicit one")
    }

    private static func makeReturningItems(_ db: Database<C>) throws {
        try db.sql("CREATE TABLE \(ReturningItem.CRUDTableName) (id UUID PRIMARY KEY, def INT DEFAULT 42)")
    }

    private static func returningInsert(_ db: Database<C>) throws {
        try makeReturningItems(db)
        let table = db.table(ReturningItem.self)
        try requireEqual(
            try table.returning(\.def, insert: ReturningItem(), ignoreKeys: \.def), 42, "A default")
        let items = (0..<3).map { _ in ReturningItem() }
        try requireEqual(
            try table.returning(insert: items, ignoreKeys: \.def), items.map { ReturningItem(id: $0.id, def: 42) },
            "Whole rows, in the order of the input")
        let set = ReturningItem(def: 7)
        try requireEqual(try table.returning(\.id, insert: set), set.id, "A column that was set")
        try requireEqual(try table.returning(\.def, insert: ReturningItem(), setKeys: \.id), 42, "Only the key set")
    }

    private static func returningUpdate(_ db: Database<C>) throws {
        try makeReturningItems(db)
        let table = db.table(ReturningItem.self)
        let item = ReturningItem()
        try table.insert(item, ignoreKeys: \.def)
        let changed = try table.where(\ReturningItem.id == item.id)
            .returning(\.def, update: ReturningItem(id: item.id, def: 300), ignoreKeys: \.id)
        try requireEqual(changed, [300], "The column")
        let none = try table.where(\ReturningItem.id == UUID()).returning(update: item, setKeys: \.def)
        try requireEqual(none, [], "An update that matches nothing")
    }
}
