/// Reads ranges in chunks on a thread of the store that may block. Asynchronous sequences of entries and keys use it.
///
/// Each chunk has its own cursor, which starts after the last key of the previous chunk.
struct ChunkedWalk: Sendable {
    let reader: any KeyValueReader
    /// The ranges that were not read yet, in key order.
    private var ranges: ArraySlice<KeyRange>
    private let direction: ScanDirection
    /// The number of elements that may still be returned.
    private var left: Int

    /// The largest number of entries in a chunk, and the number of bytes after which a chunk ends.
    private static let chunkEntries = 256
    private static let chunkBytes = 1 << 20
    /// The largest number of ranges for one chunk. More would be copied again for each chunk.
    private static let chunkRanges = 1024

    /// - Parameter ranges: sorted and disjoint, in key order.
    init(_ reader: any KeyValueReader, over ranges: [KeyRange], reverse: Bool, limit: Int?) {
        self.reader = reader
        self.ranges = ranges[...]
        direction = reverse ? .backward : .forward
        left = ScanRange.limit(limit)
    }

    /// Reads the next elements (entries or keys); returns none at the end.
    /// - Parameters:
    ///   - size: returns the bytes of an element.
    ///   - key: returns the key of an element.
    ///   - next: reads an element from a cursor.
    mutating func nextChunk<Element: Sendable>(
        size: @Sendable @escaping (Element) -> Int, key: (Element) -> [UInt8],
        next: @Sendable @escaping (Cursor) throws(StoreError) -> Element?
    ) async throws(StoreError) -> [Element] {
        while left > 0, !ranges.isEmpty {
            let isForward = direction == .forward
            let (reader, limit) = (reader, min(left, Self.chunkEntries))
            let part = Array(isForward ? ranges.prefix(Self.chunkRanges) : ranges.suffix(Self.chunkRanges))
            let (chunk, isEnd) = try await reader._onBlockingQueue { () throws(StoreError) in
                let cursor = try Self.cursor(reader, over: part, reverse: !isForward, limit: limit)
                var elements: [Element] = []
                var bytes = 0
                while bytes < Self.chunkBytes, elements.count < limit {
                    guard let element = try next(cursor) else { return (elements, true) }
                    bytes += size(element)
                    elements.append(element)
                }
                return (elements, false)
            }
            left -= chunk.count
            if isEnd {
                ranges = isForward ? ranges.dropFirst(part.count) : ranges.dropLast(part.count)
            } else if let last = chunk.last {
                goBehind(key(last))
            }
            if !chunk.isEmpty { return chunk }
        }
        return []
    }

    /// Makes a cursor; a single range needs only a plain scan.
    private static func cursor(
        _ reader: any KeyValueReader, over ranges: [KeyRange], reverse: Bool, limit: Int
    ) throws(StoreError) -> Cursor {
        guard ranges.count == 1, let range = ranges.first else {
            return try reader._makeCursor(over: ranges, reverse: reverse, limit: limit)
        }
        return try reader._makeCursor(from: range.from, to: range.to, reverse: reverse, limit: limit)
    }

    /// Removes the keys that were read from ``ranges``.
    /// - Parameter key: the last one, in scan order.
    private mutating func goBehind(_ key: [UInt8]) {
        switch direction {
        case .forward:
            let next = key + [0]  // the smallest key after it
            while let range = ranges.first {
                if let to = range.to, !next.lexicographicallyPrecedes(to) {
                    ranges.removeFirst()
                    continue
                }
                if range.from.lexicographicallyPrecedes(next) { ranges[ranges.startIndex].from = next }
                return
            }
        case .backward:
            while let range = ranges.last {
                if !range.from.lexicographicallyPrecedes(key) {
                    ranges.removeLast()
                    continue
                }
                if range.to.map({ key.lexicographicallyPrecedes($0) }) ?? true {
                    ranges[ranges.endIndex - 1].to = key
                }
                return
            }
        }
    }
}
