// Functions that look up many keys in one read.

extension KeyValueReader {
    /// Calls `body` with the value of each of many keys, in the order in which `keys` lists them, without copying. All
    /// values are from the same moment.
    ///
    /// If the values are scattered in memory, this is several times as fast as single reads. It looks keys up in
    /// groups. Before the first look-up of a group, it prefetches the cache lines of the index and of the records for the
    /// whole group. Keys in ascending order are read faster. Files that a compaction replaces meanwhile stay until the
    /// call returns, so a long call delays the release of their space.
    ///
    /// ```swift
    /// try store.withValues(of: keys) { index, value in
    ///     if let value { sum += decode(value) } else { missing.append(index) }
    /// }
    /// ```
    /// - Parameters:
    ///   - keys: in any order; a key may occur more than once.
    ///   - body: gets the index of a key and its value, or nil if it has none. The value is valid until `body` returns.
    /// - Throws: ``StoreError``, or the errors of `body`.
    @inlinable
    public func withValues(
        of keys: some Sequence<some Collection<UInt8>>, _ body: (Int, RawSpan?) throws -> Void
    ) throws {
        // The read does not retain the reader.
        defer { withExtendedLifetime(self) {} }
        var iterator = keys.makeIterator()
        // `body` may throw any error, but ``_withValues(_:_:)`` throws only `StoreError`.
        var failure: (any Error)?
        // The first closure fills an empty group; if it adds nothing, the read ends. The second returns false to stop.
        try _withValues { group in
            while !group.isFull, let key = iterator.next() { withContiguousBytes(key) { group.append($0) } }
        } _: { index, value in
            do {
                try body(index, value)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// Returns copies of the values of several keys, in the order in which `keys` lists them; nil for each key that has
    /// none. All values are from the same moment.
    ///
    /// This reads in groups; see ``withValues(of:_:)``.
    /// - Throws: ``StoreError`` if the disk fails or is corrupt, or the store or the reader is closed.
    public func get(all keys: some Sequence<some Collection<UInt8>>) throws(StoreError) -> [[UInt8]?] {
        defer { withExtendedLifetime(self) {} }
        var iterator = keys.makeIterator()
        var values: [[UInt8]?] = []
        try _withValues { group in
            while !group.isFull, let key = iterator.next() { withContiguousBytes(key) { group.append($0) } }
        } _: { _, value in
            if let value { values.append(value.withBytes { [UInt8]($0) }) } else { values.append(nil) }
            return true
        }
        return values
    }

    /// Like the synchronous form. Copies the keys first, and blocks no thread of the cooperative pool.
    /// - Throws: ``StoreError`` if the disk fails or is corrupt, or the store or the reader is closed.
    public func get(all keys: some Sequence<some Collection<UInt8>>) async throws(StoreError) -> [[UInt8]?] {
        try await _copyValuesAsync(keys.map { Array($0) })
    }
}
