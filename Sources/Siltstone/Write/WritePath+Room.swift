import Synchronization

// What a write waits for: room in the active memtable and its log, a next log, flushes, and compactions.
extension WritePath {
    /// What a writer that finds no room waits for.
    enum WaitPolicy {
        /// Nothing: it comes again as a writer that may wait.
        case never
        /// A flush, or the next log.
        case forFlush
        /// A compaction too.
        case forCompaction
    }

    /// Sees to it that the active memtable and log take a change. Under the write lock, which it may give up meanwhile.
    /// - Returns: false where that would block, and the caller must not.
    @inline(__always)
    func makeRoom(_ size: ChangeSize, _ waits: WaitPolicy) throws(StoreError) -> Bool {
        try status.checkWritable()
        let bytes = state.active.unretainedTable.with { $0.byteCount }
        let isEasy = size.count == 1 && size.bytes <= Self.easyChange && bytes < state.active.easyEnd
        if _fastPath(isEasy && state.controller.delay == 0) { return true }
        return try findRoom(size, waits)
    }

    /// Bytes of key and value up to which a change is a small one.
    private static let easyChange = 4 << 10
    /// Bytes of a memtable for which small changes are let in without a look at its room.
    private static let easyStep = 64 << 10

    /// Notes up to where the active memtable, which has so many bytes, takes small changes and nothing else is due. Under
    /// the write lock.
    private func noteEasyRoom(from bytes: Int) {
        let most = Self.easyStep + Self.easyChange
        let hasRoom = state.active.unretainedTable.with { table in
            table.hasRoom(keyBytes: most, valueBytes: 0, count: most / MemTableEntry.headerSize)
        }
        let next = bytes < preparationBytes ? preparationBytes : configuration.sealingBytes
        state.active.easyEnd = hasRoom ? min(bytes + Self.easyStep, next) : 0
    }

    /// Bytes of a memtable from which on the next log is made.
    private var preparationBytes: Int { configuration.sealingBytes / 8 }

    /// As ``makeRoom(_:_:)``, where there is something to do, or to be looked at.
    @inline(never)
    private func findRoom(_ size: ChangeSize, _ waits: WaitPolicy) throws(StoreError) -> Bool {
        if _slowPath(!versions.isRecoveryDurable), try !makeRecoveryDurable(waits) { return false }
        if state.controller.delay > 0, try !slowDown(size, waits) { return false }
        let earlier = attemptCounts()
        while true {
            let (bytes, isEmpty, hasRoom) = state.active.unretainedTable.with { table in
                (
                    table.byteCount, table.isEmpty,
                    table.hasRoom(keyBytes: size.keyBytes, valueBytes: size.valueBytes, count: size.count)
                )
            }
            if hasRoom, !isFull(bytes) || isEmpty {
                if bytes >= preparationBytes, state.logAttempts.failure == nil { prepareLogSoon() }
                noteEasyRoom(from: bytes)
                return true
            }
            if isEmpty {
                // A batch that is bigger than a memtable gets a memtable of its own size.
                state.active.table = try MemTable.make(configuration, for: size, arenas)
                state.active.easyEnd = 0
                publish()
                continue
            }
            if try !switchMemTable(size, waits, since: earlier) { return false }
        }
    }

    /// Makes durable what the opening has found. Under the write lock, which it gives up meanwhile.
    /// - Returns: false where the caller must not wait for that.
    private func makeRecoveryDurable(_ waits: WaitPolicy) throws(StoreError) -> Bool {
        if waits == .never { return false }
        lock.unlock()
        let result = Result { () throws(StoreError) in try versions.makeRecoveryDurable() }
        lock.lock()
        try result.get()
        try status.checkStillWritable()
        return true
    }

    /// Whether the active memtable, of so many bytes, is to be sealed, or its log has become too long. Under the write lock.
    @inline(__always)
    func isFull(_ bytes: Int) -> Bool {
        bytes >= configuration.sealingBytes
            || state.active.unretainedLog?.with { $0.end } ?? 0
                >= 2 * configuration.memTableBytes
    }

    /// Slows writers, or lets them go, by how quickly the active memtable fills while another is flushed. Under the write lock.
    func slowForFlush() {
        guard let flushed = state.sealed.first?.table else { return }
        let part = Double(flushProgress.load(ordering: .relaxed)) / Double(max(1, flushed.byteCount))
        let bytes = state.active.table.byteCount
        let tables = 1 + configuration.sealedMemTableLimit - state.sealed.count
        state.controller.takeStep(
            flushed: min(part, 1), bytes: bytes, room: tables * configuration.sealingBytes - bytes)
    }

    /// Makes a writer pay for the compactions and the flushes that it causes, a millisecond at a time.
    private func slowDown(_ size: ChangeSize, _ waits: WaitPolicy) throws(StoreError) -> Bool {
        switch state.controller.charge(size.bytes, mayPause: waits != .never) {
        case .goOn: return true
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
