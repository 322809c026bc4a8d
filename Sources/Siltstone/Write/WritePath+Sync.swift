import Synchronization

extension WritePath {
    /// Makes everything acknowledged before it durable.
    func syncAll() throws(StoreError) {
        let last = try lastAcknowledged()
        try versions.makeRecoveryDurable()
        try commits?.wait(for: last)
    }

    /// As ``syncAll()``, without blocking a thread.
    func syncAll() async throws(StoreError) {
        let last = try lastAcknowledged()
        if !versions.isRecoveryDurable {
            try await blocking.run { () throws(StoreError) in try self.versions.makeRecoveryDurable() }
        }
        try await commits?.wait(for: last)
    }

    /// Makes all changes durable, of a store that may be closed to writers.
    func waitForAll() throws(StoreError) { try commits?.wait(for: lock.withLock { state.lastSequence }) }

    /// The sequence number of the last change, where the store can be written to.
    func lastAcknowledged() throws(StoreError) -> SequenceNumber {
        try lock.withLock { () throws(StoreError) in
            try status.checkWritable()
            return state.lastSequence
        }
    }

    /// Makes everything written so far durable; called by one leader at a time.
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
        // Values first, and older logs before newer ones: what is durable must be a prefix of history. A change that
        // comes in meanwhile may refer to a value that is not covered: no log vouches for it yet.
        try values.sync(valueFile)
        try status.requireSuccess { () throws(StoreError) in
            for (log, end) in logs { try log.sync(upTo: end) }
        }
        // Where many writes are synced each by itself, in a store that is otherwise written in bulk.
        if isSmall {
            lock.withLock { state.active.log?.releasePrepared() }
        }
        return last
    }

    /// Waits until a change is durable, if that was asked for.
    /// - Throws: ``StoreError/Code/inputOutput``, whatever the reason: the change was made, and no other code may say so.
    func waitUntilDurable(_ sequence: SequenceNumber, _ durability: Durability?) throws(StoreError) {
        guard sequence > 0, (durability ?? configuration.durability) == .synced else { return }
        do { try commits?.wait(for: sequence) } catch { throw error.asUncertain }
    }

    /// As ``waitUntilDurable(_:_:)``, without blocking a thread.
    func waitUntilDurable(_ sequence: SequenceNumber, _ durability: Durability?) async throws(StoreError) {
        guard sequence > 0, (durability ?? configuration.durability) == .synced else { return }
        do { try await commits?.wait(for: sequence) } catch { throw error.asUncertain }
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
            sequence = try await self.blocking.run(blocking) ?? 0
        }
        try await waitUntilDurable(sequence, durability)
        return sequence
    }
}
