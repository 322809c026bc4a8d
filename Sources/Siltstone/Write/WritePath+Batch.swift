import Synchronization

extension WritePath {
    /// Applies a batch atomically. An empty batch writes nothing, is not checked, and returns the last sequence number: a
    /// caller that waits until this number is synced knows that all earlier writes are.
    /// - Parameters:
    ///   - mayBlock: false if the caller cannot wait. Then nil is returned if waiting may be necessary, and nothing was
    ///     done.
    ///   - check: the reads of a transaction, checked for later changes under the write lock. If there is one, nothing is
    ///     applied. Nil for a batch that is no transaction's.
    /// - Returns: the last sequence number; 0 if the check has rejected the batch; nil as for `mayBlock`.
    func write(
        _ batch: WriteBatch, mayBlock: Bool = true, check: CommitCheck? = nil
    ) throws(StoreError) -> SequenceNumber? {
        if batch.count == 0 { return try lastAcknowledged() }
        try Limits.check(key: batch.largestKeyBytes, value: batch.largestValueBytes)
        return try requestingSpace { () throws(StoreError) in try writeOnce(batch, mayBlock, check) }
    }

    /// One attempt of ``write(_:mayBlock:check:)``.
    private func writeOnce(
        _ batch: WriteBatch, _ mayBlock: Bool, _ check: CommitCheck?
    ) throws(StoreError) -> SequenceNumber? {
        guard batch.largestValueBytes >= configuration.largeValueBytes else {
            return try batch.withPayload { payload throws(StoreError) in
                try write(payload, batch, userBytes: batch.byteCount, mayBlock ? .forCompaction : .never, check)
            }
        }
        // The value lock may have to be waited for.
        guard mayBlock else { return nil }
        return try withValuesLocked { () throws(StoreError) in
            try values.rollingBack(ifRejected: { $0 == 0 }) { () throws(StoreError) in try writeLarge(batch, check) }
        }
    }

    /// Writes a batch whose large values go to the value file. The caller holds the value lock.
    private func writeLarge(_ batch: WriteBatch, _ check: CommitCheck?) throws(StoreError) -> SequenceNumber? {
        var files: Set<UInt64> = []
        let slim = try batch.movingLargeValues(ofAtLeast: configuration.largeValueBytes) {
            key, value throws(StoreError) in
            let pointer = try values.append(key, value)
            files.insert(pointer.file)
            return pointer
        }
        return try slim.withPayload { payload throws(StoreError) in
            try write(payload, slim, userBytes: batch.byteCount, .forFlush, check, valueFiles: files)
        }
    }

    /// Appends the payload of a batch to the log, applies it to the memtable and makes it visible.
    /// - Parameters:
    ///   - userBytes: bytes of keys and values, large values included, for statistics.
    ///   - waits: what the write may wait for if there is no room. A large batch does not wait for a compaction, because
    ///     it holds the value lock.
    ///   - valueFiles: the value files to which the payload refers.
    /// - Returns: see ``write(_:mayBlock:check:)``.
    private func write(
        _ payload: Bytes, _ batch: WriteBatch, userBytes: Int, _ waits: WaitPolicy, _ check: CommitCheck?,
        valueFiles: Set<UInt64> = []
    ) throws(StoreError) -> SequenceNumber? {
        guard payload.count <= Limits.batchBytes else {
            throw StoreError(.tooLarge, "the batch has \(payload.count) bytes, \(Limits.batchBytes) is the most")
        }
        lock.lock()
        defer { lock.unlock() }
        // The payload is not divided into keys and values: all of it counts as keys, an upper bound of the memory.
        let size = ChangeSize(keyBytes: payload.count, valueBytes: 0, count: batch.count, userBytes: userBytes)
        guard try makeRoom(size, waits) else { return nil }
        if let check, try !isUnchanged(check) { return 0 }
        let first = state.lastSequence &+ 1
        try appendToLog(state.active.unretainedLog) { log throws(StoreError) in
            try log.append(batch: payload, firstSequence: first, count: batch.count)
        }
        let last = first &+ UInt64(batch.count) &- 1
        try apply(payload, firstSequence: first, last: last, to: state.active.table)
        if !valueFiles.isEmpty { noteValues(in: valueFiles, bytes: userBytes - payload.count) }
        finishWrite(last: last, count: batch.count, bytes: userBytes)
        if _slowPath(feed.isListening) { feed.publish(first: first, last: last, payload) }
        return last
    }

    /// Applies a payload to the memtable. The caller holds the write lock.
    /// - Parameter last: the sequence number of the payload's last change.
    private func apply(
        _ payload: Bytes, firstSequence: SequenceNumber, last: SequenceNumber, to table: MemTable
    ) throws(StoreError) {
        var changes = ChangeReader(payload, firstSequence: firstSequence)
        do throws(MalformedChange) {
            // Before the puts are visible. A scan skips a range in which everything is deleted, and must not skip them.
            if _slowPath(scans.deletedRanges.hasRanges) { try scans.deletedRanges.notePuts(of: payload, last: last) }
            try table.apply(&changes)
        } catch {
            // A batch encodes its changes itself, so this cannot happen. If it did, the log would contain changes that
            // memory does not.
            let error = StoreError(.invalidArgument, "the batch is malformed at byte \(error.offset)")
            status.record(error)
            throw error
        }
    }
}
