import Siltstone
import TableKit

extension QueryExecutor {
    /// Counts the rows of a query whose condition is one range of a column that a key or an index begins with. Makes no plan,
    /// which takes longer than counting a hundred entries.
    /// - Returns: nil for all other queries.
    func rangeCount(_ query: Query) throws -> Int? {
        guard query.joins.isEmpty, query.limit == nil, query.forcedPlan == nil, query.columns == nil,
            let predicate = query.predicate, let column = RangeCount.column(of: predicate)
        else { return nil }
        let table = try catalogue.access(query.sources[0])
        guard !query.isDistinct || !table.keyColumns.isEmpty,
            let order = table.orders.first(where: { $0.columns.first == .some(column) }),
            table.binding.positions[column] != nil
        else { return nil }
        var range = RangeCount(order.prefix, column, table.types[column])
        guard range.narrow(predicate) else { return nil }
        return RowBytes.order(range.from, range.to) < 0 ? try reader.count(from: range.from, to: range.to) : 0
    }
}

/// A range of the entries of an order, narrowed by comparisons of the order's first column.
private struct RangeCount {
    /// Where the range begins. Entries with NULL stand before it.
    private(set) var from: [UInt8]
    /// The first place behind the range.
    private(set) var to: [UInt8]
    private let prefix: [UInt8]
    private let column: Int
    private let type: ColumnType

    /// - Parameters:
    ///   - prefix: what the keys of all entries begin with.
    ///   - column: the number of the column whose value follows, and its type.
    init(_ prefix: [UInt8], _ column: Int, _ type: ColumnType) {
        from = prefix + KeyInterval.values.from
        to = prefix + KeyInterval.values.to
        self.prefix = prefix
        self.column = column
        self.type = type
    }

    /// The column of source 0 that a comparison, or the first one of a conjunction, names; nil for other conditions.
    static func column(of predicate: Predicate) -> Int? {
        switch predicate {
        case .compare(let column, _, _): column.source == 0 ? column.column : nil
        case .and(let parts): parts.first.flatMap { column(of: $0) }
        default: nil
        }
    }

    /// Narrows the range to the entries that meet a condition.
    /// - Returns: false where it has parts that are no plain comparisons of the column.
    mutating func narrow(_ predicate: Predicate) -> Bool {
        switch predicate {
        case .compare(let reference, let comparison, let value):
            guard reference.source == 0, reference.column == column, value.isPlain(type) else { return false }
            return narrow(comparison, value)
        case .and(let parts):
            for part in parts where !narrow(part) { return false }
            return true
        default: return false
        }
    }

    private mutating func narrow(_ comparison: Comparison, _ value: ColumnValue) -> Bool {
        let encoder = KeyEncoder(prefix)
        encoder.append(value)
        // No value's tag is FF: this is the end of all entries with the value.
        var bytes = encoder.bytes
        switch comparison {
        case .less, .greaterOrEqual: break
        case .lessOrEqual, .greater: bytes.append(0xFF)
        case .equal, .notEqual: return false
        }
        switch comparison {
        case .less, .lessOrEqual: if RowBytes.order(bytes, to) < 0 { to = bytes }
        default: if RowBytes.order(bytes, from) > 0 { from = bytes }
        }
        return true
    }
}
