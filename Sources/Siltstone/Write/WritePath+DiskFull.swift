// A full disk: what is tried, given back and waited for before a write is refused.
extension WritePath {
    /// Runs a change; again where the disk is full and a flush is under way, whose end frees a whole log. For callers that
    /// hold no lock.
    ///
    /// Not where the last flush has failed: whoever meets a disk that stays full is told at once.
    /// - Parameter mayBlock: whether the caller can wait; if not, nil is returned where that would be needed.
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
        // Once more in any case: a log may have gone between the failure and this look.
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

    /// Whether logs are on their way out, with nothing that says they will not get there. Under the write lock.
    private var canAwaitFlush: Bool {
        let flushes = !state.sealed.isEmpty && state.flushAttempts.failure == nil
        return !status.isClosed && (flushes || logsToRemove > 0)
    }

    /// Logs that are not needed any more, and still there. Under the write lock.
    private var logsToRemove: Int { state.flushedLogs - state.removedLogs }

    /// Waits for the flush of the oldest sealed memtable, if that can be, and for the removal of flushed logs.
    /// - Returns: how many logs were removed so far.
    private func awaitFlush() -> Int {
        lock.withLock {
            if logsToRemove == 0, let oldest = state.sealed.first?.table {
                background.flush()
                while canAwaitFlush, state.sealed.first?.table === oldest { lock.wait() }
            }
            awaitRemovals()
            return state.removedLogs
        }
    }

    /// Runs work that takes disk space; where there is none, once more when flushed logs are gone, and without what logs hold
    /// ahead, which only lets the writers run ahead of it.
    /// - Parameter forWriter: whether it is a writer's, who has the flush tried again, too.
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

    /// Has a writer find some space, maybe, that found none: has the flush tried again, whose end frees a whole log, and
    /// takes what logs hold ahead. Under the write lock.
    /// - Parameter log: one that keeps its own.
    /// - Returns: whether it is worth another try at once.
    func gainSpace(for log: LogWriter? = nil) -> Bool {
        if !state.sealed.isEmpty { background.flush() }
        return releaseReserves(except: log)
    }

    /// Gives back the space that logs and the value file hold ahead of their ends. Under the write lock.
    /// - Parameter log: one that keeps its own.
    /// - Returns: whether there was any.
    func releaseReserves(except log: LogWriter? = nil) -> Bool {
        let logs = state.sealed.map(\.log) + [state.active.log, state.nextLog]
        let ofLogs = logs.reduce(0) { $0 + ($1 === log ? 0 : $1?.releaseReserve() ?? 0) } > 0
        let ofValues = values.releaseSpace()
        return ofLogs || ofValues
    }

    /// Waits until the logs are removed that flushes have made needless so far. Under the write lock, which it gives up
    /// meanwhile.
    /// - Returns: whether there was any such.
    @discardableResult
    private func awaitRemovals() -> Bool {
        guard logsToRemove > 0 else { return false }
        let flushed = state.flushedLogs
        while !status.isClosed, state.removedLogs < flushed { lock.wait() }
        return true
    }
}
