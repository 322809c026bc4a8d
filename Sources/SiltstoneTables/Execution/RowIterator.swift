import Siltstone

/// Scans ranges of a table's rows, and filters the rows in place.
final class RowIterator<Reader: KeyValueReader>: RowSource {
    private let reader: Reader
    private let prefixBytes: Int
    private let ranges: [KeyRange]
    private let isReverse: Bool
    private let filter: RowFilter
    /// Created when the first row is requested.
    private var cursor: Cursor?

    /// - Parameters:
    ///   - prefixBytes: the length of the key prefix of all rows.
    ///   - ranges: ranges of full keys, in any order.
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
