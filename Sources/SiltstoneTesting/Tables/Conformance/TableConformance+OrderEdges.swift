import Foundation
import TableKit

private struct Row: Codable, Equatable {
    var id: Int
    var a: Int?
    var b: String
    var rows: [Row]?

    init(id: Int, a: Int?, b: String) {
        self.id = id
        self.a = a
        self.b = b
    }
}

/// Edge cases of order and limit.
extension TableConformance {
    static var orderEdges: [(promise: String, check: Check)] {
        [
            ("NULL is least in an order, both ways", nullOrder),
            ("a later order weighs more than an earlier one", twoOrders),
            ("several columns order one after the other", severalColumns),
            ("after a self join, order is that of the joined rows", selfJoinOrder),
            ("a limit of 0 and less is none; an empty range throws", noLimit),
            ("a skip alone passes over rows", skipAlone),
            ("of two limits the first counts", twoLimits),
            ("rows that are equal in an order come in the order of the key", equalInOrder),
        ]
    }

    private static func rows(_ db: Database<C>) throws -> Table<Row, Database<C>> {
        let table = try db.create(Row.self)
        try table.insert([
            Row(id: 1, a: 2, b: "x"), Row(id: 2, a: nil, b: "y"), Row(id: 3, a: 1, b: "x"), Row(id: 4, a: 1, b: "y"),
        ])
        return table
    }

    private static func nullOrder(_ db: Database<C>) throws {
        let table = try rows(db)
        try requireEqual(try table.order(by: \.a, \.id).all().map(\.id), [2, 3, 4, 1], "Ascending")
        try requireEqual(try table.order(descending: \.a).all().map(\.id).last, 2, "Descending")
    }

    private static func twoOrders(_ db: Database<C>) throws {
        let table = try rows(db)
        let ids = try table.order(by: \.id).order(descending: \.b).all().map(\.id)
        try requireEqual(ids, [2, 4, 1, 3], "The order")
    }

    private static func severalColumns(_ db: Database<C>) throws {
        let table = try rows(db)
        try requireEqual(try table.order(by: \.b, \.a).all().map(\.id), [3, 1, 2, 4], "Ascending")
        try requireEqual(try table.order(descending: \.b, \.a).all().map(\.id), [4, 2, 1, 3], "Descending")
        let keys: [PartialKeyPath<Row>] = [\.b, \.id]
        try requireEqual(try table.order(by: keys[0], keys[1]).all().map(\.id), [1, 3, 2, 4], "Partial key paths")
    }

    private static func selfJoinOrder(_ db: Database<C>) throws {
        let table = try rows(db)
        let joined = try table.order(by: \.id).join(\.rows, on: \.id, equals: \.a).order(descending: \.id).all()
        try requireEqual(joined.map(\.id), [1, 2, 3, 4], "The parents")
        try requireEqual(joined.map { $0.rows?.map(\.id) ?? [] }, [[4, 3], [1], [], []], "The joined rows")
    }

    private static func noLimit(_ db: Database<C>) throws {
        let table = try rows(db)
        try requireEqual(try table.limit(0).count(), 4, "limit(0)")
        try requireEqual(try table.limit(-1).count(), 4, "limit(-1)")
        try requireError(.argument, "limit(3..<3)") { _ = try table.limit(3..<3).count() }
        try requireError(.argument, "limit(..<0)") { _ = try table.limit(..<0).count() }
    }

    private static func skipAlone(_ db: Database<C>) throws {
        let table = try rows(db)
        try requireEqual(try table.order(by: \.id).limit(2...).all().map(\.id), [3, 4], "limit(2...)")
        try requireEqual(try table.order(by: \.id).limit(skip: 3).all().map(\.id), [4], "limit(skip: 3)")
        try requireEqual(try table.limit(skip: 9).count(), 0, "limit(skip: 9)")
    }

    private static func twoLimits(_ db: Database<C>) throws {
        let table = try rows(db)
        try requireEqual(try table.limit(3).order(by: \.id).limit(2).all().map(\.id), [1, 2, 3], "The rows")
    }

    private static func equalInOrder(_ db: Database<C>) throws {
        let table = try rows(db)
        try requireEqual(try table.order(by: \.b).all().map(\.id), [1, 3, 2, 4], "Ascending")
        try requireEqual(try table.order(descending: \.b).limit(3).all().map(\.id), [2, 4, 1], "Descending")
    }
}
