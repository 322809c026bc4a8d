import Dispatch
import Synchronization

/// What a write needs room for.
struct ChangeSize {
    var keyBytes: Int
    var valueBytes: Int
    var count: Int

    var bytes: Int { keyBytes &+ valueBytes }
}

extension Engine {
    /// Puts or deletes one key.
    /// - Parameters:
    ///   - mayBlock: whether the caller can wait for a flush; if not, nil is returned where that would be needed, and
    ///     nothing was done.
    ///   - condition: decides, from the key's present record, whether to go on; nil always does.
    /// - Returns: the change's sequence number, or 0 where the condition did not hold.
    func change(
        _ kind: RecordKind, _ key: Bytes, _ value: Bytes, mayBlock: Bool = true, condition: Condition? = nil
    ) throws(StoreError) -> SequenceNumber? {
        try Self.checkLimits(key: key.count, value: value.count)
        return try outwaitingFlushes(mayBlock: mayBlock) { () throws(StoreError) in
            if kind == .value, value.count >= configuration.largeValueBytes {
                return mayBlock ? try changeLarge(key, value, condition) : nil
            }
            return try append(
                kind, key, value, userBytes: key.count + value.count, mayBlock ? .full : .none, condition,
                valueFile: nil)
        }
    }

    static func checkLimits(key: Int, value: Int) throws(StoreError) {
        guard key <= Limits.keyBytes else {
            throw StoreError(.tooLarge, "a key has \(key) bytes, \(Limits.keyBytes) is the most")
        }
        guard value <= Limits.valueBytes else {
            throw StoreError(.tooLarge, "a value has \(value) bytes, \(Limits.valueBytes) is the most")
        }
    }

    /// The common end of all writes of one key: log, memtable, visibility.
    private func append(
        _ kind: RecordKind, _ key: Bytes, _ value: Bytes, userBytes: Int, _ patience: Patience, _ condition: Condition?,
        valueFile: UInt64?
    ) throws(StoreError) -> SequenceNumber? {
        // What the condition needs to know is read outside the lock, where reading from disk stops nobody.
        var evidence = try condition.map { condition throws(StoreError) in try gather(key, condition) }
        writeLock.lock()
        defer { writeLock.unlock() }
        let size = ChangeSize(keyBytes: key.count, valueBytes: value.count, count: 1)
        guard try makeRoom(size, patience) else { return nil }
        if let condition, var known = evidence {
            try refresh(&known, key, condition)
            evidence = known
            if !known.holds { return 0 }
        }
        let sequence = state.pointee.lastSequence &+ 1
        try appendToLog(state.pointee.active.unretainedLog) { log throws(StoreError) in
            try log.append(kind: kind, key: key, value: value, sequence: sequence)
        }
        if _slowPath(emptyRanges.isWatching), kind.isPut { emptyRanges.note(put: key, sequence) }
        state.pointee.active.unretainedTable._withUnsafeGuaranteedRef { table in
            table.apply(Record(key: key, value: value, sequence: sequence, kind: kind))
        }
        if let valueFile { state.pointee.active.valueFiles.insert(valueFile) }
        finishWrite(last: sequence, count: 1, bytes: userBytes)
        if _slowPath(feed.isListening) {
            publish(Record(key: key, value: value, sequence: sequence, kind: kind))
        }
        return sequence
    }

    /// Bytes of log after which a writer looks after what goes on in the background.
    static let logStep = 1 << 20
    /// How far log and memtable are prepared then, in bytes: a writer must not catch up with that before the next step.
    private static let preparationReach = 4 << 20

    /// Has the pages behind the ends of log and memtable made present in the background: a page fault costs a writer
    /// several times as much as the change itself. Has an end of the writing noticed, too.
    @inline(never)
    private func takeLogStep(_ log: LogWriter) {
        state.pointee.active.nextStep = log.end + Self.logStep
        takePaceStep()
        watchForIdleness()
        prepareMemTable()
        if isWrittenInBulk(log) { preparationQueue.async { log.prepare(ahead: Self.preparationReach) } }
    }

    /// Whether a log takes much between two syncs. If not, nothing is prepared: the next sync would bring the prepared pages
    /// to the disk as well.
    func isWrittenInBulk(_ log: LogWriter) -> Bool {
        configuration.durability == .buffered && log.end - log.syncedEnd >= Self.logStep / 2
    }

