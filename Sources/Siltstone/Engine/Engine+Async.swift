extension Engine {
    /// Runs blocking work on a thread that is not of the cooperative pool.
    ///
    /// Cancellation does not stop it: what was begun is finished, and its outcome told.
    func onBlockingQueue<R: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        try await BlockingWork.run(on: blockingQueue, body)
    }

    /// Makes a change at once where that does not block, else on a thread that may.
    /// - Parameters:
    ///   - inline: makes the change, or returns nil where it would block.
    ///   - blocking: makes the change, however long it takes.
    func changeWithoutBlocking(
        _ durability: Durability?, inline: () throws(StoreError) -> SequenceNumber?,
        blocking: @escaping @Sendable () throws(StoreError) -> SequenceNumber?
    ) async throws(StoreError) -> SequenceNumber {
        let sequence: SequenceNumber
        if let done = try inline() {
            sequence = done
        } else {
            sequence = try await onBlockingQueue(blocking) ?? 0
        }
        try await finish(sequence, durability)
        return sequence
    }
}
