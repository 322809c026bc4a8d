import Synchronization

// What background work tells the write path, and asks of it.
extension WritePath {
    // MARK: The next log

    /// Has the next log made in the background. Under the write lock.
    func prepareLogSoon() {
        guard state.nextLog == nil, !state.isPreparingLog, !status.isClosed else { return }
        state.isPreparingLog = true
        background.nextLog()
    }

    /// Makes the next log, and tells the writers that wait for it.
    func prepareLog() {
        lock.withLock { state.logAttempts.begin() }
        let result = Result { () throws(StoreError) -> LogWriter? in
            try retryAfterFlush { () throws(StoreError) in try makingSpace(versions.createLog) }
        }
        let isBulk = lock.withLock { state.active.log.map { isWrittenInBulk($0) } ?? false }
        // The first step is as far as a writer gets before it has the log prepared further.
        if isBulk, case .success(let log) = result { log?.prepare(ahead: Self.logStep) }
        lock.withLock {
            state.isPreparingLog = false
            switch result {
            case .success(let log):
                state.nextLog = log
                state.logAttempts.succeed()
            case .failure(let error): state.logAttempts.fail(error)
            }
            lock.wakeAll()
        }
    }

    // MARK: Flushes

    /// The memtable to flush next, for an attempt that begins now; nil where there is none. A memtable that is left when the
    /// store has closed stays in its log: the directory may be another's.
    func beginFlush() -> LoggedTable? {
        lock.withLock {
            guard !status.isClosed, let oldest = state.sealed.first else { return nil }
            state.flushAttempts.begin()
            state.controller.beginFlush(bytes: oldest.table.byteCount)
            return oldest
        }
    }

    /// The oldest sealed memtable is a segment. Under the write lock, in the same moment as readers see that segment.
    func finishFlush(of sealed: LoggedTable) {
        state.sealed.removeFirst()
        state.flushedSequence = max(state.flushedSequence, sealed.table.greatestSequence)
        state.flushedLogs += 1
        state.controller.endFlush(usualBytes: configuration.sealingBytes)
        state.flushAttempts.succeed()
    }

    /// Tells the writers that wait for a flush of its failure.
    func failFlush(_ error: StoreError) {
        lock.withLock {
            state.flushAttempts.fail(error)
            state.controller.stopFlush()
            lock.wakeAll()
        }
    }

    /// Tells the writers that wait for disk space of a removed log.
    func noteLogRemoved() {
        lock.withLock {
            state.removedLogs += 1
            lock.wakeAll()
        }
    }

    // MARK: Compactions

    func beginCompactions() { lock.withLock { state.compactionAttempts.begin() } }

    func finishCompactions() { lock.withLock { state.compactionAttempts.succeed() } }

    /// Tells the writers that wait for compactions of a failure.
    func failCompactions(_ error: StoreError) {
        lock.withLock {
            state.compactionAttempts.fail(error)
            lock.wakeAll()
        }
    }

    /// Bytes of the value files that take no more values, and whose values are all referred to by segments or by nobody. The
    /// values of a memtable would look like garbage.
    func sealedValueFiles() -> [UInt64: Int] {
        let (files, inUse) = lock.withLock {
            var inUse = state.valueFiles
            if let current = values.current { inUse.insert(current.number) }
            return (versions.current.valueFiles, inUse)
        }
        return files.filter { !inUse.contains($0.key) }.mapValues { $0.approximateSize }
    }

    /// Drops value files that nothing refers to any more.
    func collectValueFiles() throws(StoreError) {
        try values.collect { lock.withLock { state.valueFiles } }
    }

    // MARK: Idle stores

    /// The result of ``sealIfIdle(since:leastBytes:)``.
    enum IdleSealing {
        /// There is something to flush.
        case sealed
        case nothing
        /// The memtable cannot be sealed yet.
        case wait
    }

    /// Seals the active memtable of a store that nobody has written to, where that is worth it, and has it flushed.
    func sealIfIdle(since sequence: SequenceNumber, leastBytes: Int) -> IdleSealing {
        lock.withLock {
            let active = state.active.table
            guard state.lastSequence == sequence, !active.isEmpty, active.byteCount >= leastBytes else {
                return state.sealed.isEmpty ? .nothing : .sealed
            }
            if status.isClosing || status.hasFailed { return .nothing }
            // A full disk, most likely: writers try again, this does not.
            if state.failedAttempt != nil { return .nothing }
            do { return try switchMemTable(.nothing, .never, since: attemptCounts()) ? .sealed : .wait } catch {
                return .nothing  // the next writer that needs the work tries again, and is told
            }
        }
    }

    /// Gives back the space that logs and value files hold ahead, if nobody has written since.
    /// - Returns: false where somebody has.
    func releaseReserves(ifIdleSince sequence: SequenceNumber) -> Bool {
        lock.withLock {
            guard state.lastSequence == sequence else { return false }
            _ = releaseReserves()
            return true
        }
    }

    /// Publishes again: what readers may count on, such as whether the files fit into memory, has changed.
    func republish() {
        lock.withLock {
            if !status.isClosed { publish() }
        }
        retire()
    }

    // MARK: Closing and reports

    /// Refuses all later writes, and wakes everyone who waits.
    func refuseWrites() {
        lock.withLock {
            status.close()
            lock.wakeAll()
        }
    }

    /// The memtables with their logs: the sealed ones, oldest first, and the active one.
    var tables: [LoggedTable] { lock.withLock { state.sealed + [state.active] } }

    /// The files of the current version, and the memtables above it.
    var contents: (version: Version, tables: [LoggedTable]) {
        lock.withLock { (versions.current, state.sealed + [state.active]) }
    }

    /// Counts of writes, and the last failure of background work that has not been made good since.
    var report: (counts: WriteCounts, failure: StoreError?) {
        lock.withLock { (state.counts, state.failedAttempt) }
    }

    /// Closes the logs in good order. Under the manifest lock, when nobody writes any more.
    /// - Returns: where the last log ends; nil where there is none.
    func closeLogs() throws(StoreError) -> VersionEdit.Closing? {
        let (active, sealed, next, last) = lock.withLock {
            (state.active, state.sealed, state.nextLog, state.lastSequence)
        }
        values.releaseSpace()
        try values.sync()
        // Without a close frame: the link of the log behind says where each of these ends.
        for table in sealed { try table.log?.seal() }
        try active.log?.close()
        // No close frame either: the next opening shall find it as fresh as it is.
        try next?.seal()
        return active.log.map { .init(log: $0.number, end: UInt64($0.end), lastSequence: last) }
    }

    /// Closes the log of a store that was not written to.
    /// - Returns: false where there is none.
    func closeLogAsItIs() throws(StoreError) -> Bool {
        guard let log = lock.withLock({ state.active.log }) else { return false }
        try log.closeAsItIs()
        return true
    }
}
