import Synchronization

extension Engine {
    /// Makes everything acknowledged before it durable.
    func syncAll() throws(StoreError) {
        let last = try lastAcknowledged()
        try settle()
        try commits?.wait(for: last)
    }

    /// As ``syncAll()``, without blocking a thread.
    func syncAll() async throws(StoreError) {
        let last = try lastAcknowledged()
        if !isSettled.load(ordering: .acquiring) {
            try await onBlockingQueue { () throws(StoreError) in try self.settle() }
        }
        try await commits?.wait(for: last)
    }

    /// The sequence number of the last change, where the store can be written to.
    func lastAcknowledged() throws(StoreError) -> SequenceNumber {
        try writeLock.withLock { () throws(StoreError) in
            try checkWritable()
            return state.pointee.lastSequence
        }
    }
}
