import Synchronization

// What a write waits for: room in the active memtable and its log, a next log, flushes, and compactions.
extension Engine {
    /// What a writer that finds no room waits for.
    enum Patience {
        /// Nothing: it is told.
        case none
        /// A flush, or the next log.
        case short
        /// A compaction too.
        case full
    }

    /// Sees to it that the active memtable and log take a change. Under the write lock, which it may give up meanwhile.
    /// - Returns: false where that would block, and the caller must not.
    @inline(__always)
    func makeRoom(_ size: ChangeSize, _ patience: Patience) throws(StoreError) -> Bool {
        try checkWritable()
        let bytes = state.pointee.active.unretainedTable._withUnsafeGuaranteedRef { $0.byteCount }
        let isEasy = size.count == 1 && size.bytes <= Self.easyChange && bytes < state.pointee.active.easyEnd
        if _fastPath(isEasy && throttle.nanosecondsPerKiB &+ state.pointee.pace.delay == 0) { return true }
        return try findRoom(size, patience)
    }

    /// Bytes of key and value up to which a change is a small one.
    private static let easyChange = 4 << 10
    /// Bytes of a memtable for which small changes are let in without a look at its room.
    private static let easyStep = 64 << 10

    /// Notes up to where the active memtable, which has so many bytes, takes small changes and nothing else is due. Under
    /// the write lock.
    private func noteEasyRoom(from bytes: Int) {
        let most = Self.easyStep + Self.easyChange
        let hasRoom = state.pointee.active.unretainedTable._withUnsafeGuaranteedRef { table in
            table.hasRoom(keyBytes: most, valueBytes: 0, count: most / MemTableEntry.headerSize)
        }
        let next = bytes < preparationBytes ? preparationBytes : configuration.sealingBytes
        state.pointee.active.easyEnd = hasRoom ? min(bytes + Self.easyStep, next) : 0
    }

    /// Bytes of a memtable from which on the next log is made.
    private var preparationBytes: Int { configuration.sealingBytes / 8 }

    /// As ``makeRoom(_:_:)``, where there is something to do, or to be looked at.
    @inline(never)
    private func findRoom(_ size: ChangeSize, _ patience: Patience) throws(StoreError) -> Bool {
        if _slowPath(!isSettled.load(ordering: .relaxed)), try !settle(patience) { return false }
        if throttle.nanosecondsPerKiB &+ state.pointee.pace.delay > 0, try !slowDown(size, patience) { return false }
        let earlier = attemptCounts()
        while true {
            let (bytes, isEmpty, hasRoom) = state.pointee.active.unretainedTable._withUnsafeGuaranteedRef { table in
                (
                    table.byteCount, table.isEmpty,
                    table.hasRoom(keyBytes: size.keyBytes, valueBytes: size.valueBytes, count: size.count)
                )
            }
            if hasRoom, !isFull(bytes) || isEmpty {
                if bytes >= preparationBytes, state.pointee.logAttempts.failure == nil { prepareLogSoon() }
                noteEasyRoom(from: bytes)
                return true
            }
            if isEmpty {
                // A batch that is bigger than a memtable gets a memtable of its own size.
                state.pointee.active.table = try Self.makeTable(configuration, size, arenas)
                state.pointee.active.easyEnd = 0
                publishView()
                continue
            }
            if try !rotate(size, patience, since: earlier) { return false }
        }
    }

    /// As ``settle()``, under the write lock, which it gives up meanwhile.
    /// - Returns: false where that is not to be waited for.
    private func settle(_ patience: Patience) throws(StoreError) -> Bool {
        if patience == .none { return false }
        writeLock.unlock()
        let result = Result { () throws(StoreError) in try settle() }
        writeLock.lock()
        try result.get()
        try checkStillWritable()
        return true
    }

    /// Whether the active memtable, of so many bytes, is to be sealed, or its log has become too long. Under the write lock.
    @inline(__always)
    private func isFull(_ bytes: Int) -> Bool {
        bytes >= configuration.sealingBytes
            || state.pointee.active.unretainedLog?._withUnsafeGuaranteedRef { $0.end } ?? 0
                >= 2 * configuration.memTableBytes
    }

    static func makeTable(
        _ configuration: Configuration, _ size: ChangeSize, _ pool: ArenaPool?
    ) throws(StoreError) -> MemTable {
        let usual = configuration.memTableBytes + configuration.memTableBytes / 2 + (1 << 20)
        let needed = size.bytes * 2 + size.count * 160 + (4 << 20)
        let table = try MemTable(capacity: max(usual, needed), pool: pool)
        guard table.hasRoom(keyBytes: size.keyBytes, valueBytes: size.valueBytes, count: size.count) else {
            throw StoreError(.tooLarge, "the batch needs more memory than a memtable can have; split it")
        }
        return table
    }

    /// How many attempts at background work had begun when someone began to wait for it.
    struct AttemptCounts {
        var flush: Int
        var log: Int
        var compaction: Int
    }

