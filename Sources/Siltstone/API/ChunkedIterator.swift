/// Reads ranges in chunks on a thread that may block. Asynchronous sequences of entries and keys use it.
///
/// Each chunk has its own cursor, which starts behind the last key of the previous chunk in scan order. All chunks see
/// one state if the reader is a snapshot.
struct ChunkedIterator<Element: Sendable>: Sendable {
    private let reader: any KeyValueReader
    /// The ranges that were not read yet, in key order.
    private var ranges: ArraySlice<KeyRange>
    private let isForward: Bool
    /// The number of elements that may still be read.
    private var left: Int
    /// The elements of the last chunk that were not returned yet.
    private var chunk: ArraySlice<Element> = []
    private let size: @Sendable (Element) -> Int
    private let key: @Sendable (Element) -> [UInt8]
    private let read: @Sendable (Cursor) throws(StoreError) -> Element?

    /// The largest number of elements in a chunk.
    private static var chunkEntries: Int { 256 }
    /// The number of bytes after which a chunk ends.
    private static var chunkBytes: Int { 1 << 20 }
    /// The largest number of ranges for one chunk. A cursor copies its ranges: without this limit,
    /// every chunk would copy all that remain.
    private static var chunkRanges: Int { 1024 }

    /// - Parameters:
    ///   - ranges: in any order.
    ///   - limit: the largest number of elements; nil for all.
    ///   - size: returns the size of an element in bytes.
    ///   - key: returns the key of an element.
    ///   - read: reads the next element from a cursor.
    init(
        _ reader: any KeyValueReader, over ranges: some Sequence<KeyRange>, reverse: Bool, limit: Int?,
        size: @escaping @Sendable (Element) -> Int, key: @escaping @Sendable (Element) -> [UInt8],
        read: @escaping @Sendable (Cursor) throws(StoreError) -> Element?
    ) {
        self.reader = reader
        self.ranges = KeyRange.sortedAndDisjoint(ranges)[...]
        isForward = !reverse
        left = ScanRange.limit(limit)
        (self.size, self.key, self.read) = (size, key, read)
    }

    /// Returns the next element; nil at the end.
    mutating func next() async throws(StoreError) -> Element? {
        while chunk.isEmpty, left > 0, !ranges.isEmpty { try await readChunk() }
        return chunk.popFirst()
    }

    private mutating func readChunk() async throws(StoreError) {
        let (reader, size, read, reverse) = (reader, size, read, !isForward)
        let limit = min(left, Self.chunkEntries)
        let part = Array(isForward ? ranges.prefix(Self.chunkRanges) : ranges.suffix(Self.chunkRanges))
        let (elements, isEnd) = try await BlockingWork.run { () throws(StoreError) in
            let cursor = try reader._makeCursor(over: part, reverse: reverse, limit: limit)
            var elements: [Element] = []
            var bytes = 0
            while bytes < Self.chunkBytes, elements.count < limit {
                guard let element = try read(cursor) else { return (elements, true) }
                bytes += size(element)
                elements.append(element)
            }
            return (elements, false)
        }
        left -= elements.count
        chunk = elements[...]
        if isEnd {
            ranges = isForward ? ranges.dropFirst(part.count) : ranges.dropLast(part.count)
        } else if let last = elements.last {
            goBehind(key(last))
        }
    }

    /// Removes the keys that were read from ``ranges``.
    /// - Parameter key: the last one, in scan order.
    private mutating func goBehind(_ key: [UInt8]) {
        let unread = isForward ? KeyRange(from: KeyRange.successor(of: key)) : KeyRange(to: key)
        while let index = isForward ? ranges.indices.first : ranges.indices.last {
            ranges[index] = ranges[index].intersection(unread)
            if !ranges[index].isEmpty { return }
            _ = isForward ? ranges.popFirst() : ranges.popLast()
        }
    }
}
