extension Engine {
    /// Makes everything acknowledged before it durable.
    func syncAll() throws(StoreError) { try commits?.wait(for: lastAcknowledged()) }

    /// As ``syncAll()``, without blocking a thread.
    func syncAll() async throws(StoreError) { try await commits?.wait(for: lastAcknowledged()) }

    private func lastAcknowledged() throws(StoreError) -> SequenceNumber {
        try writeLock.withLock { () throws(StoreError) in
            try checkWritable()
            return state.pointee.lastSequence
        }
    }
}
