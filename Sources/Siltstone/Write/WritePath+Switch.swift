import Synchronization

// The switch to a new memtable and log, and the waits that it needs.
extension WritePath {
    /// Seals the active memtable and makes a new one active, or waits once for the work that this needs. Called under
    /// the write lock, which it may release while waiting.
    /// - Parameters:
    ///   - size: the change for which the new memtable must have room.
    ///   - earlier: the counts from when the caller started. If a later attempt fails, its error is thrown. The next
    ///     caller schedules the work again, because a full disk may have space by then.
    /// - Returns: false if it would have to wait and the caller must not.
    func switchMemTable(_ size: ChangeSize, _ waits: WaitPolicy, since earlier: BackgroundAttempts) throws(StoreError)
        -> Bool
    {
        guard let log = try nextLogIfReady(waits, since: earlier) else {
            if waits == .never { return false }
            stall()
            try status.checkStillWritable()
            return true  // the state may have changed, so the caller checks again
        }
        let table = try MemTable.make(configuration, for: size, arenas)
        let old = state.active
        // The new log starts with a link: it names the log before it and the last sequence number there, so that recovery
        // notices if that log or its end is missing. A failed append changes nothing, or the store takes no more writes.
        if let before = old.log {
            let link = before.link(lastSequence: state.lastSequence)
            try appendToLog(Borrowed(log)) { log throws(StoreError) in try log.append(link: link) }
        }
        state.nextLog = nil
        state.sealed.append(old)
        state.active = LoggedTable(table: table, log: log)
        state.controller.beginTable()
        prepareMemTable()
        publish()
        background.value.flush()
        return true
    }

    /// The log for the next memtable, if the active memtable can be sealed. Otherwise schedules the missing work and
    /// returns nil. Throws the error of the missing work, if an attempt since `earlier` failed. A failed flush is not
    /// reported here as long as there is room for another sealed memtable.
    private func nextLogIfReady(_ waits: WaitPolicy, since earlier: BackgroundAttempts) throws(StoreError) -> LogWriter?
    {
        if state.sealed.count >= configuration.sealedMemTableLimit {
            try state.attempts.flush.check(since: earlier.flush)
            background.value.flush()
            return nil
        }
        // A caller that holds the value lock passes `.forFlush`. It must not wait for a compaction, which may need that
        // lock, so it may exceed the limit of level 0.
        if waits != .forFlush, state.controller.isFull {
            try state.attempts.compaction.check(since: earlier.compaction)
            background.value.compaction()
            return nil
        }
        if state.nextLog == nil {
            try state.attempts.log.check(since: earlier.log)
            prepareLogSoon()
        }
        return state.nextLog
    }

    /// Waits while level 0 is full and the active memtable must be sealed. Writers of large values call it before they
    /// take the value lock. A compaction may need that lock, so no holder of it may wait for a compaction.
    func waitForLevelZero() throws(StoreError) {
        lock.lock()
        defer { lock.unlock() }
        guard state.controller.isFull else { return }
        try status.checkWritable()
        let earlier = state.attempts.compaction
        while state.controller.isFull, isFull(state.active.table.byteCount) {
            try state.attempts.compaction.check(since: earlier)
            background.value.compaction()
            stall()
            try status.checkStillWritable()
        }
    }

    /// Waits for background work, and counts the time. Called under the write lock, which the wait releases.
    private func stall() {
        let start = Platform.monotonicNanoseconds()
        lock.wait()
        state.counts.stalls += 1
        state.counts.stallSeconds += Double(Platform.monotonicNanoseconds() - start) * 1e-9
    }

    /// Flushes all changes that are in memory, and waits until they are in segments.
    func flush() throws(StoreError) {
        try status.checkWritable()
        // Even if there is nothing to flush: the caller relies on the files.
        try versions.checkInPlace()
        lock.lock()
        defer { lock.unlock() }
        try status.checkWritable()
        let earlier = state.attempts
        let newest = state.active.table
        if !newest.isEmpty {
            // If another thread seals this memtable first, that has the same effect.
            while state.active.table === newest {
                _ = try switchMemTable(.nothing, .forCompaction, since: earlier)
            }
        }
        guard let last = newest.isEmpty ? state.sealed.last?.table : newest else { return }
        // Waits only for the memtables that existed at the call, because writers may seal new ones as fast as these are
        // flushed.
        while state.sealed.contains(where: { $0.table === last }) {
            try state.attempts.flush.check(since: earlier.flush)
            try status.checkStillWritable()
            background.value.flush()
            lock.wait()
        }
    }
}
