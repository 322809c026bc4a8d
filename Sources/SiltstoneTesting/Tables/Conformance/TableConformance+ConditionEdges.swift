import Foundation
import TableKit

private struct Row: Codable, Equatable {
    var id: Int
    var name: String?
    var small: Int8?
    var unsigned: UInt?
}

private struct Sub: Codable { var id: Int }

private struct Top: Codable {
    var id: Int
    var sub: Sub
}

private struct Ordered: Codable {
    var id: Int
    var flag: Bool
    var real: Double
    var date: Date
    var blob: [UInt8]
    var uuid: UUID
}

/// Edge cases of conditions.
extension TableConformance {
    static var conditionEdges: [(promise: String, check: Check)] {
        [
            ("negations leave out NULLs", negationsAndNull),
            ("a key path of a type outside of the chain throws", foreignKeyPath),
            ("values out of a column's range equal nothing", outOfRange),
            ("text is compared by UTF-8 bytes", textOrder),
            ("an empty list contains nothing, its negation everything", emptyList),
            ("a list of 100,000 values", longList),
            ("thousands of conditions joined by or, and by and", longChains),
            ("patterns fold the case of ASCII letters alone; _ and % are literal", patterns),
            ("an empty pattern matches all but NULL", emptyPattern),
            ("and, or and not nest as they are written", nesting),
            ("a lazy value is asked when the statement is built; null makes IS NULL", lazyValue),
            ("a key path into a nested value throws", nestedKeyPath),
            ("comparisons of all ordered types", comparisons),
        ]
    }

    private static func rows(_ db: Database<C>) throws -> Table<Row, Database<C>> {
        let table = try db.create(Row.self)
        try table.insert([
            Row(id: 1, name: "x", small: 1, unsigned: 1), Row(id: 2, name: "y", small: 2, unsigned: 2),
            Row(id: 3, name: nil, small: nil, unsigned: nil),
        ])
        return table
    }

    private static func ids(_ table: Table<Row, Database<C>>, _ condition: Condition) throws -> [Int] {
        try table.order(by: \.id).where(condition).all().map(\.id)
    }

    private static func negationsAndNull(_ db: Database<C>) throws {
        let table = try rows(db)
        try requireEqual(try ids(table, \Row.name != "x"), [2], "!=")
        try requireEqual(try ids(table, !(\Row.name == "x")), [2], "! of ==")
        try requireEqual(try ids(table, \Row.small !~ [1]), [2], "!~")
        try requireEqual(try ids(table, \Row.name %!=% "x"), [2], "%!=%")
        try requireEqual(try ids(table, !(\Row.name == nil)), [1, 2], "! of == nil")
        try requireEqual(try ids(table, \Row.name == "x" || \Row.small == nil), [1, 3], "or")
        try requireEqual(try ids(table, !(\Row.name == "x" && \Row.id == 3)), [1, 2], "! of and")
    }

    private static func foreignKeyPath(_ db: Database<C>) throws {
        let table = try rows(db)
        do {
            _ = try table.where(\TestTable2.name == "x").count()
            throw Violation("A key path of another type was taken.")
        } catch let error as CRUDSQLGenError {
            try require(error.description.contains("TestTable2"), "The error does not name the type: \(error)")
        }
    }

    private static func outOfRange(_ db: Database<C>) throws {
        let table = try rows(db)
        try requireEqual(try ids(table, \Row.unsigned == -1), [], "-1 in an unsigned column")
        try requireEqual(try ids(table, \Row.small == 300), [], "300 in eight bits")
        try requireEqual(try ids(table, \Row.small != 300), [1, 2], "Not 300 in eight bits")
        try requireEqual(try ids(table, \Row.small < 300), [1, 2], "Below 300 in eight bits")
    }

    private static func textOrder(_ db: Database<C>) throws {
        let table = try db.create(Row.self)
        let names = ["Z", "a", "e\u{301}", "é", "z"]
        try table.insert(names.enumerated().map { Row(id: $0, name: $1) })
        let sorted = try table.order(by: \.name).all().map { Array(($0.name ?? "").utf8) }
        try requireEqual(sorted, [[90], [97], [101, 204, 129], [122], [195, 169]], "The order")
        try requireEqual(try ids(table, \Row.name == "é"), [3], "A composed letter")
        try requireEqual(try ids(table, \Row.name! > "z"), [3], "Above z")
    }

    private static func emptyList(_ db: Database<C>) throws {
        let table = try rows(db)
        try requireEqual(try ids(table, \Row.small ~ [Int]()), [], "~ []")
        try requireEqual(try ids(table, \Row.small !~ [Int]()), [1, 2, 3], "!~ []")
    }

