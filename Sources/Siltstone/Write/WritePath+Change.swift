import Dispatch
import Synchronization

extension WritePath {
    /// Puts or deletes one key.
    /// - Parameters:
    ///   - mayBlock: false if the caller cannot wait. Then nil is returned if waiting may be necessary, and nothing was
    ///     done.
    ///   - condition: decides from the key's current record whether to write; nil always writes.
    /// - Returns: the change's sequence number; 0 if the condition did not hold.
    func change(
        _ kind: RecordKind, _ key: Bytes, _ value: Bytes, mayBlock: Bool = true, condition: Condition? = nil
    ) throws(StoreError) -> SequenceNumber? {
        try Limits.check(key: key.count, value: value.count)
        return try requestingSpace { () throws(StoreError) in
            if kind == .value, value.count >= configuration.largeValueBytes {
                return mayBlock ? try changeLarge(key, value, condition) : nil
            }
            if !mayBlock, let condition, try !isReady(key, condition) { return nil }
            return try append(
                kind, key, value, userBytes: key.count + value.count, mayBlock ? .forCompaction : .never, condition)
        }
    }

    /// Appends one change to the log, applies it to the memtable and makes it visible. All writes but batches end here.
    /// - Parameters:
    ///   - key: for a range tombstone the start of the range, whose end is `value`.
    ///   - userBytes: bytes of key and value, for statistics. A value in a value file counts with its own size, not
    ///     with that of its pointer.
    ///   - valueFile: number of the value file to which the change refers; nil if there is none.
    /// - Returns: the change's sequence number; 0 if the condition did not hold; nil if `waits` forbids a wait that is
    ///   necessary.
    func append(
        _ kind: RecordKind, _ key: Bytes, _ value: Bytes, userBytes: Int, _ waits: WaitPolicy,
        _ condition: Condition? = nil, valueFile: UInt64? = nil
    ) throws(StoreError) -> SequenceNumber? {
        // Reads the data for the condition before taking the lock, so that a read from disk usually blocks no
        // writer.
        var evidence = try condition.map { condition throws(StoreError) in try gather(key, condition) }
        lock.lock()
        defer { lock.unlock() }
        let size = ChangeSize(keyBytes: key.count, valueBytes: value.count, count: 1, userBytes: userBytes)
        guard try makeRoom(size, waits) else { return nil }
        if let condition, var known = evidence {
            guard try refresh(&known, key, condition, waits) else { return nil }
            evidence = known
            if !known.holds { return 0 }
        }
        let sequence = state.lastSequence &+ 1
        try appendToLog(state.active.unretainedLog) { log throws(StoreError) in
            try log.append(kind: kind, key: key, value: value, sequence: sequence)
        }
        if _slowPath(scans.deletedRanges.hasRanges), kind.isPut { scans.deletedRanges.note(put: key, sequence) }
        state.active.unretainedTable.with { table in
            table.apply(Record(key: key, value: value, sequence: sequence, kind: kind))
        }
        if let valueFile { noteValues(in: [valueFile], bytes: userBytes) }
        finishWrite(last: sequence, count: 1, bytes: userBytes)
        if _slowPath(feed.isListening) {
            publishToFeed(of: Record(key: key, value: value, sequence: sequence, kind: kind))
        }
        return sequence
    }

    /// Bytes of log between two steps. At each step a writer checks on background work.
    static let logStep = 1 << 20
    /// At each step, log and memtable are prepared this many bytes ahead. It is larger than ``logStep``, so that a
    /// writer usually does not reach the end of the prepared part before the next step.
    private static let preparationReach = 4 << 20

    /// Prefaults pages after the ends of the memtable and of a log that is written in bulk. This happens in the
    /// background, because a page fault costs a writer several times as much as the change itself. Also slows writers
    /// for a running flush, and watches for the end of the writes.
    @inline(never)
    private func takeLogStep(_ log: LogWriter) {
        state.active.nextStep = log.end + Self.logStep
        slowForFlush()
        background.value.idleWatch()
        prepareMemTable()
        if isWrittenInBulk(log) { background.value.preparation { log.prepare(ahead: Self.preparationReach) } }
    }

    /// True in a store whose configured durability is ``Durability/buffered``, while many bytes are appended between
    /// two syncs. Otherwise prefaulted pages would only make the next sync longer.
    func isWrittenInBulk(_ log: LogWriter) -> Bool {
        configuration.durability == .buffered && log.end - log.syncedEnd >= Self.logStep / 2
    }

    /// Prefaults memory of the active memtable. Does nothing for memtables below 8 MiB (`memTableBytes`), because they
    /// are not worth a thread's time. The caller holds the write lock.
    func prepareMemTable() {
        guard configuration.memTableBytes >= 2 * Self.preparationReach else { return }
        let (table, limit) = (state.active.table, configuration.sealingBytes)
        background.value.preparation { table.prepare(ahead: Self.preparationReach, upTo: limit) }
    }

    /// Makes the changes up to `last` visible, and adds to the counts of writes. The caller holds the write lock.
    @inline(__always)
    func finishWrite(last: SequenceNumber, count: Int, bytes: Int) {
        let logEnd = state.active.unretainedLog?.with { $0.end } ?? 0
        if logEnd >= state.active.nextStep, let log = state.active.log { takeLogStep(log) }
        state.lastSequence = last
        state.counts.changes &+= count
        state.counts.changedBytes &+= bytes
        reads.makeVisible(last)
    }

