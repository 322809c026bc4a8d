#if PostgreSQL || MySQL || SQLite
import Foundation
import SiltstoneTesting
import TableKit
import TableSQL
import Testing
import TestServers

@testable import SiltTool

/// Changes and queries that every database must answer as Siltstone does, with more rows than fit into one statement.
struct SameResultTests {
    private static let nodes = TableStructure(
        name: "Node",
        columns: [
            Column("id", .int64),
            Column("up", .int64, isOptional: true, foreignKey: ForeignKeyReference(table: "Node")),
        ], primaryKey: [0])

    @Test("a row may refer to a later one of the same insert, however many there are", arguments: MoveTarget.available)
    func laterRows(target: MoveTarget) async throws {
        try await target.withDatabase { engine, _ in
            try engine.change { try $0.alter(.createTable(Self.nodes)) }
            let count = 4200
            // The first row refers to the last one, the even ones refer to the first one. (No circle: MariaDB refuses one.)
            let rows = (1...count).map { [$0, $0 == 1 ? count : $0 % 2 == 0 && $0 < count ? 1 : nil] as [Int?] }
            let insert = InsertStatement(Self.nodes, rows: try RowBuffer(rows, of: Self.nodes))
            let result = try engine.change { try $0.insert(insert) }
            #expect(result.count == count && result.lastInsertID == Int64(count))
            let some = InsertStatement(Self.nodes, rows: try RowBuffer([[9002, 9001], [9001, nil]], of: Self.nodes))
            let last = try engine.change { try $0.insert(some) }.lastInsertID
            #expect(last == 9001)
            let all = try engine.reading { try $0.count(Query(Self.nodes)) }
            #expect(all == count + 2)
        }
    }

    @Test("an upsert tells the key of its last row, whether the row was there or not", arguments: MoveTarget.available)
    func upsertedKey(target: MoveTarget) async throws {
        let table = TableStructure(
            name: "U", columns: [Column("id", .int64), Column("mark", .int64)], primaryKey: [0])
        try await target.withDatabase { engine, _ in
            try engine.change {
                try $0.alter(.createTable(table))
                try $0.alter(.createIndex(IndexDefinition(table: "U", columns: ["mark"], isUnique: true)))
            }
            for (rows, last) in [([[5, 50]], 5), ([[5, 51]], 5), ([[9, 90], [5, 52]], 5)] as [([[Int?]], Int64)] {
                var insert = InsertStatement(table, rows: try RowBuffer(rows, of: table))
                insert.onConflict = .replace
                let result = try engine.change { [insert] in try $0.insert(insert) }
                #expect(result.lastInsertID == last)
            }
        }
    }

    @Test("joined rows that parents share have the same elements in any batch", arguments: MoveTarget.available)
    func sharedElements(target: MoveTarget) async throws {
        let parents = TableStructure(
            name: "P", columns: [Column("id", .int64), Column("room", .int64), Column("level", .int64)],
            primaryKey: [0])
        let children = TableStructure(
            name: "C", columns: [Column("id", .int64), Column("room", .int64)], primaryKey: [0])
        let grandchildren = TableStructure(
            name: "G", columns: [Column("id", .int64), Column("cid", .int64), Column("level", .int64)],
            primaryKey: [0])
        var query = Query(parents)
        query.sources += [children, grandchildren]
        query.joins = [
            JoinClause(property: "children", source: 1, on: 1, equals: 1),
            JoinClause(property: "children", parent: 1, source: 2, on: 0, equals: 1),
        ]
        query.order = [OrderTerm(column: 0)]
        query.predicate = .compareColumns(ColumnReference(column: 2), .equal, ColumnReference(source: 2, column: 2))
        try await target.withDatabase { [query] engine, _ in
            let levels = [1, 2, 300, 590, 1100]
            for (table, rows) in [
                (parents, (1...1200).map { [$0, 7, $0] }), (children, [[10, 7], [11, 8]]),
                (grandchildren, levels.enumerated().map { [$0.offset, 10, $0.element] }),
            ] as [(TableStructure, [[Int?]])] {
                let insert = InsertStatement(table, rows: try RowBuffer(rows, of: table))
                try engine.change {
                    try $0.alter(.createTable(table))
                }
                _ = try engine.change { try $0.insert(insert) }
            }
            let found = try engine.reading { try $0.rows(of: query) }
            #expect(found.count == levels.count)
            for parent in found {
                let child = try #require(parent.arrays.first?.first)
                #expect(child.arrays.first?.count == levels.count)
            }
        }
    }
}
#endif