    private static func longList(_ db: Database<C>) throws {
        let table = try rows(db)
        try requireEqual(try ids(table, \Row.id ~ Array(2..<100_002)), [2, 3], "The rows")
    }

    private static func longChains(_ db: Database<C>) throws {
        let table = try rows(db)
        let (any, all) = (3..<5_000).reduce((\Row.id == 2, \Row.id != 2)) { chains, id in
            (chains.0 || \Row.id == id, chains.1 && \Row.id != id)
        }
        try requireEqual(try ids(table, any), [2, 3], "or")
        try requireEqual(try ids(table, all), [1], "and")
    }

    private static func patterns(_ db: Database<C>) throws {
        let table = try db.create(Row.self)
        let names = ["ABC", "a_c", "100%", "É", "é", "a\\c"]
        try table.insert(names.enumerated().map { Row(id: $0, name: $1) })
        try requireEqual(try ids(table, \Row.name %=% "b"), [0], "A letter")
        try requireEqual(try ids(table, \Row.name %=% "_"), [1], "_")
        try requireEqual(try ids(table, \Row.name %= "%"), [2], "%")
        try requireEqual(try ids(table, \Row.name =% "é"), [4], "A letter beyond ASCII")
        try requireEqual(try ids(table, \Row.name =% "A"), [0, 1, 5], "A beginning")
        try requireEqual(try ids(table, \Row.name %=% "\\"), [5], "A backslash")
    }

    private static func emptyPattern(_ db: Database<C>) throws {
        let table = try rows(db)
        for condition in [\Row.name %=% "", \Row.name =% "", \Row.name %= ""] {
            try requireEqual(try ids(table, condition), [1, 2], "An empty pattern")
        }
    }

    private static func nesting(_ db: Database<C>) throws {
        let table = try db.create(Row.self)
        try table.insert((0..<8).map { Row(id: $0, name: $0 & 1 == 0 ? "a" : "b", small: Int8($0 & 2)) })
        let a = \Row.name == "a", b = \Row.small == 2, c = \Row.id >= 4
        try requireEqual(try ids(table, a && (b || c)), [2, 4, 6], "a && (b || c)")
        try requireEqual(try ids(table, (a && b) || c), [2, 4, 5, 6, 7], "(a && b) || c")
        try requireEqual(try ids(table, !(a || b) && !c), [1], "!(a || b) && !c")
    }

    private static func lazyValue(_ db: Database<C>) throws {
        let table = try rows(db)
        let equals = CRUDExpression.equality(lhs: .keyPath(\Row.name), rhs: .lazy { .string("y") })
        try requireEqual(try table.where(equals).all().map(\.id), [2], "A lazy value")
        let null = CRUDExpression.equality(lhs: .column("name"), rhs: .lazy { .null })
        try requireEqual(try table.where(null).all().map(\.id), [3], "A lazy null")
    }

    private static func nestedKeyPath(_ db: Database<C>) throws {
        let table = try db.create(Top.self)
        try table.insert(Top(id: 1, sub: Sub(id: 2)))
        do {
            _ = try table.where(\Top.sub.id == 1).count()
            throw Violation("A key path into a nested value was taken for a column.")
        } catch is CRUDSQLGenError {}
    }

    private static func comparisons(_ db: Database<C>) throws {
        let table = try db.create(Ordered.self)
        let uuids = (0..<3).map { UUID(uuid: ($0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
        let dates = [-1.5, 0, 1.5].map { Date(timeIntervalSinceReferenceDate: $0) }
        try table.insert(
            (0..<3).map {
                Ordered(
                    id: $0, flag: $0 > 0, real: Double($0) - 1, date: dates[$0], blob: Array(repeating: 1, count: $0),
                    uuid: uuids[$0])
            })
        let conditions: [(String, Condition, [Int])] = [
            ("Bool", \Ordered.flag < true, [0]), ("Double", \Ordered.real >= 0, [1, 2]),
            ("Double", \Ordered.real < -0.5, [0]), ("Date", \Ordered.date <= dates[1], [0, 1]),
            ("bytes", \Ordered.blob > [1], [2]), ("UUID", \Ordered.uuid > uuids[0], [1, 2]),
            ("Int", \Ordered.id <= -1, []),
        ]
        for (name, condition, ids) in conditions {
            try requireEqual(try table.order(by: \.id).where(condition).all().map(\.id), ids, "A comparison of \(name)")
        }
    }
}
