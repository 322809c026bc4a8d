/// The keys of a snapshot or a transaction in one or several ranges, as an asynchronous sequence. Does not read values
/// from value files.
///
/// In all else it is like ``EntrySequence``: the moment that it sees, chunks, threads, and cancellation.
public struct KeySequence: AsyncSequence, Sendable {
    /// The error that iterating throws.
    public typealias Failure = StoreError

    let iterator: ChunkedIterator<[UInt8]>

    /// Makes an iterator at the start of the ranges.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: iterator) }

    /// Iterates over the keys.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The error that ``next()`` throws.
        public typealias Failure = StoreError

        fileprivate var iterator: ChunkedIterator<[UInt8]>

        /// Returns the next key; nil at the end.
        public mutating func next() async throws(StoreError) -> [UInt8]? { try await iterator.next() }
    }
}
