// Handling of a full disk: the attempts, releases of space and waits before a write is refused.
//
// ``retryAfterFlush`` surrounds a complete change and is called without a lock. ``makingSpace`` surrounds work on files:
// a flush, a compaction, the creation of a log, or appends to the value file. ``gainSpace`` is called under the write
// lock, after an append to the log has failed.
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
        // -1, so that the first round always tries again: a log may have been removed between the failure and this check.
        var removed = -1
        while error.code == .noSpace {
            if !mayBlock, lock.withLock({ canAwaitFlush }) { return nil }
            let before = removed
            removed = awaitFlush()
            if removed == before { break }
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
    /// - Returns: the number of logs removed so far.
    private func awaitFlush() -> Int {
        lock.withLock {
            if logsToRemove == 0, let oldest = state.sealed.first?.table {
                background.value.flush()
                while canAwaitFlush, state.sealed.first?.table === oldest { lock.wait() }
            }
            awaitRemovals()
            return state.removedLogs
        }
    }

    /// Runs work that takes disk space. If the disk is full, waits until flushed logs are removed, releases preallocated
    /// space, and runs the work once more. That space is dispensable: it only lets writers run ahead. Blocks; the caller
    /// does not hold the write lock.
    /// - Parameter forWriter: true to schedule the flush again, too. Flushes and compactions must not.
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

    /// Waits until the logs that have been flushed by now are removed. Called under the write lock, which it releases while
    /// waiting.
    /// - Returns: true if there were any.
    @discardableResult
    private func awaitRemovals() -> Bool {
        guard logsToRemove > 0 else { return false }
        let flushed = state.flushedLogs
        while !status.isClosed, state.removedLogs < flushed { lock.wait() }
        return true
    }
}
