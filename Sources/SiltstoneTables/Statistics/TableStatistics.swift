/// What `analyze` found in the indexes of a table. Hints for plans, which are right without them, too.
package final class TableStatistics: Sendable {
    /// Rows at the time.
    package let rows: Int
    /// The indexes, by number; the primary key has ``KeySpace/rowsNumber``.
    package let indexes: [UInt64: IndexStatistics]

    package init(rows: Int, indexes: [UInt64: IndexStatistics]) {
        self.rows = rows
        self.indexes = indexes
    }
}

/// The distribution of an index's values. Values are bytes as keys have them.
package struct IndexStatistics: Sendable, Hashable {
    /// A value of the first column that many entries have.
    package struct Common: Sendable, Hashable {
        package var value: [UInt8]
        package var entries: Int
    }

    /// All entries.
    package var entries = 0
    /// Entries whose first column is NULL.
    package var nulls = 0
    /// For each column, the number of different values of it and the columns before it.
    package var distinct: [Int] = []
    /// The values of the first column that more entries have than others, the most frequent first. NULL is none.
    package var common: [Common] = []
    /// Values of the first column that are not NULL, with about as many entries between any two neighbours: first the
    /// least, last the greatest.
    package var bounds: [[UInt8]] = []

    /// Values that are longer are cut as bounds, and are no common ones.
    static let mostBytes = 64
    static let mostCommon = 16
    static let mostBounds = 33

    // MARK: Shares

    /// Different values of the first column, NULL left out.
    private var values: Int { max((distinct.first ?? 0) - (nulls > 0 ? 1 : 0), 0) }

    /// About which part of the entries has values of the first column in an interval.
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
        // The others have the rest among them.
        let rest = entries - nulls - common.reduce(0) { $0 + $1.entries }
        return Double(max(rest, 0)) / Double(max(values - common.count, 1)) / Double(entries)
    }

    /// About which part of the values that are not NULL is below some bytes: by the neighbours that these lie between.
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

    /// About how many entries have the same value of the first so many columns.
    func entriesPerValue(columns: Int = 1) -> Double {
        guard columns > 0, columns <= distinct.count, distinct[columns - 1] > 0 else { return Double(entries) }
        return Double(entries) / Double(distinct[columns - 1])
    }
}
