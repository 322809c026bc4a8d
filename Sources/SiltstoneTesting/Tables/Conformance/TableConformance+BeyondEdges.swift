import Foundation
import TableKit

private struct Item: Codable, Equatable, Sendable {
    var id: Int
    var group: String
    var size: Int?
    var weight: Double?
}

private struct Renamed: Codable, Sendable, TableNameProvider {
    static let tableName = "Item"
    var id: Int
    var label: String
}

private struct Moved: Codable, Sendable {
    var id: Int
    var label: String
}

private struct Named: Codable {
    var id: String
    var size: Int
}

private struct Small: Codable {
    var id: Int8
    var size: Int
}

private struct Stop: Error {}

/// Promises beyond Perfect-CRUD.
extension TableConformance {
    static var beyondEdges: [(promise: String, check: Check)] {
        [
            ("find gives the row of a key", findRow),
            ("find throws for a key of another kind, and gives nothing for a number out of range", findOther),
            ("upsert inserts or replaces", upsert),
            ("exists tells whether anything matches", exists),
            ("min, max, sum and average leave out NULLs", aggregates),
            ("groups are counted in the order of the group", groups),
            ("columns are selected alone", columns),
            ("every operation is there for tasks", asynchronous),
            ("every change of the schema is there for tasks", asynchronousSchema),
            ("observation begins with the present and never loses the last change", observation),
            ("a concurrent transaction that conflicts runs again", conflict),
            ("migrations run once, in their order", migrations),
            ("a renamed column keeps its values", renamed),
            ("a plan names its table", plans),
        ]
    }

    private static func items(_ db: Database<C>) throws -> Table<Item, Database<C>> {
        let table = try db.create(Item.self)
        try table.insert([
            Item(id: 1, group: "b", size: 4, weight: 1.5), Item(id: 2, group: "a", size: nil, weight: nil),
            Item(id: 3, group: "b", size: 6, weight: 2.5),
        ])
        return table
    }

    private static func findRow(_ db: Database<C>) throws {
        let table = try items(db)
        try requireEqual(try table.find(3)?.size, 6, "A key")
        try requireEqual(try table.find(4), nil, "A key that is not there")
    }

    private static func findOther(_ db: Database<C>) async throws {
        let named = try await db.create(Named.self)
        try await named.insert(Named(id: "1", size: 2))
        try findOther(named, db)
        let found = try await named.find("1")
        try requireEqual(found?.size, 2, "In a task")
    }

    private static func findOther(_ named: Table<Named, Database<C>>, _ db: Database<C>) throws {
        let small = try db.create(Small.self)
        try small.insert(Small(id: 1, size: 3))
        try requireEqual(try named.find("1")?.size, 2, "A text")
        try requireError(.type, "A number for a text") { _ = try named.find(1) }
        try requireError(.type, "A text for a number") { _ = try small.find("1") }
        try requireError(.argument, "Two values") { _ = try named.find("1", 2) }
        try requireEqual(try small.find(1)?.size, 3, "A number of another width")
        try requireEqual(try small.find(1.0)?.size, 3, "A whole real")
        try requireEqual(try small.find(300)?.size, nil, "A number out of range")
        try requireEqual(try small.find(Int?.none)?.size, nil, "NULL")
    }

    private static func upsert(_ db: Database<C>) throws {
        let table = try items(db)
        try table.index(\.group)
        try table.upsert(Item(id: 2, group: "c"))
        try table.upsert([Item(id: 4, group: "c"), Item(id: 1, group: "d")])
        try requireEqual(try table.order(by: \.id).all().map(\.group), ["d", "c", "b", "c"], "The rows")
        try requireEqual(try table.where(\Item.group == "a").count(), 0, "The old value in the index")
    }

    private static func exists(_ db: Database<C>) throws {
        let table = try items(db)
        try require(try table.where(\Item.size == 6).exists(), "A row that is there was not found.")
        try require(try !table.where(\Item.size == 7).exists(), "A row that is not there was found.")
    }

    private static func aggregates(_ db: Database<C>) throws {
        let table = try items(db)
        try requireEqual(try table.min(\.size), 4, "min")
        try requireEqual(try table.max(\.weight), 2.5, "max")
        try requireEqual(try table.sum(\.size), 10, "sum")
        try requireEqual(try table.average(\.weight), 2, "average")
        try requireEqual(try table.where(\Item.id > 9).min(\.size), nil, "min of nothing")
        try requireEqual(try table.where(\Item.id > 9).sum(\.size), 0, "sum of nothing")
        try requireEqual(try table.where(\Item.id > 9).average(\.size), nil, "average of nothing")
        try table.update(Item(id: 0, group: "", size: .max), setKeys: \.size)
        try requireError(.type, "A sum out of range") { _ = try table.sum(\.size) }
    }

    private static func groups(_ db: Database<C>) throws {
        let groups = try items(db).group(by: \.group).count()
        try requireEqual(groups.map(\.group), ["a", "b"], "The groups")
        try requireEqual(groups.map(\.count), [1, 2], "The counts")
    }

