/// The entries of a snapshot or a transaction in one or several ranges of keys, as an asynchronous sequence. A sequence
/// of a store takes a snapshot when it is made.
///
/// Each iteration starts again, and reads in chunks of up to 256 entries. It reads on a thread that may block, outside
/// the cooperative pool. In a transaction, each chunk sees the writes that were made before it was read, and the commit
/// checks complete chunks for conflicts.
///
/// Cancellation does not end the sequence, because an early end would look like the end of the entries. Check
/// `Task.isCancelled` in the loop.
public struct EntrySequence: AsyncSequence, Sendable {
    /// The error that iterating throws.
    public typealias Failure = StoreError

    let iterator: ChunkedIterator<Entry>

    /// Makes an iterator at the start of the ranges.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: iterator) }

    /// Iterates over the entries.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The error that ``next()`` throws.
        public typealias Failure = StoreError

        fileprivate var iterator: ChunkedIterator<Entry>

        /// Returns the next entry; nil at the end.
        public mutating func next() async throws(StoreError) -> Entry? { try await iterator.next() }
    }
}
