import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

/// What queries do beside finding rows.
struct QueryExecutionTests {
    private static let people = TableStructure(
        name: "P",
        columns: [
            Column("id", .int64), Column("name", .string), Column("age", .int32, isOptional: true),
            Column("score", .double),
        ], primaryKey: [0])

    private static func tables(_ count: Int, indexes: [(columns: [Int], isUnique: Bool)] = []) throws -> TestTables {
        let rows = (0..<count).map { number -> [ColumnValue] in
            let age: ColumnValue = number % 7 == 0 ? .null : .integer(Int64(number % 5))
            return [.integer(Int64(number)), .text("name \(number)"), age, .real(Double(number) / 4)]
        }
        return try TestTables([TestTable(people, rows, indexes: indexes)])
    }

    private func column(_ number: Int) -> ColumnReference { ColumnReference(column: number) }

    @Test func `groups and aggregates agree with the evaluation`() throws {
        let tables = try Self.tables(100)
        let aggregates: [Aggregate] = [
            .count, .countValues(2), .countDistinct(2), .min(1), .max(0), .sum(0), .sum(3), .average(2),
        ]
        for groupBy in [[], [2], [2, 0]] {
            for limit in [nil, RowLimit(count: 10, skip: 3), RowLimit(count: 0)] {
                var query = Query(Self.people)
                query.predicate = .compare(column(0), .less, .integer(60))
                query.order = [OrderTerm(column: 1)]
                query.limit = limit
                let found = try tables.executor().aggregate(
                    AggregateQuery(query, groupBy: groupBy, aggregates: aggregates))
                let expected = try QueryEvaluation(query, rows: tables.rows(of: query))
                    .aggregate(groupBy: groupBy, aggregates)
                #expect(found == expected)
            }
        }
    }

    @Test func `the ranges of a column are counted as the conditions say`() throws {
        let tables = try Self.tables(60, indexes: [([2], false), ([3, 1], false)])
        let executor = tables.executor()
        let bounds: [[ColumnValue]] = [
            [.integer(-1), .integer(0), .integer(17), .integer(59), .integer(1 << 40)], [],
            [.integer(0), .integer(3), .integer(300), .integer(1 << 40), .real(1.5)],
            [.real(-0.0), .real(0), .real(12.25), .real(.nan), .real(.infinity), .integer(7)],
        ]
        let comparisons: [Comparison] = [.less, .lessOrEqual, .greater, .greaterOrEqual, .equal]
        for (number, values) in bounds.enumerated() {
            for low in values {
                for high in values {
                    for (first, second) in comparisons.flatMap({ one in comparisons.map { (one, $0) } }) {
                        var query = Query(Self.people)
                        let one = Predicate.compare(column(number), first, low)
                        for predicate in [one, .and([one, .compare(column(number), second, high)])] {
                            query.predicate = predicate
                            #expect(try executor.count(query) == tables.expected(query).count, "\(predicate)")
                        }
                    }
                }
            }
        }
        var query = Query(Self.people)
        query.predicate = .and([
            .compare(column(2), .greater, .integer(1)), .compare(column(3), .less, .real(20)),
        ])
        #expect(try executor.count(query) == tables.expected(query).count)
        query.limit = RowLimit(count: 3, skip: 1)
        #expect(try executor.count(query) == 3)
    }

    @Test func `a transaction reads what it has written`() throws {
        let tables = try Self.tables(20, indexes: [([2], false)])
        let transaction = tables.store.begin()
        defer { transaction.rollback() }
        let table = try #require(tables.catalogue.tables["P"])
        let row: [ColumnValue] = [.integer(500), .text("new"), .integer(3), .real(0)]
        let key = KeyEncoder(table.rowPrefix)
        let entry = KeyEncoder(table.indexes[0].prefix)
        var buffer = RowBuffer()
        key.append(row[0])
        entry.append(row[2])
        entry.append(row[0])
        try buffer.append(row, layout: table.newestLayout)
        try transaction.put(key.bytes, buffer.bytes)
        try transaction.put(entry.bytes, [])
        let executor = QueryExecutor(reader: transaction, catalogue: tables.catalogue)
        var query = Query(Self.people)
        query.predicate = .compare(column(2), .equal, .integer(3))
        let before = tables.expected(query).count
        for number in try executor.plans(for: query).indices {
            query.forcedPlan = number
            #expect(try executor.count(query) == before + 1)
            let stream = try executor.run(query)
            #expect(try stream.next()?.rows.count == before + 1)
        }
    }

