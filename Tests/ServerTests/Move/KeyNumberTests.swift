#if PostgreSQL || MySQL || SQLite
import Foundation
import SiltstoneTesting
import TableKit
import TableSQL
import Testing
import TestServers

@testable import SiltTool

/// The numbers of rows without a key.
struct KeyNumberTests {
    /// Types whose last number a test can reach.
    private static let narrow: [(ColumnType, Int64)] = [
        (.int8, 127), (.uint8, 255), (.int16, 32_767), (.uint16, 65_535), (.int32, 2_147_483_647),
        (.uint32, 4_294_967_295),
    ]

    private static func table(_ type: ColumnType) -> TableStructure {
        TableStructure(
            name: "K", columns: [Column("id", type), Column("text", .string, isOptional: true)], primaryKey: [0])
    }

    /// Runs `body` with the table in an empty database.
    private func withTable(
        _ table: TableStructure, _ target: MoveTarget, _ body: @escaping @Sendable (any TableEngine) throws -> Void
    ) async throws {
        try await onThread {
            let sample = try MovedSample()
            let endpoint = try MovePlace(try target.place(sample)).open(isTarget: true)
            defer { try? endpoint.close() }
            try endpoint.engine.change { try $0.alter(.createTable(table)) }
            try body(endpoint.engine)
        }
    }

    /// Inserts a row.
    /// - Parameter key: nil to number it.
    @discardableResult
    private static func insert(_ key: ColumnValue?, _ table: TableStructure, _ engine: any TableEngine) throws -> Int64?
    {
        var rows = RowBuffer()
        try rows.append([key ?? .null, .text("x")], layout: table.layout)
        let statement = InsertStatement(table, columns: key == nil ? [1] : [0, 1], rows: rows)
        return try engine.change { try $0.insert(statement) }.lastInsertID
    }

    /// Gives the row with one key another.
    /// - Returns: the number of changed rows.
    private static func setKey(
        _ key: Int64, where old: Int64, _ table: TableStructure, _ engine: any TableEngine
    ) throws -> Int {
        var row = RowBuffer()
        try row.append([.integer(key), .null], layout: table.layout)
        let update = UpdateStatement(
            table, columns: [0], row: row, predicate: .compare(ColumnReference(column: 0), .equal, .integer(old)))
        return try engine.change { try $0.update(update) }.count
    }

    private static func keys(_ table: TableStructure, _ engine: any TableEngine) throws -> [ColumnValue] {
        try engine.reading { try $0.rows(of: Query(table)) }.compactMap { $0.values.first }
    }

    @Test("A number beyond the key's type is refused, and nothing is stored", arguments: MoveTarget.available)
    func lastNumber(target: MoveTarget) async throws {
        for (type, last) in Self.narrow {
            let table = Self.table(type)
            try await withTable(table, target) { engine in
                try Self.insert(.integer(last - 1), table, engine)
                #expect(try Self.insert(nil, table, engine) == last)
                for _ in 0..<2 {
                    #expect(throws: CRUDSQLExeError.self, "\(type)") { try Self.insert(nil, table, engine) }
                    #expect(throws: CRUDSQLExeError.self, "\(type)") {
                        try engine.change { session in
                            var rows = RowBuffer()
                            for _ in 0..<3 { try rows.append([.null, .text("y")], layout: table.layout) }
                            _ = try session.insert(InsertStatement(table, columns: [1], rows: rows))
                        }
                    }
                }
                #expect(try Self.keys(table, engine) == [.integer(last - 1), .integer(last)])
            }
        }
    }

    @Test("Numbers go on behind a key that an update sets", arguments: MoveTarget.available)
    func updatedKey(target: MoveTarget) async throws {
        let table = Self.table(.int64)
        try await withTable(table, target) { engine in
            for _ in 0..<2 { try Self.insert(nil, table, engine) }
            #expect(try Self.setKey(3, where: 2, table, engine) == 1)
            #expect(try Self.insert(nil, table, engine) == 4)
        }
    }

    @Test("Numbers do not go on behind a key that no row has got", arguments: MoveTarget.available)
    func keyOfNoRow(target: MoveTarget) async throws {
        let table = Self.table(.int64)
        try await withTable(table, target) { engine in
            try Self.insert(nil, table, engine)
            for wanted in [Int64.max, 5] {
                #expect(try Self.setKey(.max, where: wanted, table, engine) == 0)
            }
            #expect(try Self.insert(nil, table, engine) == 2)
        }
    }

    @Test("Keys of UInt64 are numbered", arguments: MoveTarget.available)
    func unsignedKeys(target: MoveTarget) async throws {
        let table = Self.table(.uint64)
        try await withTable(table, target) { engine in
            #expect(try Self.insert(nil, table, engine) == 1)
            try Self.insert(.integer(7), table, engine)
            #expect(try Self.insert(nil, table, engine) == 8)
            #expect(try Self.keys(table, engine) == [.integer(1), .integer(7), .integer(8)])
            let found = try engine.reading { try $0.table(named: "K") }?.structure
            #expect(found?.columns.map(\.type) == table.columns.map(\.type))
            #expect(found?.columns.allSatisfy { $0.defaultValue == nil } == true)
        }
    }

    @Test("An average of numbers whose squares are too large", arguments: MoveTarget.available)
    func largeAverage(target: MoveTarget) async throws {
        let table = TableStructure(
            name: "K", columns: [Column("id", .int64), Column("d", .double, isOptional: true)], primaryKey: [0])
        try await withTable(table, target) { engine in
            let average = AggregateQuery(Query(table), aggregates: [.average(1)])
            #expect(try engine.reading { try $0.aggregate(average) } == [[.null]])
            var rows = RowBuffer()
            for (number, value) in [1e200, 2e200, -1e200].enumerated() {
                try rows.append([.integer(Int64(number)), .real(value)], layout: table.layout)
            }
            try rows.append([.integer(9), .null], layout: table.layout)
            let insert = InsertStatement(table, rows: rows)
            try engine.change { _ = try $0.insert(insert) }
            let found = try engine.reading { try $0.aggregate(average) }.first?.first
            guard case .real(let value) = found else {
                Issue.record("The average is \(String(describing: found)).")
                return
            }
            #expect(abs(value / 1e200 - 2.0 / 3) < 1e-9)
        }
    }
}
#endif