    private static func columns(_ db: Database<C>) throws {
        let table = try items(db)
        try requireEqual(try table.order(by: \.id).select(\.size), [4, nil, 6], "One column")
        try requireEqual(try table.order(by: \.group).select(\.group, isDistinct: true), ["a", "b"], "Distinct values")
        let pairs = try table.order(descending: \.id).limit(1).select(\.id, \.group)
        try require(pairs.count == 1 && pairs[0] == (3, "b"), "Two columns gave \(pairs).")
    }

    private static func asynchronous(_ db: Database<C>) async throws {
        let table = try await db.create(Item.self)
        try await table.insert([Item(id: 1, group: "a"), Item(id: 2, group: "b")])
        try await table.where(\Item.id == 1).update(Item(id: 1, group: "c"), setKeys: \.group)
        try await table.where(\Item.id == 2).delete()
        try requireEqual(try await table.all().map(\.group), ["c"], "all")
        try requireEqual(try await table.first()?.id, 1, "first")
        try requireEqual(try await table.count(), 1, "count")
        let found = try await table.find(1)
        try requireEqual(found?.group, "c", "find")
        var rows: [Int] = []
        for try await row in try table.rows() { rows.append(row.id) }
        try requireEqual(rows, [1], "rows")
        do {
            try await db.transaction { () async throws -> Void in
                try await table.delete()
                throw Stop()
            }
        } catch is Stop {}
        try requireEqual(try await table.count(), 1, "count after a rollback")
    }

    private static func asynchronousSchema(_ db: Database<C>) async throws {
        let table = try await db.create(Item.self)
        try await table.insert([Item(id: 1, group: "a"), Item(id: 2, group: "b")])
        try await table.index(\.group)
        try await table.dropIndex(\.group)
        let indexes = try await db.tables().first { $0.structure.name == Item.CRUDTableName }?.indexes
        try requireEqual(indexes?.count, 0, "The indexes")
        try await db.rename(\Renamed.label, from: "group")
        try requireEqual(try await db.table(Renamed.self).order(by: \.id).all().map(\.label), ["a", "b"], "A column")
        try await db.rename(Moved.self, from: Item.CRUDTableName)
        try requireEqual(try await db.table(Moved.self).order(by: \.id).all().map(\.label), ["a", "b"], "A table")
        try await db.drop(Moved.self)
        try await db.drop(Moved.self)
        try requireEqual(try await db.tables().contains { $0.structure.name == Moved.CRUDTableName }, false, "Dropped")
    }

    private static func observation(_ db: Database<C>) async throws {
        let table = try await db.create(Item.self)
        try await table.insert(Item(id: 0, group: "a"))
        var seen: [Int] = []
        for try await rows in try table.where(\Item.group == "a").values() {
            seen.append(rows.count)
            if rows.count >= 5 { break }
            try await table.insert([Item(id: rows.count, group: "a"), Item(id: -rows.count, group: "b")])
        }
        try requireEqual(seen.first, 1, "The first value")
        try requireEqual(seen.last, 5, "The last value")
        try require(seen == seen.sorted(), "Values went back: \(seen).")
    }

    private static func conflict(_ db: Database<C>) throws {
        let table = try items(db)
        var runs = 0
        try db.transaction(.concurrent(retries: 3)) { () -> Void in
            runs += 1
            let size = try required(try table.find(1)?.size, "The size")
            if runs == 1 {
                // A change by another task, outside of this task's transaction.
                try inAnotherTask {
                    try table.where(\Item.id == 1).update(Item(id: 1, group: "b", size: 40), setKeys: \.size)
                }
            }
            try table.where(\Item.id == 1).update(Item(id: 1, group: "b", size: size + 1), setKeys: \.size)
        }
        try requireEqual(runs, 2, "The runs of the body")
        try requireEqual(try table.find(1)?.size, 41, "The size")
    }

    /// Runs work on its own thread, outside of the caller's transaction, and waits for it.
    private static func inAnotherTask(_ work: @escaping @Sendable () throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            do { try work() } catch { CRUDLogging.log(.error, "\(error)") }
            done.signal()
        }
        thread.start()
        done.wait()
    }

    private static func migrations(_ db: Database<C>) throws {
        var migrator = Migrator<C>()
        migrator.register("first") { db in try db.create(Item.self) }
        try requireEqual(try migrator.migrate(db), ["first"], "The first run")
        migrator.register("second") { db in try db.table(Item.self).insert(Item(id: 1, group: "m")) }
        try requireEqual(try migrator.migrate(db), ["second"], "The second run")
        try requireEqual(try migrator.migrate(db), [], "The third run")
        try requireEqual(try db.table(Item.self).count(), 1, "Counting")
    }

    private static func renamed(_ db: Database<C>) throws {
        _ = try items(db)
        try db.table(Item.self).index(\.group)
        try db.rename(\Renamed.label, from: "group")
        let table = db.table(Renamed.self)
        try requireEqual(try table.order(by: \.id).all().map(\.label), ["b", "a", "b"], "The values")
        try requireEqual(try table.where(\Renamed.label == "b").count(), 2, "The index")
    }

    private static func plans(_ db: Database<C>) throws {
        let plan = try items(db).where(\Item.group == "a").explain()
        try require(plan.description.contains("Item"), "The plan is \(plan.description.debugDescription).")
    }
}
