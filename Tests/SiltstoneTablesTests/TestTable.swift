import Siltstone
import SiltstoneTesting
import TableKit

@testable import SiltstoneTables

/// A table with its rows, in the order of its key.
struct TestTable {
    let structure: TableStructure
    let rows: [[ColumnValue]]
    let indexes: [(columns: [Int], isUnique: Bool)]

    init(_ structure: TableStructure, _ rows: [[ColumnValue]], indexes: [(columns: [Int], isUnique: Bool)] = []) {
        self.structure = structure
        self.rows = rows
        self.indexes = indexes
    }

    /// The table as the catalogue has it. Ids of columns are their numbers plus ten.
    func description(_ id: UInt64) -> TableDescription {
        var definition = TableDefinition(
            id: id, name: structure.name,
            columns: structure.columns.enumerated().map {
                ColumnDescription(id: UInt64($0.offset + 10), column: $0.element, initialValue: .null)
            },
            primaryKey: structure.primaryKey.map { UInt64($0 + 10) },
            layouts: [
                structure.columns.enumerated().map {
                    TableDefinition.LayoutColumn(id: UInt64($0.offset + 10), type: $0.element.type)
                }
            ], nextColumn: 100)
        definition.indexes = indexes.enumerated().map { number, index in
            IndexDescription(
                id: UInt64(number) + KeySpace.firstIndexNumber, name: "index\(number)",
                columns: index.columns.map { UInt64($0 + 10) }, isUnique: index.isUnique)
        }
        return TableDescription(definition)
    }

    /// Writes rows and index entries.
    func write(_ table: TableDescription, to store: KeyValueStore) throws {
        for (number, row) in rows.enumerated() {
            let key = KeyEncoder()
            for column in table.primaryKey { key.append(row[column]) }
            if table.primaryKey.isEmpty { key.append(.integer(Int64(number + 1))) }
            var buffer = RowBuffer()
            try buffer.append(row, layout: table.newestLayout)
            try store.put(table.rowPrefix + key.bytes, buffer.bytes)
            for index in table.indexes {
                let entry = KeyEncoder(index.prefix)
                for column in index.columns { entry.append(row[column]) }
                let hasNull = index.columns.contains { row[$0].isNull }
                if index.isUnique, !hasNull {
                    try store.put(entry.bytes, key.bytes)
                } else {
                    try store.put(entry.bytes + key.bytes, [])
                }
            }
        }
    }
}

/// Tables in a store in memory.
struct TestTables {
    let store: KeyValueStore
    let catalogue: Catalogue
    let tables: [TestTable]

    init(_ tables: [TestTable]) throws {
        QuietErrors.begin()
        store = try KeyValueStore.inMemory()
        self.tables = tables
        var descriptions: [String: TableDescription] = [:]
        for (number, table) in tables.enumerated() {
            let description = table.description(UInt64(number + 1))
            try table.write(description, to: store)
            descriptions[table.structure.name] = description
        }
        catalogue = Catalogue(version: 1, nextTable: UInt64(tables.count + 1), tables: descriptions)
    }

    func executor(mostBytes: Int = RowSorter.memoryBytes) -> QueryExecutor<Snapshot> {
        QueryExecutor(reader: store.snapshot(), catalogue: catalogue, mostBytes: mostBytes)
    }

    /// The rows of a query's sources.
    func rows(of query: Query) -> [[[ColumnValue]]] {
        query.sources.map { source in tables.first { $0.structure === source }?.rows ?? [] }
    }

    /// What the query has to give.
    func expected(_ query: Query) -> [TestResult] {
        let evaluation = QueryEvaluation(query, rows: rows(of: query))
        let sources = rows(of: query)
        let parents = evaluation.parents()
        let joined = evaluation.joined(to: parents)
        func result(_ source: Int, _ row: Int, _ place: Int) -> TestResult {
            let arrays = query.joins.enumerated().compactMap { number, join -> [TestResult]? in
                guard join.parent == source else { return nil }
                return joined[number].members[place].map { result(join.source, joined[number].rows[$0], $0) }
            }
            return TestResult(row: ValueTuple(sources[source][row]), arrays: arrays)
        }
        return parents.enumerated().map { result(0, $1, $0) }
    }

    /// What the query gives.
    func found(_ query: Query, by executor: QueryExecutor<Snapshot>) throws -> [TestResult] {
        let stream = try executor.run(query)
        var results: [TestResult] = []
        while let batch = try stream.next() {
            func values(_ rows: RowBuffer, _ number: Int, _ shape: RowShape) throws -> ValueTuple {
                try rows.withRow(number) { (row) throws(any Error) in
                    ValueTuple(
                        try shape.structure.columns.indices.map {
                            try ColumnReader($0, shape: shape).value(in: row)
                        })
                }
            }
            func result(_ source: Int, _ rows: RowBuffer, _ shape: RowShape, _ number: Int) throws -> TestResult {
                var arrays: [[TestResult]] = []
                for (place, join) in query.joins.enumerated() where join.parent == source {
                    let joined = batch.joined[place]
                    let range = (number == 0 ? 0 : joined.ends[number - 1])..<joined.ends[number]
                    arrays.append(
                        try joined.members[range].map { try result(join.source, joined.rows, joined.shape, Int($0)) })
                }
                return TestResult(row: try values(rows, number, shape), arrays: arrays)
            }
            for number in 0..<batch.rows.count { results.append(try result(0, batch.rows, batch.shape, number)) }
        }
        return results
    }
}

/// A row with the arrays that joins gave it.
struct TestResult: Hashable, CustomStringConvertible {
    var row: ValueTuple
    var arrays: [[TestResult]]

    var description: String { "\(row.values)" + (arrays.isEmpty ? "" : " \(arrays)") }
}
