import TableKit

/// The running value of one aggregate of one group.
struct AggregateSum {
    private var count = 0
    private var whole: Int128 = 0
    private var real = 0.0
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
        count += 1
        switch aggregate {
        case .count, .countValues: break
        case .countDistinct: distinct.insert(ValueTuple([value]))
        case .min: if extreme.isNull || ColumnValue.order(value, extreme) < 0 { extreme = value }
        case .max: if extreme.isNull || ColumnValue.order(value, extreme) > 0 { extreme = value }
        case .sum(let column), .average(let column): try sum(value, columns[column])
        }
    }

    private mutating func sum(_ value: ColumnValue, _ column: Column) throws {
        switch value {
        case .integer(let number): whole += Int128(number)
        case .unsigned(let number): whole += Int128(number)
        case .bool(let isTrue): whole += isTrue ? 1 : 0
        case .real(let number): real += number
        default: throw CRUDSQLExeError("Only numbers have a sum.", code: .type, column: column.name)
        }
    }

    /// - Throws: `TableErrorCode.type` on overflow of an integer sum.
    func result(_ aggregate: Aggregate, _ columns: [Column]) throws -> ColumnValue {
        switch aggregate {
        case .count, .countValues: return .integer(Int64(count))
        case .countDistinct: return .integer(Int64(distinct.count))
        case .min, .max: return extreme
        case .sum(let column): return try total(columns[column])
        case .average: return count == 0 ? .null : .real((real + Double(whole)) / Double(count))
        }
    }

    private func total(_ column: Column) throws -> ColumnValue {
        if count == 0 { return .null }
        if column.type.isFloatingPoint { return .real(real + Double(whole)) }
        if column.type == .uint64, let sum = UInt64(exactly: whole) { return ColumnValue(sum) }
        if column.type != .uint64, let sum = Int64(exactly: whole) { return .integer(sum) }
        throw CRUDSQLExeError("The sum is out of the range of 64 bits.", code: .type, column: column.name)
    }
}
