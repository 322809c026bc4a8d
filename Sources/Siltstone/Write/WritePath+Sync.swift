import Synchronization

extension WritePath {
    /// Makes all changes durable that were acknowledged before the call.
    func syncAll() throws(StoreError) {
        let last = try lastAcknowledged()
        try versions.makeRecoveryDurable()
        try commits?.wait(for: last)
    }

    /// Does the same as the synchronous ``syncAll()``, without blocking a thread.
    func syncAll() async throws(StoreError) {
        let last = try lastAcknowledged()
        if !versions.isRecoveryDurable {
            try await BlockingWork.run { () throws(StoreError) in try self.versions.makeRecoveryDurable() }
        }
        try await commits?.wait(for: last)
    }

    /// Makes all changes durable. The store may already be closed to writers.
    func waitForAll() throws(StoreError) { try commits?.wait(for: lock.withLock { state.lastSequence }) }

    /// The sequence number of the last change. Throws if the store takes no writes.
    func lastAcknowledged() throws(StoreError) -> SequenceNumber {
        try lock.withLock { () throws(StoreError) in
            try status.checkWritable()
            return state.lastSequence
        }
    }

    /// Makes all changes durable that were written so far. Called by one group-commit leader at a time.
    /// - Returns: the last sequence number that is durable now.
    func syncLogs() throws(StoreError) -> SequenceNumber {
        let (logs, valueFile, last, isSmall) = lock.withLock {
            let unsynced = (state.sealed + [state.active]).compactMap(\.log)
                .filter { $0.syncedEnd < $0.end }
            return (
                unsynced.map { (log: $0, end: $0.end) }, self.values.current, state.lastSequence,
                configuration.durability == .buffered && unsynced.count == 1 && !isWrittenInBulk(unsynced[0])
            )
        }
        // Syncs values first, and older logs before newer ones, because the durable state must be a prefix of history.
        // A change that arrives in the meantime may refer to a value that is not synced, but it is not in the part of
        // the log that this call makes durable.
        try values.sync(valueFile)
        try status.requireSuccess { () throws(StoreError) in
            for (log, end) in logs { try log.sync(upTo: end) }
        }
        // The writes of this buffered store are small and synced often. Prepared pages would make each sync longer.
        if isSmall {
            lock.withLock { state.active.log?.releasePrepared() }
        }
        return last
    }

    /// Waits until a change is durable, if its durability is ``Durability/synced``; nil stands for the configuration's.
    /// Returns at once for number 0, which means that nothing was written.
    /// - Throws: ``StoreError/Code/inputOutput`` for every failure, because any other code would say that the change
    ///   was not made.
    func waitUntilDurable(_ sequence: SequenceNumber, _ durability: Durability?) throws(StoreError) {
        guard sequence > 0, (durability ?? configuration.durability) == .synced else { return }
        do { try commits?.wait(for: sequence) } catch { throw error.asUncertain }
    }

    /// Does the same as the synchronous function, without blocking a thread.
    func waitUntilDurable(_ sequence: SequenceNumber, _ durability: Durability?) async throws(StoreError) {
        guard sequence > 0, (durability ?? configuration.durability) == .synced else { return }
        do { try await commits?.wait(for: sequence) } catch { throw error.asUncertain }
    }

    /// Makes a change on the caller's thread if that does not block, otherwise on a thread that may block.
    /// - Parameters:
    ///   - durability: see ``waitUntilDurable(_:_:)``.
    ///   - change: makes the change; returns nil if it must not block and would have to.
    func changeWithoutBlocking(
        _ durability: Durability?,
        _ change: @escaping @Sendable (_ mayBlock: Bool) throws(StoreError) -> SequenceNumber?
    ) async throws(StoreError) -> SequenceNumber {
        var done = try change(false)
        if done == nil { done = try await BlockingWork.run { () throws(StoreError) in try change(true) } }
        let sequence = done ?? 0
        try await waitUntilDurable(sequence, durability)
        return sequence
    }
}
