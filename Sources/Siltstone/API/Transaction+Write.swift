extension Transaction {
    /// Sets the value of `key`.
    /// - Parameters:
    ///   - key: 0 to 64 KiB.
    ///   - value: 0 to 1 GiB, less its key and a few bytes (``Limits/batchBytes``).
    /// - Throws: ``StoreError``: ``StoreError/Code/tooLarge`` above a limit, ``StoreError/Code/transactionEnded``. The
    ///   transaction stays usable after ``StoreError/Code/tooLarge``.
    @inlinable
    public func put(_ key: some Collection<UInt8>, _ value: some Collection<UInt8>) throws(StoreError) {
        try withContiguousBytes(key, value) { key, value throws(StoreError) in try putBytes(key, value) }
    }

    /// Sets the value of `key`; see ``put(_:_:)-(Collection<UInt8>,_)``.
    public func put(_ key: RawSpan, _ value: RawSpan) throws(StoreError) { try putBytes(key.bytes, value.bytes) }

    /// Removes `key`. It is no error if the key has no value.
    @inlinable
    public func delete(_ key: some Collection<UInt8>) throws(StoreError) {
        try withContiguousBytes(key) { key throws(StoreError) in try deleteBytes(key) }
    }

    /// Removes `key`. It is no error if the key has no value.
    public func delete(_ key: RawSpan) throws(StoreError) { try deleteBytes(key.bytes) }

    /// Removes all keys in `[start, end)`. The store does this in one step, whose cost does not depend on the number of
    /// its keys.
    /// - Throws: see ``put(_:_:)-(Collection<UInt8>,_)``.
    @inlinable
    public func deleteRange(
        from start: some Collection<UInt8>, to end: some Collection<UInt8>
    ) throws(StoreError) {
        try withContiguousBytes(start, end) { start, end throws(StoreError) in try deleteRangeBytes(start, end) }
    }

    // MARK: Conditional writes
    // These read the key, so under `.serializable` the commit checks it for conflicts. They throw the errors of `put`
    // and `contains`.

    /// Sets the value of `key` if it has none.
    /// - Returns: true if the key had none.
    public func insert(_ key: some Collection<UInt8>, _ value: some Collection<UInt8>) throws(StoreError) -> Bool {
        if try contains(key) { return false }
        try put(key, value)
        return true
    }

    /// Replaces the value of `key` if it has one.
    /// - Returns: true if the key had one.
    public func replace(_ key: some Collection<UInt8>, _ value: some Collection<UInt8>) throws(StoreError) -> Bool {
        guard try contains(key) else { return false }
        try put(key, value)
        return true
    }

    /// Removes `key` if it has a value.
    /// - Returns: true if the key had one.
    public func remove(_ key: some Collection<UInt8>) throws(StoreError) -> Bool {
        guard try contains(key) else { return false }
        try delete(key)
        return true
    }

    // MARK: Savepoints

    /// Runs `body`. If it throws, undoes its writes, and no others. Savepoints nest.
    ///
    /// The commit still checks the keys and ranges that `body` has read.
    /// - Returns: the result of `body`.
    /// - Throws: the errors of `body`, and ``StoreError/Code/transactionEnded``.
    /// - Complexity: O(1); to undo *k* of *n* writes, O(*k* log *n*).
    @_disfavoredOverload
    public func savepoint<R>(_ body: () throws -> R) throws -> R {
        // Disfavored as an overload. Otherwise a task would use this form for every body without an `await`.
        let mark = try mark()
        do { return try body() } catch {
            rollBack(to: mark)
            throw error
        }
    }

    /// Runs `body`. If it throws, undoes its writes; see ``savepoint(_:)``.
    public func savepoint<R>(_ body: () async throws -> R) async throws -> R {
        let mark = try mark()
        do { return try await body() } catch {
            rollBack(to: mark)
            throw error
        }
    }

    // MARK: Bytes
    // The implementations behind the inlined functions.

    @usableFromInline
    func putBytes(_ key: Bytes, _ value: Bytes) throws(StoreError) {
        try state.write { writes throws(StoreError) in try writes.put(key, value) }
    }

    @usableFromInline
    func deleteBytes(_ key: Bytes) throws(StoreError) {
        try state.write { writes throws(StoreError) in try writes.delete(key) }
    }

    @usableFromInline
    func deleteRangeBytes(_ start: Bytes, _ end: Bytes) throws(StoreError) {
        try state.write { writes throws(StoreError) in try writes.deleteRange(start, end) }
    }
}
