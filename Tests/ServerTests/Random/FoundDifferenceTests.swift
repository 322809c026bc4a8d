#if PostgreSQL || MySQL || SQLite
import Foundation
import SiltstoneTesting
import TableKit
import TableSQL
import Testing
import TestServers

@testable import SiltTool

#if PostgreSQL
import PostgresTables
#endif

/// What random queries have found once.
struct FoundDifferenceTests {
    private static let table = TableStructure(
        name: "T",
        columns: [
            Column("id", .string), Column("line", .string), Column("note", .string, isOptional: true),
            Column("day", .date, defaultValue: .date(Date(timeIntervalSinceReferenceDate: 0.25))),
            Column(
                "mark", .uuid, defaultValue: .uuid(UUID(uuid: (0, 170, 34, 39, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))),
            Column("raw", .bytes, defaultValue: .bytes([0, 255, 39, 92, 170])),
        ], primaryKey: [0])

    /// Runs `body` with the table in an empty database.
    private func withTable(_ target: MoveTarget, _ body: @escaping @Sendable (any TableEngine) throws -> Void)
        async throws
    {
        try await target.withDatabase { engine, _ in
            try engine.change { try $0.alter(.createTable(Self.table)) }
            var rows = RowBuffer()
            for number in 0..<3 {
                try rows.append(
                    [.text("\(number)"), .text("a"), .null, .null, .null, .null], layout: Self.table.layout)
            }
            let statement = InsertStatement(Self.table, columns: [0, 1], rows: rows)
            try engine.change { _ = try $0.insert(statement) }
            try body(engine)
        }
    }

    @Test("conditions without any part find all rows", arguments: MoveTarget.available)
    func emptyConditions(target: MoveTarget) async throws {
        try await withTable(target) { engine in
            var query = Query(Self.table)
            for predicate in [TableKit.Predicate.and([]), .and([.and([])]), .not(.or([]))] {
                query.predicate = predicate
                let (count, rows) = try engine.reading { (try $0.count(query), try $0.rows(of: query)) }
                #expect(count == 3 && rows.count == 3)
            }
        }
    }

    @Test(
        "a date that is no whole number, and bytes that are no text, can be defaults", arguments: MoveTarget.available)
    func defaults(target: MoveTarget) async throws {
        try await withTable(target) { engine in
            let wanted = Self.table.columns[3...].map(\.defaultValue)
            let columns = try engine.reading { try $0.table(named: "T")?.structure.columns[3...] ?? [] }
            #expect(columns.map(\.defaultValue) == wanted)
            let rows = try engine.reading { try $0.rows(of: Query(Self.table)) }
            #expect(rows.map { $0.values[3...].map(Optional.some) } == Array(repeating: wanted, count: 3))
        }
    }

    @Test("a number that is the key cannot become NULL", arguments: MoveTarget.available)
    func nullKey(target: MoveTarget) async throws {
        let table = TableStructure(name: "K", columns: [Column("id", .int64)], primaryKey: [0])
        try await withTable(target) { engine in
            try engine.change { try $0.alter(.createTable(table)) }
            var (row, null) = (RowBuffer(), RowBuffer())
            try row.append([.integer(7)], layout: table.layout)
            try null.append([.null], layout: table.layout)
            let (insert, update) = (InsertStatement(table, rows: row), UpdateStatement(table, columns: [0], row: null))
            try engine.change { _ = try $0.insert(insert) }
            let error = #expect(throws: CRUDSQLExeError.self) { try engine.change { _ = try $0.update(update) } }
            #expect(error?.code == .notNull)
        }
    }

    @Test("changes return large keys to the last bit, behind a real, too", arguments: MoveTarget.available)
    func returnedKeys(target: MoveTarget) async throws {
        @Sendable func returned(_ result: ChangeResult) throws -> [ColumnValue]? {
            try result.shape.map { try result.rows.values(ofRow: 0, $0) }
        }
        let keys: [Int64] = [.min, -(1 << 53) - 1, 7, (1 << 53) + 1, .max]
        let table = TableStructure(
            name: "K", columns: [Column("real", .double), Column("id", .int64)], primaryKey: [1])
        try await withTable(target) { engine in
            try engine.change { try $0.alter(.createTable(table)) }
            for key in keys {
                var row = RowBuffer()
                try row.append([.real(0.5), .integer(key)], layout: table.layout)
                for conflict in [InsertStatement.Conflict.fail, .replace] {
                    var insert = InsertStatement(table, rows: row)
                    (insert.onConflict, insert.isReturning) = (conflict, true)
                    let result = try engine.change { [insert] in try $0.insert(insert) }
                    #expect(try returned(result) == [.real(0.5), .integer(key)])
                    #expect(result.lastInsertID == key)
                }
                var update = UpdateStatement(table, columns: [0], row: row)
                update.predicate = .compare(ColumnReference(column: 1), .equal, .integer(key))
                update.isReturning = true
                let result = try engine.change { [update] in try $0.update(update) }
                #expect(try returned(result) == [.real(0.5), .integer(key)])
            }
        }
    }

    @Test("reals and integers of two columns compare to the last bit", arguments: MoveTarget.available)
    func exactNumbers(target: MoveTarget) async throws {
        let reals = [
            9_007_199_254_740_992, 123_456_789_012_345.6, 0x1p63, 0x1p64, -0x1p63, 0.1, Double(Float(0.1)), 1e300,
        ]
        let integers: [Int64] = [9_007_199_254_740_992, 9_007_199_254_740_993, 123_456_789_012_346, .max, .min, 0]
        let table = TableStructure(
            name: "N",
            columns: [
                Column("id", .int64), Column("real", .double), Column("single", .float), Column("whole", .int64),
                Column("positive", .uint64),
            ], primaryKey: [0])
        try await withTable(target) { engine in
            try engine.change { try $0.alter(.createTable(table)) }
            var rows = RowBuffer()
            for (number, real) in reals.enumerated() {
                for (other, whole) in integers.enumerated() {
                    let positive = UInt64(bitPattern: whole)
                    try rows.append(
                        [
                            .integer(Int64(number * 10 + other)), .real(real), .real(Double(Float(0.1))),
                            .integer(whole),
                            ColumnValue(positive),
                        ], layout: table.layout)
                }
            }
            let statement = InsertStatement(table, rows: rows)
            try engine.change { _ = try $0.insert(statement) }
            let all = try engine.reading { try $0.rows(of: Query(table)) }
            // SQLite keeps integers above `Int64.max` as bytes, which are above all reals.
            for (left, right) in [(1, 3), (3, 1), (1, 2), (2, 3)] + (target == .sqlite ? [] : [(1, 4)]) {
                for comparison in [Comparison.equal, .less, .greater] {
                    var query = Query(table)
                    query.predicate = .compareColumns(
                        ColumnReference(column: left), comparison, ColumnReference(column: right))
                    let expected = all.count { row in
                        let order = ColumnValue.order(row.values[left], row.values[right])
                        return comparison == .equal ? order == 0 : comparison == .less ? order < 0 : order > 0
                    }
                    let found = try engine.reading { try $0.count(query) }
                    #expect(found == expected, "\(left) \(comparison) \(right)")
                }
            }
        }
    }

    @Test("an index can have the text of the key beside other text", arguments: MoveTarget.available)
    func crowdedIndex(target: MoveTarget) async throws {
        try await withTable(target) { engine in
            for (columns, isUnique) in [
                (["line", "id", "note"], false), (["note", "id"], true), (["id", "day"], false),
            ] {
                try engine.buildIndex(IndexDefinition(table: "T", columns: columns, isUnique: isUnique))
            }
            let indexes = try engine.reading { try $0.table(named: "T")?.indexes.map(\.definition.columns) ?? [] }
            #expect(Set(indexes) == [["line", "id", "note"], ["note", "id"], ["id", "day"]])
            try engine.change { try $0.alter(.dropIndex(table: "T", columns: ["note", "id"])) }
        }
    }

    #if PostgreSQL
    @Test(
        "a prepared statement that was given up does not hinder the transaction that begins next",
        .enabled(if: PostgresServer.programs != nil, Comment(rawValue: PostgresServer.absence)))
    func retiredStatements() async throws {
        try await onThread {
            var options = PostgresOptions()
            options.preparedStatements = 1
            let connection = try PostgresServer.shared().connection(options)
            defer { connection.close() }
            for number in 0..<6 {
                connection.executeLater(SQLStatement("BEGIN ISOLATION LEVEL SERIALIZABLE"))
                let rows = try connection.rows(
                    "SELECT $1::bigint + \(number)", [.value(.integer(1), .int64)], as: [.int64])
                #expect(rows == [[.integer(Int64(number + 1))]])
                _ = try connection.execute(SQLStatement("COMMIT"))
                // Outside of a transaction: given up without a trip that could end it.
                _ = try connection.rows("SELECT \(number)::bigint", as: [.int64])
                _ = try connection.rows("SELECT \(number)::bigint + 1", as: [.int64])
            }
        }
    }
    #endif
}
#endif
