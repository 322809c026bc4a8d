import Foundation
import TableKit

private struct Pair: Codable, Equatable {
    var a: Int
    var b: Double?
}

private struct Numbered: Codable {
    var id: Int
    var a: Int
}

/// The rows of `Numbered` without their key.
private struct Unnumbered: Codable, TableNameProvider {
    static let tableName = "Numbered"
    var a: Int
}

/// Edge cases of select, first and count.
extension TableConformance {
    static var selectEdges: [(promise: String, check: Check)] {
        [
            ("a select is lazy: each iteration runs the query again", lazySelect),
            ("equal rows without a key come and count once", distinctRows),
            ("rows that are equal but for a key that their type leaves out come and count once", distinctWithoutKey),
            ("rows that differ in -0.0 alone are equal", negativeZero),
            ("first of nothing is nil", firstOfNothing),
            ("first limits parents, not what they join", firstWithJoin),
            ("count is that of parents, limited as they are", countsParents),
            ("arrays are nil where they are not joined, and empty where nothing joins", nilAndEmpty),
        ]
    }

    private static func lazySelect(_ db: Database<C>) throws {
        let table = try db.create(Pair.self)
        let select = try table.order(by: \.a).where(\Pair.a > 1).select()
        try requireEqual(select.map(\.a), [], "At first")
        try table.insert((1...3).map { Pair(a: $0) })
        try requireEqual(select.map(\.a), [2, 3], "After an insert")
    }

    private static func distinctRows(_ db: Database<C>) throws {
        let table = try db.create(Pair.self)
        try table.insert([Pair(a: 1, b: 2), Pair(a: 1, b: 2), Pair(a: 1, b: nil), Pair(a: 1, b: nil), Pair(a: 2)])
        try requireEqual(try table.all().count, 3, "Selecting")
        try requireEqual(try table.count(), 3, "Counting")
        try requireEqual(try table.limit(2).count(), 2, "Counting with a limit")
    }

    private static func distinctWithoutKey(_ db: Database<C>) throws {
        try db.create(Numbered.self).insert([Numbered(id: 1, a: 1), Numbered(id: 2, a: 1), Numbered(id: 3, a: 2)])
        let table = db.table(Unnumbered.self)
        func check(_ place: String) throws {
            try requireEqual(try table.all().map(\.a).sorted(), [1, 2], "Selecting \(place)")
            try requireEqual(try table.count(), 2, "Counting \(place)")
            try requireEqual(try table.where(\Unnumbered.a == 1).count(), 1, "Counting by a condition \(place)")
        }
        try check("outside of a transaction")
        try db.transaction { try check("in a transaction") }
    }

    private static func negativeZero(_ db: Database<C>) throws {
        let table = try db.create(Pair.self)
        try table.insert([Pair(a: 1, b: 0), Pair(a: 1, b: -0.0)])
        try requireEqual(try table.count(), 1, "Counting")
        try requireEqual(try table.all().count, 1, "Selecting")
    }

    private static func firstOfNothing(_ db: Database<C>) throws {
        let table = try db.create(Pair.self)
        try requireEqual(try table.first(), nil, "An empty table")
        try table.insert(Pair(a: 1))
        try requireEqual(try table.where(\Pair.a == 2).first(), nil, "A condition that nothing meets")
    }

    private static func firstWithJoin(_ db: Database<C>) throws {
        try db.makeTestTables()
        let first = try db.table(TestTable1.self).order(by: \.id)
            .join(\.subTables, on: \.id, equals: \.parentId).first()
        try requireEqual(first?.subTables?.count, 5, "The children")
    }

    private static func countsParents(_ db: Database<C>) throws {
        try db.makeTestTables()
        let join = try db.table(TestTable1.self).order(by: \.name).limit(3, skip: 1)
            .join(\.subTables, on: \.id, equals: \.parentId).order(by: \.int).limit(1)
        try requireEqual(try join.count(), 3, "Counting")
        try requireEqual(try join.where(\TestTable2.int > 1).count(), 3, "Counting by a joined type")
    }

    private static func nilAndEmpty(_ db: Database<C>) throws {
        try db.makeTestTables()
        try db.table(TestTable2.self).where(\TestTable2.parentId == 2).delete()
        let table = db.table(TestTable1.self)
        try require(try table.all().allSatisfy { $0.subTables == nil }, "An array that is not joined is not nil.")
        let joined = try table.order(by: \.id).join(\.subTables, on: \.id, equals: \.parentId).all()
        try requireEqual(joined.map { $0.subTables?.count }, [5, 0, 5, 5, 5], "The arrays")
    }
}
