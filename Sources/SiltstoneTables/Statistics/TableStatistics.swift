/// The statistics of a table from `analyze`. They are hints: plans are correct without them.
package final class TableStatistics: Sendable {
    /// The number of rows at the time.
    package let rows: Int
    /// The index statistics by index number. The primary key has ``KeySpace/rowsNumber``.
    package let indexes: [UInt64: IndexStatistics]

    package init(rows: Int, indexes: [UInt64: IndexStatistics]) {
        self.rows = rows
        self.indexes = indexes
    }
}

/// The distribution of an index's values. Values are encoded as in keys.
package struct IndexStatistics: Sendable, Hashable {
    /// A frequent value of the first column.
    package struct Common: Sendable, Hashable {
        package var value: [UInt8]
        package var entries: Int
    }

    /// The number of entries.
    package var entries = 0
    /// The number of entries whose first column is NULL.
    package var nulls = 0
    /// For each column, the number of distinct values of the prefix that ends with it.
    package var distinct: [Int] = []
    /// The most frequent values of the first column, in descending order, without NULL.
    package var common: [Common] = []
    /// An equi-depth histogram of the first column without NULL: about as many entries lie between any two neighbours.
    /// The first bound is the least value, the last the greatest.
    package var bounds: [[UInt8]] = []

    /// Longer values are truncated as bounds and excluded as common values.
    static let mostBytes = 64
    static let mostCommon = 16
    static let mostBounds = 33

    // MARK: Shares

    /// The number of distinct values of the first column, without NULL.
    private var values: Int { max((distinct.first ?? 0) - (nulls > 0 ? 1 : 0), 0) }

    /// The estimated share of entries whose first column is in an interval.
    func share(of interval: KeyInterval) -> Double {
        guard entries > 0 else { return 1 }
        if interval.isPoint { return share(ofValue: interval.from) }
        let all = Double(entries - nulls) / Double(entries)
        let share = max(rank(of: interval.to) - rank(of: interval.from), 0) * all
        let hasNull = RowBytes.order(interval.from, KeyInterval.null.from) <= 0
        return min(share + (hasNull ? Double(nulls) / Double(entries) : 0), 1)
    }

    private func share(ofValue value: [UInt8]) -> Double {
        if value == KeyInterval.null.from { return Double(nulls) / Double(entries) }
        if let found = common.first(where: { $0.value == value }) { return Double(found.entries) / Double(entries) }
        // All other values share the remaining entries evenly.
        let rest = entries - nulls - common.reduce(0) { $0 + $1.entries }
        return Double(max(rest, 0)) / Double(max(values - common.count, 1)) / Double(entries)
    }

    /// The estimated share of non-NULL values below some bytes, by their position between the bounds.
    private func rank(of bytes: [UInt8]) -> Double {
        guard bounds.count > 1 else { return 0.5 }
        var (low, high) = (0, bounds.count)
        while low < high {
            let middle = (low + high) / 2
            if RowBytes.order(bounds[middle], bytes) < 0 { low = middle + 1 } else { high = middle }
        }
        if low == 0 { return 0 }
        if low == bounds.count { return 1 }
        return (Double(low) - 0.5) / Double(bounds.count - 1)
    }

    /// The estimated number of entries for each value of a column prefix.
    func entriesPerValue(columns: Int = 1) -> Double {
        guard columns > 0, columns <= distinct.count, distinct[columns - 1] > 0 else { return Double(entries) }
        return Double(entries) / Double(distinct[columns - 1])
    }
}
