/// The keys of a snapshot or a transaction in one or several ranges, as an asynchronous sequence. Does not read values
/// from value files.
///
/// In all else it is like ``EntrySequence``: the moment that it sees, chunks, threads, and cancellation.
public struct KeySequence: AsyncSequence, Sendable {
    /// The error that iterating throws.
    public typealias Failure = StoreError

    let walk: ChunkedWalk

    /// Makes an iterator at the start of the ranges.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(walk: walk) }

    /// Iterates over the keys.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var walk: ChunkedWalk
        private var chunk: [[UInt8]] = []
        private var index = 0

        init(walk: ChunkedWalk) { self.walk = walk }

        /// Returns the next key; nil at the end.
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

        /// Like ``next()``. The actor makes no difference to the read.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> [UInt8]? {
            try await next()
        }
    }
}
