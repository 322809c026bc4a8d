import Synchronization

// The interface between background work and the write path.
extension WritePath {
    // MARK: The next log

    /// Schedules the creation of the next log. The caller holds the write lock.
    func prepareLogSoon() {
        guard state.nextLog == nil, !state.isPreparingLog, !status.isClosed else { return }
        state.isPreparingLog = true
        background.value.nextLog()
    }

    /// Creates the next log, and wakes the writers that wait for it.
    func prepareLog() {
        lock.withLock { state.attempts.log.begin() }
        let result = Result { () throws(StoreError) -> LogWriter? in
            try releasingReserves(versions.createLog)
        }
        let isBulk = lock.withLock { state.active.log.map { isWrittenInBulk($0) } ?? false }
        // Prepares one step. A writer schedules more preparation when it reaches the end of that.
        if isBulk, case .success(let log) = result { log?.prepare(ahead: Self.logStep) }
        changeAndWake { state in
            state.isPreparingLog = false
            switch result {
            case .success(let log):
                state.nextLog = log
                state.attempts.log.succeed()
            case .failure(let error): state.attempts.log.fail(error)
            }
        }
    }

    // MARK: Flushes

    /// Starts an attempt to flush, and returns the oldest sealed memtable; nil if there is none. Returns nil after the
    /// store was closed: its memtables stay in their logs, because the directory may already belong to another store.
    func beginFlush() -> LoggedTable? {
        lock.withLock {
            guard !status.isClosed, let oldest = state.sealed.first else { return nil }
            state.attempts.flush.begin()
            state.controller.beginFlush(bytes: oldest.table.byteCount)
            return oldest
        }
    }

    /// Removes the oldest sealed memtable, which is now a segment. Called under the write lock, in the same critical
    /// section in which the segment is published to readers.
    func finishFlush(of sealed: LoggedTable) {
        state.sealed.removeFirst()
        state.flushedSequence = max(state.flushedSequence, sealed.table.greatestSequence)
        state.controller.endFlush(usualBytes: configuration.sealingBytes)
        state.attempts.flush.succeed()
    }

    /// Records a failed flush, and wakes the writers that wait for it.
    func failFlush(_ error: StoreError) {
        changeAndWake { state in
            state.attempts.flush.fail(error)
            state.controller.stopFlush()
        }
    }

    // MARK: Compactions

    func beginCompactions() { lock.withLock { state.attempts.compaction.begin() } }

    func finishCompactions() { lock.withLock { state.attempts.compaction.succeed() } }

    /// Records that compactions have failed, and wakes the writers that wait for them.
    func failCompactions(_ error: StoreError) { changeAndWake { $0.attempts.compaction.fail(error) } }

    /// Sizes of the value files to which no change in memory refers, in bytes by file number. A file to which a memtable
    /// refers is left out, because the memtable's values would count as garbage.
    func flushedValueFiles() -> [UInt64: Int] {
        let (files, inUse) = lock.withLock { (versions.current.valueFiles, state.valueFiles) }
        return files.filter { !inUse.contains($0.key) }.mapValues { $0.length.bytes }
    }

    /// The value files to which changes in memory refer, or those of a running write.
    var valueFilesInUse: Set<UInt64> {
        // A value of a running write is in use before a memtable refers to it, so these files are read first.
        let running = values.filesInUse
        return lock.withLock { state.valueFiles }.union(running)
    }

    // MARK: Idle stores

    /// True if an idle store flushes the active memtable: it has at least 1/16 of ``Configuration/memTableBytes``, or
    /// refers to 1/16 of ``Configuration/valueFileBytes``. A smaller one is not worth a segment: its log replays in
    /// milliseconds. The caller holds the write lock.
    private var isWorthIdleFlush: Bool {
        state.active.table.byteCount >= configuration.memTableBytes / 16
            || state.active.valueBytes >= configuration.valueFileBytes / 16
    }