    /// Runs an append to the log. If the disk is full, nothing has changed, and a later attempt may succeed. After any
    /// other failure the state on disk is unknown, and the store refuses all later writes.
    @inline(__always)
    func appendToLog(
        _ log: Borrowed<LogWriter>?, _ body: (LogWriter) throws(StoreError) -> Void
    ) throws(StoreError) {
        guard let log else { return try status.refuse() }  // the store is read-only
        do { try log.with(body) } catch {
            if error.code != .noSpace { status.record(error) }
            throw error
        }
    }

    /// Removes all keys in `[start, end)`. Like an empty batch, an empty range writes nothing and returns the last
    /// sequence number, so that a synced acknowledgement covers all earlier writes.
    /// - Parameter mayBlock: see ``change(_:_:_:mayBlock:condition:)``.
    func changeRange(_ start: Bytes, _ end: Bytes, mayBlock: Bool = true) throws(StoreError) -> SequenceNumber? {
        try Limits.check(key: max(start.count, end.count), value: 0)
        if compareKeys(start, end) >= 0 { return try lastAcknowledged() }
        return try requestingSpace { () throws(StoreError) in
            try append(
                .rangeTombstone, start, end, userBytes: start.count + end.count, mayBlock ? .forCompaction : .never)
        }
    }
}

extension WritePath {
    // MARK: Syncs, and waits for them

    /// Makes all changes durable that were acknowledged before the call.
    func syncAll() throws(StoreError) {
        let last = try lastAcknowledged()
        try versions.makeRecoveryDurable()
        try commits?.wait(for: last)
    }

    /// Does the same as the synchronous ``syncAll()``, without blocking the calling thread for the disk.
    func syncAll() async throws(StoreError) {
        let last = try lastAcknowledged()
        if !versions.isRecoveryDurable {
            try await BlockingWork.run { () throws(StoreError) in try self.versions.makeRecoveryDurable() }
        }
        try await commits?.wait(for: last)
    }

    /// The sequence number of the last change.
    var lastSequence: SequenceNumber { lock.withLock { state.lastSequence } }

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
            let tables = state.sealed + [state.active]
            let unsynced = tables.compactMap(\.log).filter { $0.syncedEnd < $0.end }
            let refersToValues = tables.contains { !$0.valueFiles.isEmpty }
            return (
                unsynced.map { (log: $0, end: $0.end) }, refersToValues ? values.current : nil, state.lastSequence,
                configuration.durability == .buffered && unsynced.count == 1 && !isWrittenInBulk(unsynced[0])
            )
        }
        // Syncs values first, and older logs before newer ones, because the durable state must be a prefix of history.
        // A change that arrives in the meantime may refer to a value that is not synced, but it is not in the part of
        // the log that this call makes durable.
        if let valueFile { try values.sync(valueFile) }
        try status.requireSuccess { () throws(StoreError) in
            for (log, end) in logs { try log.sync(upTo: end) }
            // A sync of a file whose directory was removed succeeds, too.
            try versions.directory.checkInPlace()
        }
        // The writes of this buffered store are small and synced often. Prefaulted pages would make each sync longer.
        if isSmall {
            lock.withLock { state.active.log?.releasePrepared() }
        }
        return last
    }

    /// Waits until a change is durable, if its durability is ``Durability/synced``; nil means the durability of the
    /// configuration. Returns at once for number 0, which means that nothing was written.
    /// - Throws: ``StoreError/Code/inputOutput`` for every failure, because any other code would say that the change
    ///   was not made.
    func waitUntilDurable(_ sequence: SequenceNumber, _ durability: Durability?) throws(StoreError) {
        guard sequence > 0, (durability ?? configuration.durability) == .synced else { return }
        do { try commits?.wait(for: sequence) } catch { throw error.asUncertain }
    }

    /// Does the same as the synchronous function, without blocking the calling thread for the disk.
    func waitUntilDurable(_ sequence: SequenceNumber, _ durability: Durability?) async throws(StoreError) {
        guard sequence > 0, (durability ?? configuration.durability) == .synced else { return }
        do { try await commits?.wait(for: sequence) } catch { throw error.asUncertain }
    }

    /// Makes a change on the caller's thread if that does not block, otherwise on a thread that may block.
    /// - Parameters:
    ///   - durability: see ``waitUntilDurable(_:_:)``.
    ///   - queue: the queue of the thread that may block; nil: that of ``BlockingWork``.
    ///   - change: makes the change; returns nil if it must not block and would have to.
    func changeWithoutBlocking(
        _ durability: Durability?, on queue: DispatchQueue? = nil,
        _ change: @escaping @Sendable (_ mayBlock: Bool) throws(StoreError) -> SequenceNumber?
    ) async throws(StoreError) -> SequenceNumber {
        var done = try change(false)
        if done == nil { done = try await BlockingWork.run(on: queue) { () throws(StoreError) in try change(true) } }
        let sequence = done ?? 0
        try await waitUntilDurable(sequence, durability)
        return sequence
    }
}
