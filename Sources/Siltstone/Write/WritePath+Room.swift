import Synchronization

// Waits of a write: for room in the active memtable and its log, a next log, flushes and compactions.
extension WritePath {
    /// The waits that a writer without room accepts.
    enum WaitPolicy {
        /// None. The caller repeats the write on a thread that may wait.
        case never
        /// A flush, or the next log.
        case forFlush
        /// A compaction too.
        case forCompaction
    }

    /// Makes room for a change in the active memtable and log. Called under the write lock, which it may release while
    /// waiting.
    /// - Returns: false if it would have to wait and the caller must not.
    @inline(__always)
    func makeRoom(_ size: ChangeSize, _ waits: WaitPolicy) throws(StoreError) -> Bool {
        try status.checkWritable()
        let bytes = state.active.unretainedTable.with { $0.byteCount }
        let isEasy = size.count == 1 && size.bytes <= Self.easyChange && bytes < state.active.uncheckedEnd
        if _fastPath(isEasy && state.controller.delay == 0) { return true }
        return try findRoom(size, waits)
    }

    /// A change is small if key and value together have at most this many bytes.
    private static let easyChange = 4 << 10
    /// After a check of its room, a memtable takes this many bytes of small changes without another check.
    private static let easyStep = 64 << 10

    /// Computes how far the active memtable can be filled by small changes without another check: while it has room and
    /// no other action is due. The caller holds the write lock.
    /// - Parameter bytes: bytes in the active memtable now.
    private func noteEasyRoom(from bytes: Int) {
        let most = Self.easyStep + Self.easyChange
        let hasRoom = state.active.unretainedTable.with { table in
            table.hasRoom(keyBytes: most, valueBytes: 0, count: most / MemTableEntry.headerSize)
        }
        let next = bytes < preparationBytes ? preparationBytes : configuration.sealingBytes
        state.active.uncheckedEnd = hasRoom ? min(bytes + Self.easyStep, next) : 0
    }

    /// Bytes in the memtable at which the next log is created. An eighth was measured better than half
    /// (`Docs/Experiments.md`, "Slowing by the progress of the flush").
    private var preparationBytes: Int { configuration.sealingBytes / 8 }

    /// The slow path of ``makeRoom(_:_:)``.
    @inline(never)
    private func findRoom(_ size: ChangeSize, _ waits: WaitPolicy) throws(StoreError) -> Bool {
        if _slowPath(!versions.isRecoveryDurable), try !makeRecoveryDurable(waits) { return false }
        if state.controller.delay > 0, try !slowDown(size, waits) { return false }
        let earlier = state.attempts
        while true {
            if _slowPath(state.isPaused), try !waitWhilePaused(waits) { return false }
            let (bytes, isEmpty, hasRoom) = state.active.unretainedTable.with { table in
                (
                    table.byteCount, table.isEmpty,
                    table.hasRoom(keyBytes: size.keyBytes, valueBytes: size.valueBytes, count: size.count)
                )
            }
            if hasRoom, !isFull(bytes) || isEmpty {
                if bytes >= preparationBytes, state.attempts.log.failure == nil { prepareLogSoon() }
                noteEasyRoom(from: bytes)
                return true
            }
            if isEmpty {
                // A batch larger than a memtable gets a memtable of its own size.
                state.active.table = try MemTable.make(configuration, for: size, arenas)
                state.active.uncheckedEnd = 0
                publish()
                continue
            }
            if try !switchMemTable(size, waits, since: earlier) { return false }
        }
    }

    /// Makes the state that recovery has found durable. Called under the write lock, which it releases while waiting.
    /// - Returns: false if the caller must not wait for that.
    private func makeRecoveryDurable(_ waits: WaitPolicy) throws(StoreError) -> Bool {
        if waits == .never { return false }
        lock.unlock()
        let result = Result { () throws(StoreError) in try versions.makeRecoveryDurable() }
        lock.lock()
        try result.get()
        try status.checkStillWritable()
        return true
    }

    /// True if the active memtable, which has `bytes` bytes, is full, has many range tombstones, or its log has become
    /// too long. The caller holds the write lock.
    @inline(__always)
    func isFull(_ bytes: Int) -> Bool {
        bytes >= configuration.sealingBytes
            || state.active.unretainedTable.with { $0.hasManyRangeTombstones }
            || state.active.unretainedLog?.with { $0.end } ?? 0
                >= 2 * configuration.memTableBytes
    }

    /// Adjusts the delay of writers by how fast the active memtable fills while another one is flushed. The caller
    /// holds the write lock.
    func slowForFlush() {
        guard let flushed = state.sealed.first?.table else { return }
        let part = Double(flushedBytes) / Double(max(1, flushed.byteCount))
        let bytes = state.active.table.byteCount
        let tables = 1 + configuration.sealedMemTableLimit - state.sealed.count
        state.controller.takeStep(
            flushed: min(part, 1), bytes: bytes, room: tables * configuration.sealingBytes - bytes)
    }

