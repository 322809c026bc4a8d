extension WritePath {
    /// Appends a value to the value file, then writes the change that refers to it.
    /// - Returns: the change's sequence number; 0 if the condition did not hold.
    func changeLarge(
        _ key: Bytes, _ value: Bytes, _ condition: Condition?
    ) throws(StoreError) -> SequenceNumber? {
        try withValuesLocked { () throws(StoreError) in
            // Evaluates the condition before appending, because a rejected write would leave garbage in the value file.
            // The final evaluation happens under the write lock.
            if let condition, try !gather(key, condition).holds {
                // The evaluation may have seen a change that is not visible to readers yet. Taking the lock once waits
                // until it is visible.
                lock.withLock {}
                return 0
            }
            return try rollingBackValues { () throws(StoreError) in
                let pointer = try values.append(key, value)
                return try withStackBytes(ValuePointer.size) { buffer throws(StoreError) in
                    pointer.write(to: buffer)
                    return try append(
                        .pointer, key, Bytes(buffer), userBytes: key.count + value.count, .forFlush, condition,
                        valueFile: pointer.file)
                }
            }
        }
    }

    /// Runs a write that first appends values. If the disk is full and logs hold preallocated space, releases that
    /// space and runs the write once more. The caller holds the value lock.
    ///
    /// If the write does not fit on the disk, its values are rolled back.
    func rollingBackValues<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try makingSpace(forWriter: true) { () throws(StoreError) in try values.rollingBack(body) }
    }

    /// Runs a write under the value lock. Before taking the lock, waits for a compaction if level 0 is full.
    func withValuesLocked<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try waitForLevelZero()
        return try values.withLockForWrite(body)
    }
}