    /// The result of ``sealIfIdle(since:)``.
    enum IdleSealing {
        /// At least one sealed memtable waits for a flush.
        case sealed
        /// The caller has no flush to expect: no memtable is sealed, or sealing is refused or has failed.
        case nothing
        /// The memtable should be sealed, but cannot be yet. The caller tries again.
        case wait
    }

    /// Seals the active memtable and schedules its flush, if nobody has written since `sequence` and the flush is worth
    /// a segment.
    func sealIfIdle(since sequence: SequenceNumber) -> IdleSealing {
        lock.withLock {
            guard state.lastSequence == sequence, !state.active.table.isEmpty, isWorthIdleFlush else {
                return state.sealed.isEmpty ? .nothing : .sealed
            }
            if status.isClosing || status.hasFailed { return .nothing }
            // The disk is probably full. Writers try again, but this function does not.
            if state.attempts.failure != nil { return .nothing }
            do { return try switchMemTable(.nothing, .never, since: state.attempts) ? .sealed : .wait } catch {
                return .nothing  // the next writer that needs the work tries again, and receives the error
            }
        }
    }

    /// Releases the preallocated space of logs and value files, if nobody has written since `sequence`.
    /// - Returns: false if somebody has.
    func releaseReserves(ifIdleSince sequence: SequenceNumber) -> Bool {
        lock.withLock {
            guard state.lastSequence == sequence else { return false }
            _ = releaseReserves()
            return true
        }
    }

    /// Publishes a new super version after a change of the facts that it holds for readers, such as whether the files
    /// fit into memory.
    func republish() {
        lock.withLock {
            if !status.isClosed { publish() }
        }
        retire()
    }

    // MARK: A full disk

    /// Frees disk space that the store can do without: preallocated space, and by a flush the logs and dead values of the
    /// memtables. Flushes a single change too, because it may be the deletion of many values.
    func freeSpace() {
        lock.withLock { _ = releaseReserves() }
        do { try flush() } catch {
            // ``BackgroundAttempts`` keep the failure for the writers that need the flush.
        }
    }

    // MARK: Closing and reports

    /// Refuses all later writes, and wakes all waiting threads.
    func refuseWrites() { changeAndWake { _ in status.close() } }

    /// The memtables with their logs: the sealed ones, oldest first, then the active one.
    var tables: [LoggedTable] { lock.withLock { state.sealed + [state.active] } }

    /// The current version, and the memtables above it, read together.
    var contents: (version: Version, tables: [LoggedTable]) {
        lock.withLock { (versions.current, state.sealed + [state.active]) }
    }

    /// Counts of writes, and ``BackgroundAttempts/failure``.
    var report: (counts: Statistics, failure: StoreError?) {
        lock.withLock { (state.counts, state.attempts.failure) }
    }

    /// Closes the logs cleanly. The caller holds the manifest lock, and nobody writes any more.
    /// - Returns: the edit that records the end of the last log; nil if there is none.
    func closeLogs() throws(StoreError) -> VersionEdit? {
        let (active, sealed, next, last) = lock.withLock {
            (state.active, state.sealed, state.nextLog, state.lastSequence)
        }
        values.releaseSpace()
        try values.sync()
        // Sealed logs need no close frame, because the next log's link frame records where each of them ends.
        for table in sealed { try table.log?.seal() }
        try active.log?.close()
        // The unused next log gets no close frame either, so that the next opening finds it empty if the edit fails.
        try next?.seal()
        guard let log = active.log else { return nil }
        var edit = VersionEdit(closing: .init(log: log.number, end: UInt64(log.end), lastSequence: last))
        // Otherwise the next opening would have to drop it.
        if let next { edit.removedLogs = [next.number] }
        return edit
    }

    /// Closes the log of a store that was not written to, without adding a close frame.
    /// - Returns: false if there is no log.
    func closeLogAsItIs() throws(StoreError) -> Bool {
        guard let log = lock.withLock({ state.active.log }) else { return false }
        try log.closeWithoutFrame()
        return true
    }
}