    /// Pauses a writer for the compactions and flushes that it causes, at least a millisecond at a time. Called under
    /// the write lock, which it releases during the pause.
    /// - Returns: false if a pause is due and the caller must not wait.
    private func slowDown(_ size: ChangeSize, _ waits: WaitPolicy) throws(StoreError) -> Bool {
        switch state.controller.charge(size.bytes, mayPause: waits != .never) {
        case .proceed: return true
        case .refused: return false
        case .pause(let pause):
            state.counts.slowdowns += 1
            state.counts.slowdownSeconds += Double(pause) * 1e-9
            lock.unlock()
            Platform.sleep(microseconds: UInt32(pause / 1000))
            lock.lock()
            try status.checkWritable()
            return true
        }
    }
}

// Handling of a full disk: the attempts, releases of space and waits before a write is refused.
//
// ``retryAfterFlush`` surrounds a complete change or the creation of a log, and is called without a lock.
// ``makingSpace`` surrounds work on files: a flush, a compaction, the creation of a log, or appends to the value file.
// ``gainSpace`` is called under the write lock, after an append to the log or to the value file has failed.
extension WritePath {
    /// Runs a change, and runs it again if the disk is full and a flush is running, because the end of the flush frees
    /// a complete log. The caller holds no lock.
    ///
    /// Does not wait if the last flush has failed. Throws the error as soon as a wait has removed no log.
    /// - Parameter mayBlock: false if the caller cannot wait. Then nil is returned if waiting is necessary.
    @inline(__always)
    func retryAfterFlush<R>(
        mayBlock: Bool = true, _ change: () throws(StoreError) -> R?
    ) throws(StoreError) -> R? {
        do { return try change() } catch { return try changeAgain(after: error, mayBlock, change) }
    }

    @inline(never)
    private func changeAgain<R>(
        after error: StoreError, _ mayBlock: Bool, _ change: () throws(StoreError) -> R?
    ) throws(StoreError) -> R? {
        var error = error
        // -1, so that the first round always tries again: a log may have been removed between the failure and this
        // check.
        var removed = -1
        while error.code == .noSpace {
            guard let count = awaitFlush(mayBlock: mayBlock) else { return nil }
            if count == removed { break }
            removed = count
            do { return try change() } catch let next { error = next }
        }
        throw error
    }

    /// True if logs will be removed: a flush is pending whose last attempt has not failed, or flushed logs are being
    /// removed. The caller holds the write lock.
    private var canAwaitFlush: Bool {
        let flushes = !state.sealed.isEmpty && state.attempts.flush.failure == nil
        return !status.isClosed && (flushes || logsToRemove > 0)
    }

    /// Number of flushed logs that still exist. The caller holds the write lock.
    private var logsToRemove: Int { state.flushedLogs - state.removedLogs }

    /// Waits for the flush of the oldest sealed memtable, if one can succeed, and for the removal of flushed logs.
    /// - Returns: the number of logs removed so far; nil if there is something to wait for and the caller must not.
    func awaitFlush(mayBlock: Bool) -> Int? {
        lock.withLock { () -> Int? in
            // Under the same lock as the waits below, because another writer may seal a memtable in between.
            if !mayBlock, canAwaitFlush { return nil }
            if logsToRemove == 0, let oldest = state.sealed.first?.table {
                background.value.flush()
                while canAwaitFlush, state.sealed.first?.table === oldest { lock.wait() }
            }
            awaitRemovals()
            return state.removedLogs
        }
    }

    /// Runs work that takes disk space. If the disk is full, waits until flushed logs are removed, releases
    /// preallocated space, and runs the work once more. That space is dispensable: it only lets writers run ahead.
    /// Blocks; the caller does not hold the write lock.
    /// - Parameter forWriter: true to schedule the flush again, too. A flush must not, because it would then run again
    ///   and again on a full disk. Appends to the value file do, those of compactions included.
    func makingSpace<R>(
        forWriter: Bool = false, _ work: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        do { return try work() } catch {
            guard error.code == .noSpace else { throw error }
            let isWorthIt = lock.withLock {
                let hasRemoved = awaitRemovals()
                let hasGained = forWriter ? gainSpace() : releaseReserves()
                return hasRemoved || hasGained
            }
            guard isWorthIt else { throw error }
            return try work()
        }
    }

    /// Tries to find space for a writer: schedules a flush, whose end frees a complete log, and releases the
    /// preallocated space of logs and of the value file. The caller holds the write lock.
    /// - Parameter log: a log that keeps its space.
    /// - Returns: true if an immediate second attempt is worthwhile.
    func gainSpace(for log: LogWriter? = nil) -> Bool {
        if !state.sealed.isEmpty { background.value.flush() }
        return releaseReserves(except: log)
    }

    /// Releases the preallocated space of logs and of the value file. The caller holds the write lock.
    /// - Parameter log: a log that keeps its space.
    /// - Returns: true if any space was released.
    func releaseReserves(except log: LogWriter? = nil) -> Bool {
        let logs = state.sealed.map(\.log) + [state.active.log, state.nextLog]
        let ofLogs = logs.reduce(0) { $0 + ($1 === log ? 0 : $1?.releaseReserve() ?? 0) } > 0
        let ofValues = values.releaseSpace()
        return ofLogs || ofValues
    }

    /// Waits until the logs that have been flushed by now are removed. Called under the write lock, which it releases
    /// while waiting.
    /// - Returns: true if there were any.
    @discardableResult
    private func awaitRemovals() -> Bool {
        guard logsToRemove > 0 else { return false }
        let flushed = state.flushedLogs
        while !status.isClosed, state.removedLogs < flushed { lock.wait() }
        return true
    }
}
