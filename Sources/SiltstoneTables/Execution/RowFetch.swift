import Siltstone
import TableKit

/// Fetches rows by keys from a list or an index, in batches, and filters them.
final class RowFetch<Reader: KeyValueReader>: RowSource {
    /// Appends row keys with the table's prefix, up to a number of keys. Appends none at the end.
    typealias Fill = (inout RowBuffer, Int) throws -> Void

    private let reader: Reader
    private let prefixBytes: Int
    private let filter: RowFilter
    private let fill: Fill
    private var keys = RowBuffer()
    private var next = 0
    /// The number of keys in the next batch. Batches grow, so that a short query fetches few unneeded rows.
    private var batch: Int
    private let (leastKeys, mostKeys) = (8, 128)

    /// - Parameter wanted: the expected minimum number of rows read. Nil: all.
    init(_ reader: Reader, prefixBytes: Int, filter: RowFilter, wanted: Int?, fill: @escaping Fill) {
        self.reader = reader
        self.prefixBytes = prefixBytes
        self.filter = filter
        self.fill = fill
        batch = max(1, min(wanted ?? mostKeys, mostKeys))
    }

    /// Thrown to end a look-up of many keys early.
    private struct Stopped: Error {}

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        while true {
            if next == keys.count {
                keys.removeAll()
                next = 0
                try fill(&keys, batch)
                batch = max(leastKeys, min(2 * batch, mostKeys))
                if keys.isEmpty { return }
            }
            if try !fetch(body) { return }
        }
    }

    /// - Returns: true if `body` wants more rows.
    private func fetch(_ body: (RawSpan, RawSpan) throws -> Bool) throws -> Bool {
        let first = next
        do {
            try reader.withRows(of: KeySlices(keys, from: first)) { index, row in
                next = first + index + 1
                // Keys of a list may have no row.
                guard let row, try filter.accepts(row) else { return }
                let goesOn = try keys.withRow(first + index) { key in
                    try body(key.extracting(droppingFirst: prefixBytes), row)
                }
                if !goesOn { throw Stopped() }
            }
        } catch is Stopped { return false }
        return true
    }
}

extension KeyValueReader {
    /// `withValues(of:_:)`, specialized for each reader type of sessions. Generic code would call witnesses several
    /// times for each key, which takes as long as the look-up.
    fileprivate func withRows(of keys: KeySlices, _ body: (Int, RawSpan?) throws -> Void) throws {
        switch self {
        case let snapshot as Snapshot: try snapshot.withValues(of: keys, body)
        case let transaction as Transaction: try transaction.withValues(of: keys, body)
        case let transaction as FrozenTransaction: try transaction.withValues(of: keys, body)
        default: try withValues(of: keys, body)
        }
    }
}

/// The keys of a buffer, in order.
private struct KeySlices: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private let ends: [Int]
    private var place: Int
    private var start: Int

    init(_ keys: RowBuffer, from first: Int) {
        (bytes, ends) = (keys.bytes, keys.ends)
        place = first
        start = first == 0 ? 0 : keys.ends[first - 1]
    }

    mutating func next() -> ArraySlice<UInt8>? {
        if place == ends.count { return nil }
        defer { (start, place) = (ends[place], place + 1) }
        return bytes[start..<ends[place]]
    }
}

/// The key sources of ``RowFetch``.
enum RowKeys {
    /// Keys from a list of full keys.
    static func list<Reader: KeyValueReader>(_ keys: [[UInt8]], for reader: Reader) -> RowFetch<Reader>.Fill {
        var rest = keys[...]
        return { buffer, count in
            for key in rest.prefix(count) { unsafe buffer.append(key.span.bytes) }
            rest = rest.dropFirst(count)
        }
    }

    /// Keys from the values of unique index entries.
    static func entries<Reader: KeyValueReader>(
        _ entries: [[UInt8]], rowPrefix: [UInt8], in reader: Reader
    ) -> RowFetch<Reader>.Fill {
        var rest = entries[...]
        return { buffer, count in
            while buffer.isEmpty, !rest.isEmpty {
                try reader.withValues(of: rest.prefix(count)) { _, key in
                    if let key { buffer.append(rowPrefix, key) }
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Keys from a scan of index ranges.
    static func scan<Reader: KeyValueReader>(
        _ order: KeyOrder, _ ranges: [KeyRange], isReverse: Bool, rowPrefix: [UInt8], in reader: Reader
    ) -> RowFetch<Reader>.Fill {
        var cursor: Cursor?
        let (prefixBytes, columns) = (order.prefix.count, order.columns.count)
        return { buffer, count in
            let scan = try cursor ?? reader.scan(ranges: ranges, reverse: isReverse)
            cursor = scan
            try scan.forEach { key, value in
                // A unique entry has the row's key as its value. In other entries the key follows the values.
                if value.byteCount > 0 {
                    buffer.append(rowPrefix, value)
                } else {
                    let end = try KeyDecoder.end(ofValues: columns, at: prefixBytes, in: key)
                    buffer.append(rowPrefix, key.extracting(droppingFirst: end))
                }
                return buffer.count < count
            }
        }
    }
}

extension RowBuffer {
    /// Appends a row that consists of two parts.
    fileprivate mutating func append(_ prefix: [UInt8], _ rest: RawSpan) {
        bytes += prefix
        append(rest)
    }
}