    /// Memtables that fill in less than a step or two are not worth a thread's while. Under the write lock.
    func prepareMemTable() {
        guard configuration.memTableBytes >= 2 * Self.preparationReach else { return }
        let (table, limit) = (state.pointee.active.table, configuration.sealingBytes)
        preparationQueue.async { table.prepare(ahead: Self.preparationReach, upTo: limit) }
    }

    /// Makes the changes up to `last` visible. Under the write lock.
    @inline(__always)
    private func finishWrite(last: SequenceNumber, count: Int, bytes: Int) {
        let logEnd = state.pointee.active.unretainedLog?._withUnsafeGuaranteedRef { $0.end } ?? 0
        if logEnd >= state.pointee.active.nextStep, let log = state.pointee.active.log { takeLogStep(log) }
        state.pointee.lastSequence = last
        state.pointee.statistics.changes &+= count
        state.pointee.statistics.changedBytes &+= bytes
        visible.store(last, ordering: .releasing)
    }

    /// Runs an append to the log. A full disk changes nothing and may pass; after any other failure nobody knows what
    /// the disk holds, and the store takes no more writes.
    @inline(__always)
    func appendToLog(
        _ log: Unmanaged<LogWriter>?, _ body: (LogWriter) throws(StoreError) -> Void
    ) throws(StoreError) {
        guard let log else { return try refuse() }
        do { try log._withUnsafeGuaranteedRefThrowing(body) } catch {
            try appendAgain(to: log.takeUnretainedValue(), after: error, body)
        }
    }

    /// Tries an append once more where the disk is full and others hold space ahead.
    private func appendAgain(
        to log: LogWriter, after error: StoreError, _ body: (LogWriter) throws(StoreError) -> Void
    ) throws(StoreError) {
        var error = error
        if error.code == .noSpace {
            guard gainSpace(for: log) else { throw error }
            do { return try body(log) } catch let second { error = second }
        }
        if error.code != .noSpace, !state.pointee.hasFailed { state.pointee.failure = error }
        throw error
    }

    /// Removes all keys in `[start, end)`. Where that is none, it vouches for all that was before, as an empty batch does.
    func changeRange(_ start: Bytes, _ end: Bytes, mayBlock: Bool = true) throws(StoreError) -> SequenceNumber? {
        try Self.checkLimits(key: max(start.count, end.count), value: 0)
        if compareKeys(start, end) >= 0 { return try lastAcknowledged() }
        return try outwaitingFlushes(mayBlock: mayBlock) { () throws(StoreError) in
            try append(
                .rangeTombstone, start, end, userBytes: start.count + end.count, mayBlock ? .full : .none, nil,
                valueFile: nil)
        }
    }

    // MARK: Large values

    /// Writes a value to the value file, then the change that refers to it.
    private func changeLarge(
        _ key: Bytes, _ value: Bytes, _ condition: Condition?
    ) throws(StoreError) -> SequenceNumber? {
        try lockValues()
        defer { valueLock.unlock() }
        if let condition {
            // Not to leave garbage behind for nothing; decided for good under the write lock.
            let evidence = try gather(key, condition)
            if !evidence.holds {
                // What decided it may be a change that is not visible yet; once the lock was had, it is.
                writeLock.withLock {}
                return 0
            }
        }
        return try takingBackValues { () throws(StoreError) in
            let pointer = try appendValue(key, value)
            return try withUnsafeTemporaryBytes(ValuePointer.size) { buffer throws(StoreError) in
                pointer.write(to: buffer)
                return try append(
                    .pointer, key, Bytes(buffer), userBytes: key.count + value.count, .short, condition,
                    valueFile: pointer.file)
            }
        }
    }

