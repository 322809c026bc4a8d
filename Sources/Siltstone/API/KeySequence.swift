/// The keys of a snapshot or a transaction in a range, or several, as an asynchronous sequence. Values are not fetched.
///
/// As ``EntrySequence`` it reads in chunks, holds up no thread of the cooperative pool, and is not ended by cancellation.
public struct KeySequence: AsyncSequence, Sendable {
    /// What iterating throws.
    public typealias Failure = StoreError

    let walk: ChunkedWalk

    /// An iterator from the beginning of the range.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(walk: walk) }

    /// Walks the keys.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var walk: ChunkedWalk
        private var chunk: [[UInt8]] = []
        private var index = 0

        init(walk: ChunkedWalk) { self.walk = walk }

        /// The next key; nil at the end.
        public mutating func next() async throws(StoreError) -> [UInt8]? {
            if index == chunk.count {
                index = 0
                chunk = []
                chunk = try await walk.nextChunk(
                    size: \.count, key: { $0 }, next: { cursor throws(StoreError) in try cursor.nextKey() })
            }
            guard index < chunk.count else { return nil }
            defer { index += 1 }
            return chunk[index]
        }

        /// As ``next()``: reading does not depend on where the caller is isolated.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> [UInt8]? {
            try await next()
        }
    }
}