    /// Under the write lock.
    func attemptCounts() -> AttemptCounts {
        AttemptCounts(
            flush: state.pointee.flushAttempts.begun, log: state.pointee.logAttempts.begun,
            compaction: state.pointee.compactionAttempts.begun)
    }

    /// Seals the active memtable and begins the next, or waits once for what that takes. Under the write lock, which it
    /// may give up meanwhile.
    /// - Parameter earlier: attempts from before the caller began; the failure of a later one that it waits for is
    ///   thrown, and the next caller has the work tried again: a full disk may have room by then.
    /// - Returns: false where it would wait, and must not.
    func rotate(_ size: ChangeSize, _ patience: Patience, since earlier: AttemptCounts) throws(StoreError) -> Bool {
        guard let log = try nextLogIfReady(patience, since: earlier) else {
            if patience == .none { return false }
            stall()
            try checkStillWritable()
            return true  // things have changed: look again
        }
        let table = try Self.makeTable(configuration, size, arenas)
        let old = state.pointee.active
        if let before = old.log {
            let link = before.link(lastSequence: state.pointee.lastSequence)
            try appendToLog(.passUnretained(log)) { log throws(StoreError) in try log.append(link: link) }
        }
        state.pointee.nextLog = nil
        state.pointee.sealed.append(old)
        state.pointee.active = LoggedTable(table: table, log: log)
        state.pointee.pace.beginTable()
        prepareMemTable()
        publishView()
        scheduleFlush()
        return true
    }

    /// The log for the next memtable, if the active one can be sealed; else has the work done that is missing. Only the
    /// failure of what is missing is thrown: a flush that nobody waits for may fail.
    private func nextLogIfReady(_ patience: Patience, since earlier: AttemptCounts) throws(StoreError) -> LogWriter? {
        if state.pointee.sealed.count >= configuration.sealedMemTableLimit {
            try state.pointee.flushAttempts.check(since: earlier.flush)
            scheduleFlush()
            return nil
        }
        if patience != .short, isLevelZeroFull {
            try state.pointee.compactionAttempts.check(since: earlier.compaction)
            scheduleCompaction()
            return nil
        }
        if state.pointee.nextLog == nil {
            try state.pointee.logAttempts.check(since: earlier.log)
            prepareLogSoon()
        }
        return state.pointee.nextLog
    }

    /// Whether so many flushed runs wait for compaction that no more may come. Under the write lock.
    private var isLevelZeroFull: Bool {
        configuration.automaticCompaction
            && state.pointee.version.levels.first?.count ?? 0 >= WriteThrottle.greatestRuns
    }

    /// Waits while a memtable is to be sealed and level 0 is full. What writers of large values do before they take the
    /// value lock: a compaction may need it, so that nobody who holds it may wait for one.
    func waitForLevelZero() throws(StoreError) {
        writeLock.lock()
        defer { writeLock.unlock() }
        guard isLevelZeroFull else { return }
        try checkWritable()
        let earlier = attemptCounts().compaction
        while isLevelZeroFull, isFull(state.pointee.active.table.byteCount) {
            try state.pointee.compactionAttempts.check(since: earlier)
            scheduleCompaction()
            stall()
            try checkStillWritable()
        }
    }

    /// Slows writers, or lets them go, by how quickly the active memtable fills while another is flushed. Under the write lock.
    func takePaceStep() {
        guard let flushed = state.pointee.sealed.first?.table else { return }
        let part = Double(flushedBytes.load(ordering: .relaxed)) / Double(max(1, flushed.byteCount))
        let bytes = state.pointee.active.table.byteCount
        let tables = 1 + configuration.sealedMemTableLimit - state.pointee.sealed.count
        state.pointee.pace.takeStep(
            flushed: min(part, 1), bytes: bytes, room: tables * configuration.sealingBytes - bytes)
    }

    /// Waits for background work, and counts the time.
    private func stall() {
        let start = Platform.monotonicNanoseconds()
        writeLock.wait()
        state.pointee.statistics.stalls += 1
        state.pointee.statistics.stallSeconds += Double(Platform.monotonicNanoseconds() - start) * 1e-9
    }

    /// Makes a writer pay for the compactions and the flushes that it causes, a millisecond at a time.
    private func slowDown(_ size: ChangeSize, _ patience: Patience) throws(StoreError) -> Bool {
        let delay = throttle.nanosecondsPerKiB &+ state.pointee.pace.delay
        let debt = state.pointee.debt &+ delay &* UInt64(size.bytes + 64) / 1024
        // Who must not wait comes again as one who may, and is charged then.
        if patience == .none, debt >= 1_000_000 { return false }
        state.pointee.debt = debt
        guard debt >= 1_000_000 else { return true }
        let pause = min(debt, 20_000_000)
        state.pointee.debt = 0
        state.pointee.statistics.slowdowns += 1
        state.pointee.statistics.slowdownSeconds += Double(pause) * 1e-9
        writeLock.unlock()
        Platform.sleep(microseconds: UInt32(pause / 1000))
        writeLock.lock()
        try checkWritable()
        return true
    }
}
