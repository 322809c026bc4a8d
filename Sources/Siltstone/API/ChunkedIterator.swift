/// Reads ranges in chunks on a thread that may block. Asynchronous sequences of entries and keys use it.
///
/// Each chunk has its own cursor, which starts behind the last key of the previous chunk in scan order. The reader is a
/// snapshot or a transaction. The chunks of a snapshot all see one state. A chunk of a transaction also sees the writes
/// that the transaction made before the chunk was read.
struct ChunkedIterator<Element: Sendable>: Sendable {
    private let reader: any KeyValueReader
    /// The ranges that were not read yet, in key order.
    private var ranges: ArraySlice<KeyRange>
    private let isForward: Bool
    /// The number of elements that may still be read.
    private var remaining: Int
    /// The elements of the last chunk that were not returned yet.
    private var chunk: ArraySlice<Element> = []
    private let read: @Sendable (Cursor) throws(StoreError) -> Item?

    /// An element, its key, and its size in bytes.
    typealias Item = (element: Element, key: [UInt8], size: Int)

    /// The largest number of elements in a chunk. Each chunk costs two changes of thread, some ten microseconds, which
    /// hundreds of elements share. Not tuned by measurement.
    private static var chunkEntries: Int { 256 }
    /// The number of bytes after which a chunk ends: bounds the memory where elements are large.
    private static var chunkBytes: Int { 1 << 20 }
    /// The largest number of ranges for one chunk. A cursor copies its ranges. Without this limit, each chunk would
    /// copy all ranges that remain.
    private static var chunkRanges: Int { 1024 }

    /// - Parameters:
    ///   - ranges: in any order.
    ///   - limit: the largest number of elements; nil for all.
    ///   - read: reads the next element from a cursor.
    init(
        _ reader: any KeyValueReader, over ranges: some Sequence<KeyRange>, reverse: Bool, limit: Int?,
        read: @escaping @Sendable (Cursor) throws(StoreError) -> Item?
    ) {
        self.reader = reader
        self.ranges = KeyRange.sortedAndDisjoint(ranges)[...]
        isForward = !reverse
        remaining = max(0, limit ?? .max)
        self.read = read
    }

    /// Returns the next element; nil at the end.
    mutating func next() async throws(StoreError) -> Element? {
        while chunk.isEmpty, remaining > 0, !ranges.isEmpty { try await readChunk() }
        return chunk.popFirst()
    }

    private mutating func readChunk() async throws(StoreError) {
        let (reader, read, reverse) = (reader, read, !isForward)
        let limit = min(remaining, Self.chunkEntries)
        let part = Array(isForward ? ranges.prefix(Self.chunkRanges) : ranges.suffix(Self.chunkRanges))
        let (elements, last) = try await BlockingWork.run { () throws(StoreError) -> ([Element], [UInt8]?) in
            let cursor = try reader._makeCursor(over: part, reverse: reverse, limit: limit)
            var elements: [Element] = []
            var last: [UInt8]?
            var bytes = 0
            while bytes < Self.chunkBytes, elements.count < limit {
                guard let item = try read(cursor) else { return (elements, nil) }
                elements.append(item.element)
                last = item.key
                bytes += item.size
            }
            return (elements, last)
        }
        remaining -= elements.count
        chunk = elements[...]
        if let last {
            dropRanges(through: last)
        } else {
            // At the end of the cursor, all ranges of this part were read.
            ranges = isForward ? ranges.dropFirst(part.count) : ranges.dropLast(part.count)
        }
    }

    /// Removes all keys up to the last one that was read, in scan order, from ``ranges``.
    private mutating func dropRanges(through key: [UInt8]) {
        let unread = isForward ? KeyRange(from: KeyRange.successor(of: key)) : KeyRange(to: key)
        while let index = isForward ? ranges.indices.first : ranges.indices.last {
            ranges[index] = ranges[index].intersection(unread)
            if !ranges[index].isEmpty { return }
            _ = isForward ? ranges.popFirst() : ranges.popLast()
        }
    }
}
