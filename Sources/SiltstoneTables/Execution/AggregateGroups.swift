import TableKit

/// Collects the groups of an aggregate query row by row. Holds all groups in memory.
struct AggregateGroups {
    private let query: AggregateQuery
    private let columns: [Column]
    private let groupKey: SortKey
    private let groupReaders: [ColumnReader]
    private let readers: [ColumnReader?]
    private var groups: [[UInt8]: Group] = [:]
    private var scratch: [UInt8] = []

    private struct Group {
        var values: [ColumnValue]
        var sums: [AggregateSum]
    }

    /// - Throws: `TableErrorCode.noColumn` if a column is missing.
    init(_ query: AggregateQuery, of table: TableAccess) throws {
        self.query = query
        columns = table.structure.columns
        let numbers = query.groupBy + query.aggregates.compactMap(\.column)
        guard numbers.allSatisfy({ table.types.indices.contains($0) && table.binding.positions[$0] != nil }) else {
            throw CRUDSQLGenError.missingColumn(table.structure.name)
        }
        groupKey = SortKey(query.groupBy.map { OrderTerm(column: $0) }, of: table)
        groupReaders = query.groupBy.map { ColumnReader($0, shape: table.shape) }
        readers = query.aggregates.map { $0.column.map { ColumnReader($0, shape: table.shape) } }
        if query.groupBy.isEmpty { groups[[]] = Group(values: [], sums: newSums) }
    }

    private var newSums: [AggregateSum] { query.aggregates.map { _ in AggregateSum() } }

    /// Adds a row.
    mutating func add(_ row: RawSpan) throws {
        try groupKey.make(&scratch, of: row)
        if groups[scratch] == nil {
            groups[scratch] = Group(values: try groupReaders.map { try $0.value(in: row) }, sums: newSums)
        }
        for place in readers.indices {
            let value = try readers[place]?.value(in: row)
            try groups[scratch]?.sums[place].add(value, query.aggregates[place], columns)
        }
    }

    /// The groups in order, each with its values and its aggregates.
    func results() throws -> [[ColumnValue]] {
        try groups.sorted { RowBytes.order($0.key, $1.key) < 0 }.map { _, group in
            var result = group.values
            for (sum, aggregate) in zip(group.sums, query.aggregates) {
                result.append(try sum.result(aggregate, columns))
            }
            return result
        }
    }
}
