extension KeyValueStore {
    /// Sets the value of `key`.
    /// - Parameters:
    ///   - key: 0 to 64 KiB.
    ///   - value: 0 to 1 GiB.
    ///   - durability: when the call returns; nil for the default of the store.
    /// - Throws: ``StoreError``: ``StoreError/Code/tooLarge`` above a limit, ``StoreError/Code/noSpace``, and others.
    ///   After ``StoreError/Code/inputOutput``, the write may or may not exist when the store is opened again.
    @inlinable
    public func put(
        _ key: some Collection<UInt8>, _ value: some Collection<UInt8>, durability: Durability? = nil
    ) throws(StoreError) {
        try withContiguousBytes(key, value) { key, value throws(StoreError) in try putBytes(key, value, durability) }
    }

    /// Sets the value of `key`; see ``put(_:_:durability:)``.
    public func put(_ key: RawSpan, _ value: RawSpan, durability: Durability? = nil) throws(StoreError) {
        try putBytes(key.bytes, value.bytes, durability)
    }

    // A nil sequence number means that the write could not be made without blocking. It does not occur here.

    @usableFromInline
    func putBytes(
        _ key: Bytes, _ value: Bytes, _ durability: Durability?
    ) throws(StoreError) {
        let sequence = try writes.change(.value, key, value) ?? 0
        try writes.waitUntilDurable(sequence, durability)
    }

    /// Removes `key`. It is no error if the key has no value.
    @inlinable
    public func delete(_ key: some Collection<UInt8>, durability: Durability? = nil) throws(StoreError) {
        try withContiguousBytes(key) { bytes throws(StoreError) in try deleteBytes(bytes, durability) }
    }

    /// Removes `key`. It is no error if the key has no value.
    public func delete(_ key: RawSpan, durability: Durability? = nil) throws(StoreError) {
        try deleteBytes(key.bytes, durability)
    }

    @usableFromInline
    func deleteBytes(_ key: Bytes, _ durability: Durability?) throws(StoreError) {
        let sequence = try writes.change(.tombstone, key, .emptyBytes) ?? 0
        try writes.waitUntilDurable(sequence, durability)
    }

    /// Removes all keys in `[start, end)`. This is one step whose cost does not depend on the number of keys.
    public func deleteRange(
        from start: some Collection<UInt8>, to end: some Collection<UInt8>, durability: Durability? = nil
    ) throws(StoreError) {
        let sequence = try withContiguousBytes(start, end) { start, end throws(StoreError) in
            try writes.changeRange(start, end)
        }
        try writes.waitUntilDurable(sequence ?? 0, durability)
    }

    /// Applies all changes of a batch, in their order, or none of them. This holds for every reader and after a crash.
    /// - Returns: the sequence number of the last change of the batch. Each change has a number, and numbers increase.
    ///   For an empty batch, the number of the last change before it.
    @discardableResult
    public func write(_ batch: WriteBatch, durability: Durability? = nil) throws(StoreError) -> UInt64 {
        let sequence = try writes.write(batch) ?? 0
        try writes.waitUntilDurable(sequence, durability)
        return sequence
    }

    // MARK: Conditional changes

    /// Sets the value of `key` if it has none.
    /// - Returns: true if the key had none and the value was set.
    public func insert(
        _ key: some Collection<UInt8>, _ value: some Collection<UInt8>, durability: Durability? = nil
    ) throws(StoreError) -> Bool {
        try change(.value, key, value, durability, if: .absent)
    }

    /// Replaces the value of `key` if it has one.
    /// - Returns: true if the key had one and it was replaced.
    public func replace(
        _ key: some Collection<UInt8>, _ value: some Collection<UInt8>, durability: Durability? = nil
    ) throws(StoreError) -> Bool {
        try change(.value, key, value, durability, if: .present)
    }

    /// Removes `key` if it has a value.
    /// - Returns: whether it had one.
    public func remove(_ key: some Collection<UInt8>, durability: Durability? = nil) throws(StoreError) -> Bool {
        try change(.tombstone, key, [], durability, if: .present)
    }

