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

    /// True if the active memtable, which has `bytes` bytes, is full, refers to many bytes of values, has many range
    /// tombstones, or its log has become too long. The caller holds the write lock.
    @inline(__always)
    func isFull(_ bytes: Int) -> Bool {
        bytes >= configuration.sealingBytes || state.active.valueBytes >= configuration.valueSealingBytes
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
        switch state.controller.charge(max(size.bytes, size.userBytes), mayPause: waits != .never) {
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

// A full disk. A write that meets it throws ``StoreError/Code/noSpace`` at once, and changes nothing. Background work
// then frees space by itself (``BackgroundWork/scheduleSpace()``), so that later writes succeed.
extension WritePath {
    /// Runs a change, and requests disk space if it meets a full disk.
    @inline(__always)
    func requestingSpace<R>(_ change: () throws(StoreError) -> R) throws(StoreError) -> R {
        do { return try change() } catch {
            if error.code == .noSpace { background.value.space() }
            throw error
        }
    }

    /// Runs background work that takes disk space. If the disk is full, releases preallocated space, which only lets
    /// writers run ahead, and runs the work once more. The caller does not hold the write lock.
    func releasingReserves<R>(_ work: () throws(StoreError) -> R) throws(StoreError) -> R {
        do { return try work() } catch {
            guard error.code == .noSpace, lock.withLock({ releaseReserves() }) else { throw error }
            return try work()
        }
    }

    /// Releases the preallocated space of logs and of the value file. The caller holds the write lock.
    /// - Returns: true if any space was released.
    func releaseReserves() -> Bool {
        let logs = state.sealed.map(\.log) + [state.active.log, state.nextLog]
        let ofLogs = logs.reduce(0) { $0 + ($1?.releaseReserve() ?? 0) } > 0
        let ofValues = values.releaseSpace()
        return ofLogs || ofValues
    }
}
