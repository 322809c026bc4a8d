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
        case .sum(let number):
            let column = query.sources[0].columns[number]
            return try sum(values(number), column).total(of: column)
        case .average(let number): return try sum(values(number), query.sources[0].columns[number]).average
        }
    }

    private func sum(_ values: [ColumnValue], _ column: Column) throws(CRUDSQLExeError) -> NumberSum {
        var sum = NumberSum()
        for value in values {
            guard sum.add(value) else { throw NumberSum.refusal(of: column) }
        }
        return sum
    }
}
