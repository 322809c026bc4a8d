import Synchronization

// The change from one memtable and log to the next, and the waits that it takes.
extension WritePath {
    /// How many attempts at background work had begun when someone began to wait for it.
    struct AttemptCounts {
        var flush: Int
        var log: Int
        var compaction: Int
    }

    /// Under the write lock.
    func attemptCounts() -> AttemptCounts {
        AttemptCounts(
            flush: state.flushAttempts.begun, log: state.logAttempts.begun,
            compaction: state.compactionAttempts.begun)
    }

    /// Seals the active memtable and begins the next, or waits once for what that takes. Under the write lock, which it
    /// may give up meanwhile.
    /// - Parameter earlier: attempts from before the caller began; the failure of a later one that it waits for is
    ///   thrown, and the next caller has the work tried again: a full disk may have room by then.
    /// - Returns: false where it would wait, and must not.
    func switchMemTable(_ size: ChangeSize, _ waits: WaitPolicy, since earlier: AttemptCounts) throws(StoreError)
        -> Bool
    {
        guard let log = try nextLogIfReady(waits, since: earlier) else {
            if waits == .never { return false }
            stall()
            try status.checkStillWritable()
            return true  // things have changed: look again
        }
        let table = try MemTable.make(configuration, for: size, arenas)
        let old = state.active
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
        background.flush()
        return true
    }

    /// The log for the next memtable, if the active one can be sealed; else has the work done that is missing. Only the
    /// failure of what is missing is thrown: a flush that nobody waits for may fail.
    private func nextLogIfReady(_ waits: WaitPolicy, since earlier: AttemptCounts) throws(StoreError) -> LogWriter? {
        if state.sealed.count >= configuration.sealedMemTableLimit {
            try state.flushAttempts.check(since: earlier.flush)
            background.flush()
            return nil
        }
        if waits != .forFlush, isLevelZeroFull {
            try state.compactionAttempts.check(since: earlier.compaction)
            background.compaction()
            return nil
        }
        if state.nextLog == nil {
            try state.logAttempts.check(since: earlier.log)
            prepareLogSoon()
        }
        return state.nextLog
    }

    /// Whether so many flushed runs wait for compaction that no more may come. Under the write lock.
    private var isLevelZeroFull: Bool { state.controller.isFull }

    /// Waits while a memtable is to be sealed and level 0 is full. What writers of large values do before they take the
    /// value lock: a compaction may need it, so that nobody who holds it may wait for one.
    func waitForLevelZero() throws(StoreError) {
        lock.lock()
        defer { lock.unlock() }
        guard isLevelZeroFull else { return }
        try status.checkWritable()
        let earlier = attemptCounts().compaction
        while isLevelZeroFull, isFull(state.active.table.byteCount) {
            try state.compactionAttempts.check(since: earlier)
            background.compaction()
            stall()
            try status.checkStillWritable()
        }
    }

    /// Waits for background work, and counts the time.
    private func stall() {
        let start = Platform.monotonicNanoseconds()
        lock.wait()
        state.counts.stalls += 1
        state.counts.stallSeconds += Double(Platform.monotonicNanoseconds() - start) * 1e-9
    }

    /// Writes all changes that are in memory as a segment, and waits for it.
    func flush() throws(StoreError) {
        lock.lock()
        defer { lock.unlock() }
        try status.checkWritable()
        let earlier = attemptCounts()
        let newest = state.active.table
        if !newest.isEmpty {
            // Another thread may seal it meanwhile, which serves as well.
            while state.active.table === newest {
                _ = try switchMemTable(.nothing, .forCompaction, since: earlier)
            }
        }
        guard let last = state.sealed.last?.table else { return }
        // Only for what was there: writers may seal tables as fast as these are flushed.
        while state.sealed.contains(where: { $0.table === last }) {
            try state.flushAttempts.check(since: earlier.flush)
            try status.checkStillWritable()
            background.flush()
            lock.wait()
        }
    }
}
