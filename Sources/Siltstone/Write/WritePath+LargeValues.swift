extension WritePath {
    /// Appends a value to the value file, then writes the change that refers to it.
    /// - Returns: the change's sequence number; 0 if the condition did not hold.
    func changeLarge(
        _ key: Bytes, _ value: Bytes, _ condition: Condition?
    ) throws(StoreError) -> SequenceNumber? {
        try withValuesLocked { () throws(StoreError) in
            // Evaluates the condition before appending, so that most rejected writes append nothing. The final
            // evaluation happens under the write lock, and a write that it rejects is rolled back.
            if let condition, try !holds(condition, key) { return 0 }
            return try values.rollingBack(ifRejected: { $0 == 0 }) { () throws(StoreError) in
                let pointer = try values.append(key, value)
                return try withStackBytes(ValuePointer.size) { buffer throws(StoreError) in
                    pointer.write(to: buffer)
                    return try append(
                        .pointer, key, buffer.bytes, userBytes: key.count + value.count, .forFlush, condition,
                        valueFile: pointer.file)
                }
            }
        }
    }

    /// Records that the last change refers to values. The caller holds the write lock.
    func noteValues(in files: Set<UInt64>, bytes: Int) {
        state.active.valueFiles.formUnion(files)
        state.active.valueBytes += bytes
        let limit = configuration.valueSealingBytes
        if state.active.valueBytes >= limit / 8, state.attempts.log.failure == nil { prepareLogSoon() }
        // The next change checks the memtable's room, a small one too.
        if state.active.valueBytes >= limit { state.active.uncheckedEnd = 0 }
    }

    /// Evaluates the condition of a large value for the first time.
    private func holds(_ condition: Condition, _ key: Bytes) throws(StoreError) -> Bool {
        var known = try gather(key, condition)
        if known.holds { return true }
        // The evaluation may have seen some changes of a batch whose other changes were not in the memtable yet. Under
        // the lock, no batch is half applied.
        lock.lock()
        defer { lock.unlock() }
        _ = try refresh(&known, key, condition, .forFlush)
        return known.holds
    }

    /// Runs a write under the value lock. Before taking the lock, waits for a compaction if level 0 is full.
    func withValuesLocked<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try waitForLevelZero()
        return try values.withLockForWrite(body)
    }
}