    @Test func `changes meet each row that matches once, with its whole key`() throws {
        let tables = try Self.tables(50, indexes: [([2], false)])
        let binding = try tables.catalogue.binding(Self.people)
        var keys: [[UInt8]] = []
        try tables.executor().forEachMatch(
            binding, .or([.compare(column(2), .equal, .integer(1)), .compare(column(0), .less, .integer(10))])
        ) { key, _ in keys.append(key.withUnsafeBytes { Array($0) }) }
        var expected = Query(Self.people)
        expected.predicate = .or([
            .compare(column(2), .equal, .integer(1)), .compare(column(0), .less, .integer(10)),
        ])
        #expect(Set(keys).count == keys.count)
        #expect(
            Set(keys)
                == Set(
                    tables.expected(expected).map { result in
                        let key = KeyEncoder(binding.table.rowPrefix)
                        key.append(result.row.values[0])
                        return key.bytes
                    }))
    }

    /// Parents that share one child, whose children have the levels of some of the parents.
    private static func sharedChildren(_ parents: Int, levels: [Int]) throws -> (TestTables, Query) {
        let rooms = TableStructure(
            name: "P", columns: [Column("id", .int64), Column("room", .int64), Column("level", .int64)],
            primaryKey: [0])
        let children = TableStructure(
            name: "C", columns: [Column("id", .int64), Column("room", .int64)], primaryKey: [0])
        let grandchildren = TableStructure(
            name: "G", columns: [Column("id", .int64), Column("cid", .int64), Column("level", .int64)],
            primaryKey: [0])
        func row(_ values: Int...) -> [ColumnValue] { values.map { .integer(Int64($0)) } }
        let tables = try TestTables([
            TestTable(rooms, (1...parents).map { row($0, 7, $0) }), TestTable(children, [row(10, 7), row(11, 8)]),
            TestTable(grandchildren, levels.enumerated().map { row($0.offset * 100, 10, $0.element) }),
        ])
        var query = Query(rooms)
        query.sources += [children, grandchildren]
        query.joins = [
            JoinClause(property: "children", source: 1, on: 1, equals: 1),
            JoinClause(property: "children", parent: 1, source: 2, on: 0, equals: 1),
        ]
        query.order = [OrderTerm(column: 0)]
        return (tables, query)
    }

    @Test func `the children of a joined row that parents share match a parent in the result, in any batch`() throws {
        let levels = [1, 2, 3, 300, 301, 302, 590]
        for (parents, limit) in [
            (2, RowLimit(count: 1)), (600, nil), (600, RowLimit(count: 1)), (600, RowLimit(count: 3, skip: 1)),
            (600, RowLimit(count: 300)), (600, RowLimit(count: 0)), (600, RowLimit(count: nil, skip: 5)),
        ] as [(Int, RowLimit?)] {
            let (tables, all) = try Self.sharedChildren(parents, levels: levels)
            var query = all
            query.limit = limit
            query.predicate = .compareColumns(column(2), .equal, ColumnReference(source: 2, column: 2))
            let executor = tables.executor()
            let expected = tables.expected(query)
            for number in try executor.plans(for: query).indices {
                query.forcedPlan = number
                #expect(try tables.found(query, by: executor) == expected, "\(parents), \(String(describing: limit))")
                #expect(try executor.count(query) == expected.count)
            }
        }
    }

    @Test func `joins that run again for the parents that a limit keeps count their rows once`() throws {
        var counts: [[Int?]] = []
        for limit in [nil, RowLimit(count: 600)] {
            let (tables, all) = try Self.sharedChildren(10, levels: [1, 2])
            var query = all
            query.limit = limit
            query.predicate = .compareColumns(column(2), .equal, ColumnReference(source: 2, column: 2))
            var steps = [try tables.executor().explainRunning(query)]
            var rows: [Int?] = []
            while let step = steps.popLast() {
                if step.inputs.isEmpty { rows.append(step.actualRows) }
                steps += step.inputs
            }
            counts.append(rows)
        }
        #expect(counts[0] == counts[1] && counts[0].count > 1)
    }

    @Test func `a condition on a joined row and its children alone needs no batch of all parents`() throws {
        let (tables, all) = try Self.sharedChildren(600, levels: [9, 10, 11])
        var query = all
        query.predicate = .compareColumns(
            ColumnReference(source: 1, column: 0), .lessOrEqual, ColumnReference(source: 2, column: 2))
        let executor = tables.executor()
        #expect(try !BoundQuery(query, in: tables.catalogue).hasSharedElements)
        #expect(try tables.found(query, by: executor) == tables.expected(query))
        query.predicate = .and([
            query.predicate ?? .constant(true),
            .compareColumns(column(2), .lessOrEqual, ColumnReference(source: 2, column: 2)),
        ])
        #expect(try BoundQuery(query, in: tables.catalogue).hasSharedElements)
        #expect(try tables.found(query, by: executor) == tables.expected(query))
    }

    @Test func `rows that are older than a column have its first value`() throws {
        var columns = Self.people.columns
        columns.append(Column("level", .int64))
        let grown = TableStructure(name: "P", columns: columns, primaryKey: [0])
        let tables = try Self.tables(10)
        var definition = try #require(tables.catalogue.tables["P"]).definition
        definition.columns.append(ColumnDescription(id: 99, column: columns[4], initialValue: .integer(7)))
        definition.layouts.append(
            definition.layouts[0] + [TableDefinition.LayoutColumn(id: 99, type: .int64)])
        let catalogue = Catalogue(version: 2, nextTable: 2, tables: ["P": TableDescription(definition)])
        let executor = QueryExecutor(reader: tables.store.snapshot(), catalogue: catalogue)
        func count(_ comparison: Comparison, _ value: Int64) throws -> Int {
            var query = Query(grown)
            query.predicate = .compare(column(4), comparison, .integer(value))
            return try executor.count(query)
        }
        #expect(try count(.equal, 7) == 10)
        #expect(try count(.notEqual, 7) == 0)
        #expect(try count(.greater, 6) == 10)
        var ordered = Query(grown)
        ordered.order = [OrderTerm(column: 4), OrderTerm(column: 0, isDescending: true)]
        #expect(try executor.run(ordered).next()?.rows.count == 10)
    }

    @Test func `rows that are older than a column sort and group among the others, whatever integer the query wants`()
        throws
    {
        let (_, engine) = try makeEngine()
        func structure(_ name: String, _ level: ColumnType?) -> TableStructure {
            TableStructure(
                name: name, columns: [Column("id", .int64)] + (level.map { [Column("level", $0)] } ?? []),
                primaryKey: [0])
        }
        for (name, stored, wanted) in [("a", .int64, .uint64), ("b", .uint64, .int64), ("c", .int32, .uint64)]
            as [(String, ColumnType, ColumnType)]
        {
            try engine.change { session in
                try session.alter(.createTable(structure(name, nil)))
                try session.insert(structure(name, nil), [[.integer(1)]])
                try session.alter(.addColumn(table: name, Column("level", stored, defaultValue: .integer(5))))
                let rows = [(2, 3), (3, 7), (4, 5)].map { [ColumnValue.integer($0), .integer($1)] }
                try session.insert(structure(name, stored), rows)
                var query = Query(structure(name, wanted))
                query.order = [OrderTerm(column: 1), OrderTerm(column: 0)]
                let found = try #require(try session.run(query).next())
                #expect(try found.rows.values(found.shape).map { $0[0] } == [2, 1, 4, 3].map(ColumnValue.integer))
                let groups = try session.aggregate(AggregateQuery(query, groupBy: [1], aggregates: [.count]))
                #expect(groups == [[3, 1], [5, 2], [7, 1]].map { $0.map(ColumnValue.integer) })
                query.columns = [1]
                query.order = []
                #expect(try session.count(query) == 3)
            }
        }
    }

    @Test func `a sum has the fraction of the stored numbers, and their sign, whatever number the query wants`() throws
    {
        let stored = TableStructure(
            name: "N", columns: [Column("id", .int64), Column("x", .double), Column("y", .int32)], primaryKey: [0])
        let tables = try TestTables([
            TestTable(
                stored, [[.integer(1), .real(2), .integer(-3)], [.integer(2), .real(3.5), .integer(1)]])
        ])
        for (x, y) in [(.int64, .uint64), (.uint64, .double), (.double, .int64)] as [(ColumnType, ColumnType)] {
            let structure = TableStructure(
                name: "N", columns: [Column("id", .int64), Column("x", x), Column("y", y)], primaryKey: [0])
            let query = AggregateQuery(Query(structure), aggregates: [.sum(1), .sum(2)])
            let sums = try tables.executor().aggregate(query)
            #expect(sums == [[.real(5.5), y == .double ? .real(-2) : .integer(-2)]])
            let evaluation = QueryEvaluation(query.rows, rows: [tables.tables[0].rows])
            #expect(try evaluation.aggregate(groupBy: [], query.aggregates) == sums)
        }
    }

    @Test func `a plan names the index, the sort and the index that is missing`() throws {
        let tables = try Self.tables(200, indexes: [([2], false)])
        var query = Query(Self.people)
        query.predicate = .compare(column(2), .equal, .integer(3))
        query.order = [OrderTerm(column: 1)]
        query.limit = RowLimit(count: 5)
        let text = try tables.executor().plans(for: query).map(\.description).joined(separator: "\n")
        #expect(text.contains("range of index index0") && text.contains("walk of P") && text.contains("top 5 by name"))
        query.sources.append(Self.people)
        query.joins = [JoinClause(property: "twins", source: 1, on: 3, equals: 3)]
        #expect(try tables.executor().explain(query).description.contains("An index on P(score) would save"))
    }

    @Test func `a damaged row and a column that is missing are errors`() throws {
        let tables = try Self.tables(5)
        let table = try #require(tables.catalogue.tables["P"])
        var query = Query(Self.people)
        query.predicate = .compare(column(2), .equal, .integer(3))
        let key = KeyEncoder(table.rowPrefix)
        key.append(.integer(3))
        for damaged in [[], [1, 0], [1, 0, 0, 0, 0], [1, 0, 9, 0] + [UInt8](repeating: 0, count: 60)] as [[UInt8]] {
            try tables.store.put(key.bytes, damaged)
            #expect(throws: CRUDDecoderError.self) { try tables.executor().count(query) }
        }
        query.predicate = .isNull(ColumnReference(column: 9))
        #expect(throws: CRUDSQLGenError.self) { try tables.executor().run(query) }
        query.predicate = nil
        query.forcedPlan = 99
        #expect(throws: CRUDSQLExeError.self) { try tables.executor().run(query) }
    }
}
