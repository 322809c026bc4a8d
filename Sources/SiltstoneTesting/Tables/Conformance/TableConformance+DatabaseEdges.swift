import Foundation
import TableKit

private struct Item: Codable, Equatable, Sendable {
    var id: Int
    var name: String?
}

private struct Stop: Error {}

private struct OnlyName: Codable, Equatable { var name: String }

private struct Box<Value: Codable>: Codable {
    var id: Int
    var value: Value
}

private enum FirstScope {
    struct Local: Codable { var id: Int }
}

private enum SecondScope {
    struct Local: Codable { var id: Int }
}

/// Edge cases of databases, transactions and SQL.
extension TableConformance {
    static var databaseEdges: [(promise: String, check: Check)] {
        [
            ("a table that does not exist is an error of its first use", missingTable),
            ("two databases of one configuration are the same", sharedConfiguration),
            ("a transaction returns its body's value, and takes all back where the body throws", transactionRollsBack),
            ("a transaction within a transaction is a savepoint", nestedTransaction),
            ("a transaction takes changes of tables back", transactionOfTables),
            ("bindings are taken in their order, whatever their names", bindings),
            ("columns of a result that the type lacks are ignored; one that it needs throws", resultColumns),
            ("types of one unqualified name share a table; generic types have names of their own", tableNames),
            ("any task may use a database", manyTasks),
            ("a database that was filled and changed is verified without a problem", verified),
        ]
    }

    private static func missingTable(_ db: Database<C>) throws {
        let table = db.table(Item.self)
        let error = try requireError(.noTable, "Counting") { _ = try table.count() }
        try requireEqual(error.table, "Item", "The error's table")
        try requireError(.noTable, "Inserting") { try table.insert(Item(id: 1)) }
        try requireError(.noTable, "An index") { try table.index(\.name) }
        try requireEqual(try table.select().map(\.id), [], "Iterating")
    }

    private static func sharedConfiguration(_ db: Database<C>) throws {
        let other = Database(configuration: db.configuration)
        try db.create(Item.self).insert(Item(id: 1))
        try requireEqual(try other.table(Item.self).count(), 1, "Counting through the other")
        try other.table(Item.self).insert(Item(id: 2))
        try requireEqual(try db.table(Item.self).count(), 2, "Counting")
    }

    private static func transactionRollsBack(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        let value = try db.transaction { () -> Int in
            try table.insert(Item(id: 1))
            return 42
        }
        try requireEqual(value, 42, "The value")
        do {
            try db.transaction { () -> Void in
                try table.insert(Item(id: 2))
                try table.where(\Item.id == 1).delete()
                try requireEqual(try table.all().map(\.id), [2], "Within the transaction")
                throw Stop()
            }
            throw Violation("The body's error was lost.")
        } catch is Stop {}
        try requireEqual(try table.all().map(\.id), [1], "After the transaction")
    }

    private static func nestedTransaction(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try db.transaction { () -> Void in
            try table.insert(Item(id: 1))
            do {
                try db.transaction { () -> Void in
                    try table.insert(Item(id: 2))
                    throw Stop()
                }
            } catch is Stop {}
            try db.transaction { () -> Void in try table.insert(Item(id: 3)) }
        }
        try requireEqual(try table.order(by: \.id).all().map(\.id), [1, 3], "The rows")
    }

    private static func transactionOfTables(_ db: Database<C>) throws {
        let table = try db.create(Item.self)
        try table.insert(Item(id: 1))
        do {
            try db.transaction { () -> Void in
                try db.create(Item.self, policy: .dropTable)
                try db.sql("CREATE TABLE more (a INT)")
                throw Stop()
            }
        } catch is Stop {}
        try requireEqual(try table.count(), 1, "Counting")
        try requireEqual(try db.tables().map(\.structure.name), ["Item"], "The tables")
    }

    private static func bindings(_ db: Database<C>) throws {
        try db.create(Item.self)
        try db.sql(
            "INSERT INTO Item (name, id) VALUES (?, ?)", bindings: [("id", .string("a")), ("name", .integer(1))])
        try db.sql("INSERT INTO Item (id, name) VALUES ($2, $1)", bindings: [("", .string("b")), ("", .integer(2))])
        let named = try db.sql(
            "SELECT * FROM Item WHERE id < ? AND name >= ?2 ORDER BY id",
            bindings: [("", .integer(9)), ("", .string("a"))], Item.self)
        try requireEqual(named, [Item(id: 1, name: "a"), Item(id: 2, name: "b")], "The rows")
    }

    private static func resultColumns(_ db: Database<C>) throws {
        try db.create(Item.self).insert(Item(id: 1, name: "a"))
        try requireEqual(try db.sql("SELECT * FROM Item", OnlyName.self), [OnlyName(name: "a")], "All columns")
        do {
            _ = try db.sql("SELECT id FROM Item", OnlyName.self)
            throw Violation("A row without a column that the type needs was decoded.")
        } catch let error as CRUDDecoderError {
            try requireEqual(error.column, "name", "The error's column")
        }
    }

    private static func tableNames(_ db: Database<C>) throws {
        try db.create(FirstScope.Local.self).insert(FirstScope.Local(id: 1))
        try requireEqual(try db.table(SecondScope.Local.self).all().map(\.id), [1], "The other type")
        try db.create(Box<Int>.self).insert(Box(id: 1, value: 1))
        try db.create(Box<String>.self).insert(Box(id: 1, value: "a"))
        try requireEqual(try db.tables().map(\.structure.name).sorted(), ["Box<Int>", "Box<String>", "Local"], "Names")
    }

    private static func manyTasks(_ db: Database<C>) async throws {
        let table = try await db.create(Item.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<8 {
                        try await db.transaction { () async throws -> Void in
                            let count = try await table.count()
                            try await table.insert(Item(id: task * 8 + number, name: "\(count)"))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try requireEqual(try await table.count(), 64, "Counting")
        let counts = Set(try await table.all().compactMap { $0.name.flatMap { Int($0) } })
        try requireEqual(counts, Set(0..<64), "The counts that transactions saw")
    }

    private static func verified(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable2.self)
        try table.index(\.parentId)
        try table.index(unique: true, \.parentId, \.int)
        try table.where(\TestTable2.int == 2).delete()
        try table.where(\TestTable2.int == 3).update(TestTable2(parentId: 1, name: "x"), setKeys: \.name)
        try requireEqual(try db.verify(), [], "Verifying")
    }
}