    /// Runs a write that appends values first; once more where the disk is full and logs hold space ahead. Under the value
    /// lock.
    ///
    /// If it does not fit on the disk, its values are taken back: nothing refers to them, and they would keep the very
    /// space that is short, each attempt some more.
    func takingBackValues<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try makingSpace(forWriter: true) { () throws(StoreError) in try takingBackValuesOnce(body) }
    }

    private func takingBackValuesOnce<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        let before = writeLock.withLock { state.pointee.values }
        let end = before?.size ?? FileHeader.size
        defer { writeLock.withLock { state.pointee.begunValues = [] } }
        do { return try body() } catch {
            guard error.code == .noSpace else { throw error }
            before?.takeBack(to: end)
            // All that files begun meanwhile hold is of this write; only the last of them is used again.
            let begun = writeLock.withLock { state.pointee.begunValues }
            for values in begun { values.takeBack(to: FileHeader.size) }
            if begun.count > 1 { scheduleCompaction() }  // which removes them
            throw error
        }
    }

    /// Takes the value lock for a write, which may have to wait for a compaction first.
    ///
    /// Throws, without the lock, where the store takes no writes. Closing waits for that lock, so that no value file is
    /// touched once the directory is given up.
    private func lockValues() throws(StoreError) {
        try waitForLevelZero()
        valueLock.lock()
        do { try writeLock.withLock { () throws(StoreError) in try checkWritable() } } catch {
            valueLock.unlock()
            throw error
        }
    }

    /// Appends to the value file in use, beginning a new one where needed. Under the value lock.
    /// - Parameter takesSpace: whether disk space may be taken ahead for more values.
    func appendValue(_ key: Bytes, _ value: Bytes, takesSpace: Bool = true) throws(StoreError) -> ValuePointer {
        var writer = writeLock.withLock { state.pointee.values }
        if let current = writer, current.size >= configuration.valueFileBytes || !current.isUsable {
            current.releaseSpace()
            // Later syncs know the new file only.
            try syncValues(current)
            writer = nil
        }
        let values: ValueFileAppender
        if let writer { values = writer } else { values = try startValueFile() }
        // Disk space that was taken ahead is given back by whoever finds the store idle.
        defer { if values.size >= ValueFileWriter.firstStep { watchForIdleness() } }
        return try values.append(
            key: key, value: value, sequence: visible.load(ordering: .relaxed), takesSpace: takesSpace)
    }

    // MARK: Batches

    /// Applies a batch as a whole. An empty one, acknowledged as synced, vouches for all that was before.
    /// - Parameter check: asked under the write lock; the batch is applied only if nothing was changed.
    /// - Returns: the last sequence number, or 0 where the check has stopped the batch.
    func write(
        _ batch: WriteBatch, mayBlock: Bool = true, check: CommitCheck? = nil
    ) throws(StoreError) -> SequenceNumber? {
        if batch.count == 0 { return try lastAcknowledged() }
        try Self.checkLimits(key: batch.largestKeyBytes, value: batch.largestValueBytes)
        return try outwaitingFlushes(mayBlock: mayBlock) { () throws(StoreError) in
            try writeOnce(batch, mayBlock, check)
        }
    }

    private func writeOnce(
        _ batch: WriteBatch, _ mayBlock: Bool, _ check: CommitCheck?
    ) throws(StoreError) -> SequenceNumber? {
        guard batch.largestValueBytes >= configuration.largeValueBytes else {
            return try batch.withPayload { payload throws(StoreError) in
                try write(payload, batch, userBytes: batch.byteCount, mayBlock ? .full : .none, check, valueFiles: [])
            }
        }
        guard mayBlock else { return nil }
        try lockValues()
        defer { valueLock.unlock() }
        return try takingBackValues { () throws(StoreError) in
            var files: Set<UInt64> = []
            let slim = try batch.movingLargeValues(ofAtLeast: configuration.largeValueBytes) {
                key, value throws(StoreError) in
                let pointer = try appendValue(key, value)
                files.insert(pointer.file)
                return pointer
            }
            return try slim.withPayload { payload throws(StoreError) in
                try write(payload, slim, userBytes: batch.byteCount, .short, check, valueFiles: files)
            }
        }
    }

    private func write(
        _ payload: Bytes, _ batch: WriteBatch, userBytes: Int, _ patience: Patience, _ check: CommitCheck?,
        valueFiles: Set<UInt64>
    ) throws(StoreError) -> SequenceNumber? {
        guard payload.count <= Limits.batchBytes else {
            throw StoreError(.tooLarge, "the batch has \(payload.count) bytes, \(Limits.batchBytes) is the most")
        }
        writeLock.lock()
        defer { writeLock.unlock() }
        let size = ChangeSize(keyBytes: payload.count, valueBytes: 0, count: batch.count)
        guard try makeRoom(size, patience) else { return nil }
        if let check, try check.decide(state.pointee, in: self) != .unchanged { return 0 }
        let first = state.pointee.lastSequence &+ 1
        try appendToLog(state.pointee.active.unretainedLog) { log throws(StoreError) in
            try log.append(batch: payload, firstSequence: first, count: batch.count)
        }
        let last = first &+ UInt64(batch.count) &- 1
        try apply(payload, firstSequence: first, last: last, to: state.pointee.active.table)
        state.pointee.active.valueFiles.formUnion(valueFiles)
        finishWrite(last: last, count: batch.count, bytes: userBytes)
        if _slowPath(feed.isListening) { feed.publish(first: first, last: last, payload) }
        return last
    }

    private func apply(
        _ payload: Bytes, firstSequence: SequenceNumber, last: SequenceNumber, to table: MemTable
    ) throws(StoreError) {
        var changes = ChangeReader(payload, firstSequence: firstSequence)
        do throws(MalformedChange) {
            if _slowPath(emptyRanges.isWatching) { try notePuts(of: payload, last: last) }
            try table.apply(&changes)
        } catch {
            // A batch encodes its changes itself, so this cannot be; if it were, the log holds what memory does not.
            let error = StoreError(.invalidArgument, "the batch is malformed at byte \(error.offset)")
            state.pointee.failure = error
            throw error
        }
    }

    // MARK: Durability

    /// Makes everything written so far durable; called by one leader at a time.
    /// - Returns: the last sequence number that is durable now.
    func syncLogs() throws(StoreError) -> SequenceNumber {
        let (logs, values, last, isSmall) = writeLock.withLock {
            let unsynced = (state.pointee.sealed + [state.pointee.active]).compactMap(\.log)
                .filter { $0.syncedEnd < $0.end }
            return (
                unsynced.map { (log: $0, end: $0.end) }, state.pointee.values, state.pointee.lastSequence,
                configuration.durability == .buffered && unsynced.count == 1 && !isWrittenInBulk(unsynced[0])
            )
        }
        // Values first, and older logs before newer ones: what is durable must be a prefix of history. A change that
        // comes in meanwhile may refer to a value that is not covered: no log vouches for it yet.
        try syncValues(values)
        try certain { () throws(StoreError) in
            for (log, end) in logs { try log.sync(upTo: end) }
        }
        // Where many writes are synced each by itself, in a store that is otherwise written in bulk.
        if isSmall {
            writeLock.withLock { state.pointee.active.log?.releasePrepared() }
        }
        return last
    }

    /// Makes the values in a value file durable, so that something durable may refer to them.
    func syncValues(_ values: ValueFileAppender?) throws(StoreError) {
        guard let values else { return }
        try certain { () throws(StoreError) in try values.sync() }
    }

    /// Makes all values durable that a change or a compaction has written so far.
    func syncValues() throws(StoreError) { try syncValues(writeLock.withLock { state.pointee.values }) }

    /// Runs a sync; if it fails, even for a full disk, nobody knows what the disk holds, and no write is taken any more.
    private func certain(_ sync: () throws(StoreError) -> Void) throws(StoreError) {
        do { try sync() } catch {
            let error = error.asUncertain
            poison(error)
            throw error
        }
    }

    /// Waits until a change is durable, if that was asked for.
    /// - Throws: ``StoreError/Code/inputOutput``, whatever the reason: the change was made, and no other code may say so.
    func finish(_ sequence: SequenceNumber, _ durability: Durability?) throws(StoreError) {
        guard sequence > 0, (durability ?? configuration.durability) == .synced else { return }
        do { try commits?.wait(for: sequence) } catch { throw error.asUncertain }
    }

    /// As ``finish(_:_:)``, without blocking a thread.
    func finish(_ sequence: SequenceNumber, _ durability: Durability?) async throws(StoreError) {
        guard sequence > 0, (durability ?? configuration.durability) == .synced else { return }
        do { try await commits?.wait(for: sequence) } catch { throw error.asUncertain }
    }
}

extension MemTable {
    /// Makes changes as a log holds them, some at a time.
    func apply(_ changes: inout ChangeReader) throws(MalformedChange) {
        try withUnsafeTemporary(Record.self, count: Self.groupSize) { group throws(MalformedChange) in
            var count = 0
            repeat {
                count = 0
                while count < group.count, let change = try changes.next() {
                    group.initializeElement(at: count, to: change)
                    count += 1
                }
                prefetchLeaves(of: group[..<count])
                for change in group[..<count] { apply(change) }
            } while count == group.count
        }
    }

    /// Makes a change as a log holds it.
    @inline(__always)
    func apply(_ change: Record) {
        if change.kind == .rangeTombstone {
            insertRangeTombstone(start: change.key, end: change.value, sequence: change.sequence)
        } else {
            insert(key: change.key, value: change.value, sequence: change.sequence, kind: change.kind)
        }
    }
}

extension LogWriter.Options {
    /// Room for what a memtable takes, and for the greatest batch: address space, not disk.
    static func log(_ configuration: Configuration) -> LogWriter.Options {
        LogWriter.Options(
            writing: configuration.logWriting,
            capacity: 4 * configuration.memTableBytes + Limits.batchBytes + (64 << 20))
    }
}
