/// The entries of a snapshot or a transaction in a range of keys, or several, as an asynchronous sequence.
///
/// Each iteration reads in chunks, on a thread of the store's own where that may wait for the disk, so that no thread of
/// the cooperative pool is held up.
///
/// Cancellation does not end it: an end that is none would be taken for the whole. Ask `Task.isCancelled` in the loop.
public struct EntrySequence: AsyncSequence, Sendable {
    /// What iterating throws.
    public typealias Failure = StoreError

    let walk: ChunkedWalk

    /// An iterator from the beginning of the range.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(walk: walk) }

    /// Walks the entries.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var walk: ChunkedWalk
        private var chunk: [Entry] = []
        private var index = 0

        init(walk: ChunkedWalk) { self.walk = walk }

        /// The next entry; nil at the end.
        public mutating func next() async throws(StoreError) -> Entry? {
            if index == chunk.count {
                index = 0
                chunk = []
                chunk = try await walk.nextChunk(
                    size: { $0.key.count + $0.value.count }, key: \.key,
                    next: { cursor throws(StoreError) in try cursor.next() })
            }
            guard index < chunk.count else { return nil }
            defer { index += 1 }
            return chunk[index]
        }

        /// As ``next()``: reading does not depend on where the caller is isolated.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Entry? {
            try await next()
        }
    }
}
