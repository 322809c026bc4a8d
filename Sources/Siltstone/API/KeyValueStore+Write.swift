extension KeyValueStore {
    /// Gives `key` the value `value`.
    /// - Parameters:
    ///   - key: 0 to 64 KiB.
    ///   - value: 0 to 1 GiB.
    ///   - durability: when to return; nil: as the store was opened.
    /// - Throws: ``StoreError``: ``StoreError/Code/tooLarge`` over a limit, ``StoreError/Code/noSpace``, and others. When
    ///   it throws ``StoreError/Code/inputOutput``, the write may or may not be there after the store is opened again.
    @inlinable
    public func put(
        _ key: some Collection<UInt8>, _ value: some Collection<UInt8>, durability: Durability? = nil
    ) throws(StoreError) {
        try withContiguousBytes(key) { key throws(StoreError) in
            try withContiguousBytes(value) { value throws(StoreError) in try putBytes(key, value, durability) }
        }
    }

    /// Gives `key` the value `value`; see ``put(_:_:durability:)``.
    @inlinable
    public func put(_ key: RawSpan, _ value: RawSpan, durability: Durability? = nil) throws(StoreError) {
        try withContiguousBytes(key) { key throws(StoreError) in
            try withContiguousBytes(value) { value throws(StoreError) in try putBytes(key, value, durability) }
        }
    }

    @usableFromInline
    func putBytes(
        _ key: Bytes, _ value: Bytes, _ durability: Durability?
    ) throws(StoreError) {
        let sequence = try writes.change(.value, key, value) ?? 0
        try writes.waitUntilDurable(sequence, durability)
    }

    /// Removes `key`; no error where it has no value.
    @inlinable
    public func delete(_ key: some Collection<UInt8>, durability: Durability? = nil) throws(StoreError) {
        try withContiguousBytes(key) { bytes throws(StoreError) in try deleteBytes(bytes, durability) }
    }

    /// Removes `key`; no error where it has no value.
    @inlinable
    public func delete(_ key: RawSpan, durability: Durability? = nil) throws(StoreError) {
        try withContiguousBytes(key) { bytes throws(StoreError) in try deleteBytes(bytes, durability) }
    }

    @usableFromInline
    func deleteBytes(_ key: Bytes, _ durability: Durability?) throws(StoreError) {
        let sequence = try writes.change(.tombstone, key, .emptyBytes) ?? 0
        try writes.waitUntilDurable(sequence, durability)
    }

    /// Removes all keys in `[start, end)`, in one step that costs the same however many there are.
    public func deleteRange(
        from start: some Collection<UInt8>, to end: some Collection<UInt8>, durability: Durability? = nil
    ) throws(StoreError) {
        let sequence = try withContiguousBytes(start) { start throws(StoreError) in
            try withContiguousBytes(end) { end throws(StoreError) in try writes.changeRange(start, end) }
        }
        try writes.waitUntilDurable(sequence ?? 0, durability)
    }

    /// Makes all changes of a batch, in their order, or none: also across a crash, and for every reader.
    /// - Returns: the number of the batch's last change in the store's history. Each change has a number, and later ones
    ///   are greater. For an empty batch, that of the last change before it.
    @discardableResult
    public func write(_ batch: WriteBatch, durability: Durability? = nil) throws(StoreError) -> UInt64 {
        let sequence = try writes.write(batch) ?? 0
        try writes.waitUntilDurable(sequence, durability)
        return sequence
    }

    // MARK: Conditional changes

    /// Gives `key` a value if it has none.
    /// - Returns: whether it had none, and now has this one.
    public func insert(
        _ key: some Collection<UInt8>, _ value: some Collection<UInt8>, durability: Durability? = nil
    ) throws(StoreError) -> Bool {
        try change(.value, key, value, durability, if: .absent)
    }

    /// Gives `key` another value if it has one.
    /// - Returns: whether it had one, and now has this one.
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

    /// Changes `key` if it has the value that is expected of it.
    /// - Parameters:
    ///   - key: the key.
    ///   - expected: the value that it must have; nil: none.
    ///   - new: the value to give it; nil: remove it.
    ///   - durability: when to return; nil: as the store was opened.
    /// - Returns: whether it had that value, and was changed.
    public func compareAndSet(
        _ key: some Collection<UInt8>, expected: [UInt8]?, new: [UInt8]?, durability: Durability? = nil
    ) throws(StoreError) -> Bool {
        let kind: RecordKind = new == nil ? .tombstone : .value
        guard let expected else { return try change(kind, key, new ?? [], durability, if: .absent) }
        return try withContiguousBytes(expected) { bytes throws(StoreError) in
            try change(kind, key, new ?? [], durability, if: .equals(bytes))
        }
    }

    private func change(
        _ kind: RecordKind, _ key: some Collection<UInt8>, _ value: some Collection<UInt8>,
        _ durability: Durability?, if condition: Condition
    ) throws(StoreError) -> Bool {
        let sequence = try withContiguousBytes(key) { key throws(StoreError) in
            try withContiguousBytes(value) { value throws(StoreError) in
                try writes.change(kind, key, value, condition: condition) ?? 0
            }
        }
        try writes.waitUntilDurable(sequence, durability)
        return sequence > 0
    }

    // MARK: Maintenance

    /// Makes everything acknowledged before it durable, whatever its durability was.
    public func sync() throws(StoreError) { try writes.syncAll() }

    /// Writes all changes that are in memory as a segment.
    public func flush() throws(StoreError) { try writes.flush() }

    /// Merges all segments that hold keys in `[from, to]` into one run, which drops what was overwritten or removed and
    /// gives its space back. Needs, for a while, as much space again as that takes.
    public func compact(from: [UInt8]? = nil, to: [UInt8]? = nil) throws(StoreError) {
        try engine.background.compact(from: from, to: to)
    }

    /// Reads every byte of the store and checks it.
    /// - Parameter progress: called now and then. It must not close the store, which waits for the verification.
    /// - Returns: what is wrong; ``VerificationReport/problems`` is empty where every byte is well.
    /// - Throws: ``StoreError`` where the store is closed.
    public func verify(
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> VerificationReport {
        try engine.verify(progress: progress)
    }

    /// Makes a consistent copy of the store as it is now in another directory of the same file system, while writes go
    /// on. Segments are linked, not copied: it takes hardly any time or space.
    /// - Parameter path: a directory that does not exist yet.
    public func checkpoint(to path: String) throws(StoreError) { try engine.checkpoint(to: path) }

    /// Ends everything in good order; waits for background work, verifications and checkpoints. Again: does nothing.
    ///
    /// Every call after it throws ``StoreError/Code/closed``.
    public func close() throws(StoreError) { try engine.close() }
}