    /// Changes `key` if it has the expected value.
    /// - Parameters:
    ///   - key: the key.
    ///   - expected: the value that it must have; nil if it must have none.
    ///   - new: the new value; nil to remove the key.
    ///   - durability: when the call returns; nil for the default of the store.
    /// - Returns: true if the key had the expected value and was changed.
    public func compareAndSet(
        _ key: some Collection<UInt8>, expected: [UInt8]?, new: [UInt8]?, durability: Durability? = nil
    ) throws(StoreError) -> Bool {
        let kind: RecordKind = new == nil ? .tombstone : .value
        guard let expected else { return try change(kind, key, new ?? [], durability, if: .absent) }
        return try expected.withBytes { bytes throws(StoreError) in
            try change(kind, key, new ?? [], durability, if: .equals(bytes))
        }
    }

    /// Makes a change if the condition on the current value holds.
    /// - Returns: whether it held.
    private func change(
        _ kind: RecordKind, _ key: some Collection<UInt8>, _ value: some Collection<UInt8>,
        _ durability: Durability?, if condition: Condition
    ) throws(StoreError) -> Bool {
        let sequence = try withContiguousBytes(key, value) { key, value throws(StoreError) in
            try writes.change(kind, key, value, condition: condition) ?? 0
        }
        try writes.waitUntilDurable(sequence, durability)
        return sequence > 0
    }

    // MARK: Maintenance

    /// Makes all changes that were acknowledged before this call durable, regardless of their durability.
    public func sync() throws(StoreError) { try writes.syncAll() }

    /// Flushes: writes all changes in memory to segments.
    public func flush() throws(StoreError) { try writes.flush() }

    /// Flushes, and merges all segments that hold keys in `[from, to]` into one run. This drops overwritten and removed
    /// entries that no snapshot sees, and frees their space. While it runs, it needs additional disk space of the size
    /// of its output. An error loses no data.
    /// - Parameters:
    ///   - from: the first key, inclusive; nil for the smallest.
    ///   - to: the last key, inclusive; nil for no upper bound.
    public func compact(from: [UInt8]? = nil, to: [UInt8]? = nil) throws(StoreError) {
        try engine.background.compact(from: from, to: to)
    }

    /// Reads the store's files and checks them: the manifest, the logs up to their ends, every byte of the segments,
    /// and the values to which logs and segments refer. Unused values, and space that is reserved for later writes, are
    /// not checked.
    /// - Parameter progress: called from time to time. It must not close the store, because closing waits for the
    ///   verification.
    /// - Returns: the problems; ``VerificationReport/problems`` is empty if everything that was checked is intact.
    /// - Throws: ``StoreError`` if a file cannot be read, or the store is closed. Damage is reported, not thrown.
    public func verify(
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> VerificationReport {
        try engine.verify(progress: progress)
    }

    /// Makes a consistent copy of the store's current state in another directory of the same file system, while writes
    /// continue. Flushes first. Segments and value files are linked and not copied, so the copy takes hardly any time
    /// or space.
    /// - Parameter path: a directory that does not exist yet; its parent must exist, and must not be the store's own
    ///   directory.
    /// - Throws: ``StoreError``: ``StoreError/Code/invalidArgument`` if something is at the path, or it is on another
    ///   file system or in the store's directory, ``StoreError/Code/notFound`` if there is no parent, and others. Then
    ///   no checkpoint is left.
    public func checkpoint(to path: String) throws(StoreError) { try engine.checkpoint(to: path) }

    /// Closes the store in order. Waits for background work, verifications and checkpoints. A second call does nothing
    /// but wait for the first one.
    ///
    /// Every later read or write throws ``StoreError/Code/closed``. Cursors that were made before stay valid.
    ///
    /// Does not repeat an earlier error of a write, a sync or background work, after which the store takes no writes:
    /// ``KeyValueStore/statistics`` tells it. Changes that were only buffered may be lost then.
    /// - Throws: ``StoreError`` if the last changes cannot be written or synced. The store is closed nevertheless, and
    ///   the next opening recovers from the log.
    public func close() throws(StoreError) { try engine.close() }
}
