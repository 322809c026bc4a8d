import Siltstone

/// Walks ranges of a table's rows, and filters them as they lie in memory.
final class RowWalk<Reader: KeyValueReader>: RowSource {
    private let reader: Reader
    private let prefixBytes: Int
    private let ranges: [KeyRange]
    private let isReverse: Bool
    private let filter: RowFilter
    /// Made with the first row that is asked for.
    private var cursor: Cursor?

    /// - Parameters:
    ///   - prefixBytes: the length of what the keys of all rows begin with.
    ///   - ranges: of whole keys, in any order.
    init(_ reader: Reader, prefixBytes: Int, ranges: [KeyRange], isReverse: Bool, filter: RowFilter) {
        self.reader = reader
        self.prefixBytes = prefixBytes
        self.ranges = ranges
        self.isReverse = isReverse
        self.filter = filter
    }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        let cursor = try started()
        let (filter, prefixBytes) = (filter, prefixBytes)
        try cursor.forEach { key, row in
            guard try filter.accepts(row) else { return true }
            return try body(key.extracting(droppingFirst: prefixBytes), row)
        }
    }

    private func started() throws -> Cursor {
        if let cursor { return cursor }
        let cursor =
            ranges.count == 1
            ? try reader.scan(from: ranges[0].from, to: ranges[0].to, reverse: isReverse)
            : try reader.scan(ranges: ranges, reverse: isReverse)
        self.cursor = cursor
        return cursor
    }
}
