// The asynchronous forms of the functions. They block no thread of the cooperative pool.
//
// A write first runs on the caller's thread with `mayBlock: false`, because a switch to another thread takes longer
// than the write. It takes the write lock there. If it would have to wait for background work, for example until a
// memtable has room, or would have to read from the disk, it returns nil and has changed nothing. It then runs again on
// a thread that may block (`WritePath.changeWithoutBlocking`). To wait for a sync, the task suspends.
//
// Cancellation stops none of these functions: a write that has begun completes, and the function returns its outcome.
//
// Closures that may run on another thread capture the engine or a part of it, so that they do not keep the store open.

extension KeyValueStore {
    /// Sets the value of `key`.
    public func put(
        _ key: some Collection<UInt8>, _ value: some Collection<UInt8>, durability: Durability? = nil
    ) async throws(StoreError) {
        _ = try await change(.value, Array(key), Array(value), durability) { _ in nil }
    }

    /// Removes `key`. It is no error if the key has no value.
    public func delete(_ key: some Collection<UInt8>, durability: Durability? = nil) async throws(StoreError) {
        _ = try await change(.tombstone, Array(key), [], durability) { _ in nil }
    }

    /// Removes all keys in `[start, end)`.
    public func deleteRange(
        from start: some Collection<UInt8>, to end: some Collection<UInt8>, durability: Durability? = nil
    ) async throws(StoreError) {
        let (writes, start, end) = (writes, Array(start), Array(end))
        _ = try await writes.changeWithoutBlocking(durability) { mayBlock throws(StoreError) in
            try withContiguousBytes(start, end) { start, end throws(StoreError) in
                try writes.changeRange(start, end, mayBlock: mayBlock)
            }
        }
    }

    /// Applies all changes of a batch, in their order, or none of them.
    /// - Returns: the sequence number of the last change of the batch.
    @discardableResult
    public func write(_ batch: WriteBatch, durability: Durability? = nil) async throws(StoreError) -> UInt64 {
        let writes = writes
        return try await writes.changeWithoutBlocking(durability) { mayBlock throws(StoreError) in
            try writes.write(batch, mayBlock: mayBlock)
        }
    }

    /// Sets the value of `key` if it has none. Returns true if it had none.
    public func insert(
        _ key: some Collection<UInt8>, _ value: some Collection<UInt8>, durability: Durability? = nil
    ) async throws(StoreError) -> Bool {
        try await change(.value, Array(key), Array(value), durability) { _ in .absent }
    }

    /// Replaces the value of `key` if it has one. Returns true if it had one.
    public func replace(
        _ key: some Collection<UInt8>, _ value: some Collection<UInt8>, durability: Durability? = nil
    ) async throws(StoreError) -> Bool {
        try await change(.value, Array(key), Array(value), durability) { _ in .present }
    }

    /// Removes `key` if it has a value. Returns true if it had one.
    public func remove(
        _ key: some Collection<UInt8>, durability: Durability? = nil
    ) async throws(StoreError) -> Bool {
        try await change(.tombstone, Array(key), [], durability) { _ in .present }
    }

    /// Changes `key` if it has the expected value; see the synchronous form. Returns true if it had that value.
    public func compareAndSet(
        _ key: some Collection<UInt8>, expected: [UInt8]?, new: [UInt8]?, durability: Durability? = nil
    ) async throws(StoreError) -> Bool {
        let kind: RecordKind = new == nil ? .tombstone : .value
        guard let expected else {
            return try await change(kind, Array(key), new ?? [], durability) { _ in .absent }
        }
        return try await change(kind, Array(key), new ?? [], durability, expected: expected) { .equals($0) }
    }

    /// Makes a change, if its condition holds.
    /// - Parameter condition: gets the bytes of `expected`, and returns the condition; nil to change the key always.
    /// - Returns: whether the condition held.
    private func change(
        _ kind: RecordKind, _ key: [UInt8], _ value: [UInt8], _ durability: Durability?,
        expected: [UInt8] = [], if condition: @escaping @Sendable (Bytes) -> Condition?
    ) async throws(StoreError) -> Bool {
        let writes = writes
        let sequence = try await writes.changeWithoutBlocking(durability) { mayBlock throws(StoreError) in
            try withContiguousBytes(key, value) { key, value throws(StoreError) in
                try expected.withBytes { expected throws(StoreError) in
                    try writes.change(kind, key, value, mayBlock: mayBlock, condition: condition(expected))
                }
            }
        }
        return sequence > 0
    }

    /// Makes all changes that were acknowledged before this call durable, regardless of their durability.
    public func sync() async throws(StoreError) { try await writes.syncAll() }

    /// Flushes: writes all changes in memory to segments.
    public func flush() async throws(StoreError) {
        try await BlockingWork.run { [writes] () throws(StoreError) in try writes.flush() }
    }

    /// Flushes, and merges all segments that hold keys from `from` through `to` into one run; see the synchronous form.
    public func compact(from: [UInt8]? = nil, to: [UInt8]? = nil) async throws(StoreError) {
        let background = engine.background
        try await BlockingWork.run { () throws(StoreError) in try background.compact(from: from, to: to) }
    }

    /// Reads the store's files and checks them; see the synchronous form.
    public func verify(
        progress: (@Sendable (VerificationProgress) -> Void)? = nil
    ) async throws(StoreError) -> VerificationReport {
        try await BlockingWork.run { [engine] () throws(StoreError) in try engine.verify(progress: progress) }
    }

    /// Makes a consistent copy of the store in another directory of the same file system.
    public func checkpoint(to path: String) async throws(StoreError) {
        try await BlockingWork.run { [engine] () throws(StoreError) in try engine.checkpoint(to: path) }
    }

    /// Closes the store cleanly, and waits for background work; see the synchronous form.
    public func close() async throws(StoreError) {
        try await BlockingWork.run { [engine] () throws(StoreError) in try engine.close() }
    }
}
