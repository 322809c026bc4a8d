extension WritePath {
    /// Writes a value to the value file, then the change that refers to it.
    func changeLarge(
        _ key: Bytes, _ value: Bytes, _ condition: Condition?
    ) throws(StoreError) -> SequenceNumber? {
        try withValuesLocked { () throws(StoreError) in try changeLargeLocked(key, value, condition) }
    }

    private func changeLargeLocked(
        _ key: Bytes, _ value: Bytes, _ condition: Condition?
    ) throws(StoreError) -> SequenceNumber? {
        if let condition {
            // Not to leave garbage behind for nothing; decided for good under the write lock.
            let evidence = try gather(key, condition)
            if !evidence.holds {
                // What decided it may be a change that is not visible yet; once the lock was had, it is.
                lock.withLock {}
                return 0
            }
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

    /// Runs a write that appends values first; once more where the disk is full and logs hold space ahead. Under the value
    /// lock.
    ///
    /// If it does not fit on the disk, its values are rolled back.
    func rollingBackValues<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try makingSpace(forWriter: true) { () throws(StoreError) in try values.rollingBack(body) }
    }

    /// Runs a write under the value lock, behind a compaction where that has to be waited for.
    func withValuesLocked<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try waitForLevelZero()
        return try values.withLockForWrite(body)
    }
}
