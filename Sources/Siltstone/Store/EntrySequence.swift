/// The entries of a snapshot or a transaction in a range of keys, as an asynchronous sequence.
///
/// Each iteration reads in chunks, on a thread of the store's own where that may wait for the disk, so that no thread of
/// the cooperative pool is held up.
///
/// Cancellation does not end it: an end that is none would be taken for the whole. Ask `Task.isCancelled` in the loop.
public struct EntrySequence: AsyncSequence, Sendable {
    /// What iterating throws.
    public typealias Failure = StoreError

    let reader: any KeyValueReader
    let range: ScanRange

    /// An iterator from the beginning of the range.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader, range: range) }

    /// Walks the entries.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let reader: any KeyValueReader
        private var range: ScanRange
        private var chunk: [Entry] = []
        private var index = 0
        private var isAtEnd = false

        init(reader: any KeyValueReader, range: ScanRange) {
            self.reader = reader
            self.range = range
        }

        /// The next entry; nil at the end.
        public mutating func next() async throws(StoreError) -> Entry? {
            if index == chunk.count { try await readChunk() }
            guard index < chunk.count else { return nil }
            defer { index += 1 }
            return chunk[index]
        }

        /// As ``next()``: reading does not depend on where the caller is isolated.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Entry? {
            try await next()
        }

        /// Reads some entries, and moves the range behind them.
        private mutating func readChunk() async throws(StoreError) {
            chunk = []
            index = 0
            if isAtEnd { return }
            var part = range
            part.limit = Swift.min(range.limit, 256)
            let (reader, wanted) = (reader, part)
            chunk = try await reader._onBlockingQueue { () throws(StoreError) in
                let cursor = try reader._makeCursor(
                    from: wanted.from, to: wanted.to, reverse: wanted.direction == .backward, limit: wanted.limit)
                var entries: [Entry] = []
                // Not more than a megabyte at once, whatever the values weigh.
                var bytes = 0
                while bytes < 1 << 20, let entry = try cursor.next() {
                    bytes += entry.key.count + entry.value.count
                    entries.append(entry)
                }
                return entries
            }
            guard let last = chunk.last else {
                isAtEnd = true
                return
            }
            range.limit -= chunk.count
            switch range.direction {
            case .forward: range.from = last.key + [0]  // the least key behind it
            case .backward: range.to = last.key
            }
        }
    }
}
