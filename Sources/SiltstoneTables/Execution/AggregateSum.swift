import TableKit

/// The running value of one aggregate of one group.
struct AggregateSum {
    private var count = 0
    private var sum = NumberSum()
    private var extreme = ColumnValue.null
    private var distinct: Set<ValueTuple> = []

    /// Adds the value of a row; nil to count the row.
    /// - Throws: `TableErrorCode.type` for a sum of values that are not numbers.
    mutating func add(_ value: ColumnValue?, _ aggregate: Aggregate, _ columns: [Column]) throws {
        guard let value else {
            count += 1
            return
        }
        if value.isNull { return }
        switch aggregate {
        case .count, .countValues: count += 1
        case .countDistinct: distinct.insert(ValueTuple([value]))
        case .min: if extreme.isNull || ColumnValue.order(value, extreme) < 0 { extreme = value }
        case .max: if extreme.isNull || ColumnValue.order(value, extreme) > 0 { extreme = value }
        case .sum(let column), .average(let column):
            guard sum.add(value) else { throw NumberSum.refusal(of: columns[column]) }
        }
    }

    /// - Throws: `TableErrorCode.type` on overflow of an integer sum.
    func result(_ aggregate: Aggregate, _ columns: [Column]) throws -> ColumnValue {
        switch aggregate {
        case .count, .countValues: return .integer(Int64(count))
        case .countDistinct: return .integer(Int64(distinct.count))
        case .min, .max: return extreme
        case .sum(let column): return try sum.total(of: columns[column])
        case .average: return sum.average
        }
    }
}
