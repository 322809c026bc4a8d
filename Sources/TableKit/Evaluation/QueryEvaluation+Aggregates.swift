extension QueryEvaluation {
    /// The groups of the query's parents in order. Each has the values of the group, then the aggregates.
    /// - Throws: ``TableErrorCode/type`` on overflow of a sum, or for a column that is not a number.
    package func aggregate(groupBy: [Int], _ aggregates: [Aggregate]) throws(CRUDSQLExeError) -> [[ColumnValue]] {
        let parents = parents().map { rows[0][$0] }
        var groups = Dictionary(grouping: parents) { row in ValueTuple(groupBy.map { row[$0] }) }
        if groupBy.isEmpty && groups.isEmpty { groups[ValueTuple([])] = [] }
        var results: [[ColumnValue]] = []
        for key in groups.keys.sorted() {
            let rows = groups[key] ?? []
            var result = groupBy.map { column in rows.first.map { $0[column] } ?? .null }
            for aggregate in aggregates { result.append(try value(of: aggregate, over: rows)) }
            results.append(result)
        }
        return results
    }

    private func value(of aggregate: Aggregate, over rows: [[ColumnValue]]) throws(CRUDSQLExeError) -> ColumnValue {
        func values(_ column: Int) -> [ColumnValue] { rows.map { $0[column] }.filter { !$0.isNull } }
        func isBefore(_ a: ColumnValue, _ b: ColumnValue) -> Bool { ColumnValue.order(a, b) < 0 }
        switch aggregate {
        case .count: return .integer(Int64(rows.count))
        case .countValues(let column): return .integer(Int64(values(column).count))
        case .countDistinct(let column): return .integer(Int64(Set(values(column).map { ValueTuple([$0]) }).count))
        case .min(let column): return values(column).min(by: isBefore) ?? .null
        case .max(let column): return values(column).max(by: isBefore) ?? .null
        case .sum(let column):
            return try NumberSum(values(column), column: query.sources[0].columns[column]).sum()
        case .average(let column):
            return try NumberSum(values(column), column: query.sources[0].columns[column]).average()
        }
    }
}

/// The sum of a column's values.
struct NumberSum {
    private var whole: Int128 = 0
    private var real = 0.0
    private let count: Int
    private let column: Column

    /// - Parameter values: without NULLs.
    init(_ values: [ColumnValue], column: Column) throws(CRUDSQLExeError) {
        count = values.count
        self.column = column
        for value in values {
            switch value {
            case .integer(let number): whole += Int128(number)
            case .unsigned(let number): whole += Int128(number)
            case .bool(let isTrue): whole += isTrue ? 1 : 0
            case .real(let number): real += number
            default: throw CRUDSQLExeError("Only numbers have a sum.", code: .type, column: column.name)
            }
        }
    }

    func sum() throws(CRUDSQLExeError) -> ColumnValue {
        if count == 0 { return .null }
        if column.type.isFloatingPoint { return .real(real + Double(whole)) }
        if column.type == .uint64, let sum = UInt64(exactly: whole) { return ColumnValue(sum) }
        if column.type != .uint64, let sum = Int64(exactly: whole) { return .integer(sum) }
        throw CRUDSQLExeError("The sum is out of the range of 64 bits.", code: .type, column: column.name)
    }

    func average() -> ColumnValue {
        count == 0 ? .null : .real((real + Double(whole)) / Double(count))
    }
}
