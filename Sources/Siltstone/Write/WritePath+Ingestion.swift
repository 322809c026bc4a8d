import Synchronization

// The write path's part of a commit that goes to segments directly (`BackgroundWork+Ingestion.swift`).
extension WritePath {
    /// Makes other writers wait before they take a sequence number, until ``resumeWriters()``. The caller holds the
    /// value lock, so there is one such caller at a time.
    /// - Parameter check: nil if nothing must be unchanged.
    /// - Returns: false if the check does not allow the commit. Then nobody waits. Otherwise its result stays true until
    ///   ``resumeWriters()``.
    func pauseWriters(_ check: CommitCheck?) throws(StoreError) -> Bool {
        try lock.withLock { () throws(StoreError) in
            try status.checkWritable()
            if let check, try !isUnchanged(check) { return false }
            state.isPaused = true
            state.active.uncheckedEnd = 0  // the next change, too, takes the slow path, which waits
            return true
        }
    }

    func resumeWriters() { changeAndWake { $0.isPaused = false } }

    /// Waits while writers are paused. Called under the write lock, which it releases while waiting.
    /// - Returns: false if it would have to wait and the caller must not.
    func waitWhilePaused(_ waits: WaitPolicy) throws(StoreError) -> Bool {
        while state.isPaused {
            if waits == .never { return false }
            lock.wait()
            try status.checkStillWritable()
        }
        return true
    }

    /// Flushes all memtables, and waits for the next log. Afterwards all changes are in segments, and stay there until
    /// ``resumeWriters()``.
    /// - Returns: the number of the active log, which has no changes, and the last sequence number.
    func drainMemTables() throws(StoreError) -> (log: UInt64, last: SequenceNumber) {
        lock.lock()
        defer { lock.unlock() }
        let earlier = state.attempts
        while true {
            try status.checkStillWritable()
            if !state.active.table.isEmpty {
                _ = try switchMemTable(.nothing, .forFlush, since: earlier)
            } else if !state.sealed.isEmpty {
                try state.attempts.flush.check(since: earlier.flush)
                background.value.flush()
                lock.wait()
            } else if state.nextLog == nil {
                try state.attempts.log.check(since: earlier.log)
                prepareLogSoon()
                lock.wait()
            } else if let log = state.active.log {
                return (log.number, state.lastSequence)
            } else {
                try status.refuse()  // the store is read-only
            }
        }
    }

    /// Makes an ingested commit visible, and continues with the next log, whose link names the commit's last sequence
    /// number. Called under the write lock, when the version has the segments of the commit.
    ///
    /// If the link cannot be written, the commit is made all the same, and the store takes no more writes.
    /// - Parameter bytes: bytes of keys and values, for statistics.
    func finishIngestion(last: SequenceNumber, count: Int, bytes: Int) {
        let first = state.lastSequence + 1
        if let before = state.active.log, let next = state.nextLog {
            do throws(StoreError) {
                let link = before.link(lastSequence: last)
                try appendToLog(Borrowed(next)) { log throws(StoreError) in try log.append(link: link) }
            } catch { status.record(error) }
            state.active = LoggedTable(table: state.active.table, log: next)
            state.nextLog = nil
        }
        state.lastSequence = last
        state.flushedSequence = last
        state.counts.changes &+= count
        state.counts.changedBytes &+= bytes
        scans.deletedRanges.forget(through: last)
        // In this order: a reader that sees the number finds the segments, and a subscriber can read the changes.
        publish()
        reads.makeVisible(last)
        if feed.isListening { feed.publishMissed(first: first, last: last) }
    }
}
