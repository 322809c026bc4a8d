import Siltstone
import TableKit

extension QueryExecutor {
    /// Counts the rows of a query whose condition is one range of the first column of the key or an index. Makes no
    /// plan, because planning takes longer than counting a hundred entries.
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

/// A range of an order's entries, narrowed by comparisons with the order's first column.
private struct RangeCount {
    /// The start of the range. Entries with NULL come before it.
    private(set) var from: [UInt8]
    /// The exclusive end of the range.
    private(set) var to: [UInt8]
    private let prefix: [UInt8]
    private let column: Int
    private let type: ColumnType

    /// - Parameters:
    ///   - prefix: the prefix of all entries' keys.
    ///   - column: the number of the column after the prefix.
    init(_ prefix: [UInt8], _ column: Int, _ type: ColumnType) {
        from = prefix + KeyInterval.values.from
        to = prefix + KeyInterval.values.to
        self.prefix = prefix
        self.column = column
        self.type = type
    }

    /// The column of source 0 in a comparison, or in the first one of a conjunction; nil for other conditions.
    static func column(of predicate: Predicate) -> Int? {
        switch predicate {
        case .compare(let column, _, _): column.source == 0 ? column.column : nil
        case .and(let parts): parts.first.flatMap { column(of: $0) }
        default: nil
        }
    }

    /// Narrows the range to the matching entries.
    /// - Returns: false if a part is not a plain comparison with the column.
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
        // No tag is FF, so this is the end of all entries with the value.
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
