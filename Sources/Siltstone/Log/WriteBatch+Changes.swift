extension WriteBatch {
    /// Adds a change that sets `key` to `value`.
    @inlinable
    public mutating func put(_ key: some Collection<UInt8>, _ value: some Collection<UInt8>) {
        withContiguousBytes(key) { key in withContiguousBytes(value) { value in putBytes(key, value) } }
    }

    /// Adds a change that deletes `key`. It is not an error if the key does not exist.
    @inlinable
    public mutating func delete(_ key: some Collection<UInt8>) {
        withContiguousBytes(key) { deleteBytes($0) }
    }

    /// Adds a change that deletes all keys from `start` up to, not including, `end`. Adds nothing unless `start` is
    /// less than `end`.
    @inlinable
    public mutating func deleteRange(from start: some Collection<UInt8>, to end: some Collection<UInt8>) {
        withContiguousBytes(start) { start in withContiguousBytes(end) { end in deleteRangeBytes(start, end) } }
    }

    /// Adds a change that sets `key` to `value`.
    public mutating func put(_ key: RawSpan, _ value: RawSpan) {
        key.withBytes { key in value.withBytes { value in putBytes(key, value) } }
    }

    /// Adds a change that deletes `key`.
    public mutating func delete(_ key: RawSpan) {
        key.withBytes { deleteBytes($0) }
    }

    /// Adds a change that deletes all keys from `start` up to, not including, `end`. Adds nothing unless `start` is
    /// less than `end`.
    public mutating func deleteRange(from start: RawSpan, to end: RawSpan) {
        start.withBytes { start in end.withBytes { end in deleteRangeBytes(start, end) } }
    }

    @usableFromInline
    mutating func putBytes(_ key: Bytes, _ value: Bytes) {
        append(.value, key: key, value: value)
    }

    @usableFromInline
    mutating func deleteBytes(_ key: Bytes) {
        append(.tombstone, key: key, value: .emptyBytes)
    }

    @usableFromInline
    mutating func deleteRangeBytes(_ start: Bytes, _ end: Bytes) {
        guard compareKeys(start, end) < 0 else { return }
        append(.rangeTombstone, key: start, value: end)
    }
}
