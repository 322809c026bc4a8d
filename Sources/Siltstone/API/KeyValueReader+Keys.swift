// Functions that need keys only. They do not read values from value files.

extension KeyValueReader {
    /// Calls `body` with each key in `[from, to)`, in order. Does not copy the key, and reads no value from a value
    /// file.
    /// - Parameters:
    ///   - from: the first key; nil for the smallest.
    ///   - to: the first key after the range; nil for no upper bound.
    ///   - reverse: true to start at the end.
    ///   - limit: the largest number of keys; nil for all.
    ///   - body: gets the key, which is valid until it returns. It returns false to stop.
    /// - Throws: ``StoreError``, or the errors of `body`.
    /// - Complexity: that of ``scan(from:to:reverse:limit:)``, regardless of the sizes of values in value files.
    @inlinable
    @inline(__always)
    public func forEachKey(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil,
        _ body: (RawSpan) throws -> Bool
    ) throws {
        defer { withExtendedLifetime(self) {} }
        try _makeIterator(from: from, to: to, reverse: reverse, limit: limit).forEachKey(body)
    }

    /// Calls `body` with each key that starts with `prefix`; see ``forEachKey(from:to:reverse:limit:_:)``.
    @inlinable
    @inline(__always)
    public func forEachKey(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil, _ body: (RawSpan) throws -> Bool
    ) throws {
        let range = KeyRange(prefix: prefix)
        try forEachKey(from: range.from, to: range.to, reverse: reverse, limit: limit, body)
    }

    /// Calls `body` with each key in any of several ranges; see ``forEach(ranges:reverse:limit:_:)`` and
    /// ``forEachKey(from:to:reverse:limit:_:)``.
    @inlinable
    public func forEachKey(
        ranges: some Sequence<KeyRange>, reverse: Bool = false, limit: Int? = nil, _ body: (RawSpan) throws -> Bool
    ) throws {
        defer { withExtendedLifetime(self) {} }
        try _makeIterator(over: KeyRange.sortedAndDisjoint(ranges), reverse: reverse, limit: limit).forEachKey(body)
    }

    /// Returns the keys in `[from, to)`, as an asynchronous sequence. Bounds and limit are those of
    /// ``scan(from:to:reverse:limit:)``.
    public func keys(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil
    ) -> KeySequence {
        keys(ranges: CollectionOfOne(KeyRange(from: from, to: to)), reverse: reverse, limit: limit)
    }

    /// Returns the keys that start with `prefix`, as an asynchronous sequence.
    public func keys(prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil) -> KeySequence {
        keys(ranges: CollectionOfOne(KeyRange(prefix: prefix)), reverse: reverse, limit: limit)
    }

    /// Returns the keys in any of several ranges, as an asynchronous sequence.
    public func keys(
        ranges: some Sequence<KeyRange>, reverse: Bool = false, limit: Int? = nil
    ) -> KeySequence {
        KeySequence(
            iterator: ChunkedIterator(
                stable(), over: ranges, reverse: reverse, limit: limit,
                read: { cursor throws(StoreError) in try cursor.nextKey().map { ($0, $0, $0.count) } }))
    }
}

// MARK: - Counts

extension KeyValueReader {
    /// Counts the entries in `[from, to)`, by a scan over their keys.
    /// - Parameters:
    ///   - from: the first key; nil for the smallest.
    ///   - to: the first key after the range; nil for no upper bound.
    /// - Throws: ``StoreError`` if a read fails or finds corrupt data, or the store or the reader is closed.
    /// - Complexity: that of ``scan(from:to:reverse:limit:)``. ``estimate(from:to:)`` is much faster, because it does
    ///   not scan.
    public func count(from: [UInt8]? = nil, to: [UInt8]? = nil) throws(StoreError) -> Int {
        try count(ranges: CollectionOfOne(KeyRange(from: from, to: to)))
    }

    /// Counts the entries whose keys start with `prefix`; see `count(from:to:)`.
    public func count(prefix: some Collection<UInt8>) throws(StoreError) -> Int {
        try count(ranges: CollectionOfOne(KeyRange(prefix: prefix)))
    }

    /// Counts the entries in several ranges together, each entry once; see `count(from:to:)`.
    public func count(ranges: some Sequence<KeyRange>) throws(StoreError) -> Int {
        defer { withExtendedLifetime(self) {} }
        return try _makeIterator(over: KeyRange.sortedAndDisjoint(ranges), reverse: false, limit: nil).count()
    }

    /// Counts the entries in `[from, to)`, on a thread that may block; see `count(from:to:)`.
    public func count(from: [UInt8]? = nil, to: [UInt8]? = nil) async throws(StoreError) -> Int {
        try await count(ranges: CollectionOfOne(KeyRange(from: from, to: to)))
    }

    /// Counts the entries whose keys start with `prefix`; see `count(from:to:)`.
    public func count(prefix: some Collection<UInt8>) async throws(StoreError) -> Int {
        try await count(ranges: CollectionOfOne(KeyRange(prefix: prefix)))
    }

    /// Counts the entries in several ranges together; see `count(from:to:)`.
    public func count(ranges: some Sequence<KeyRange>) async throws(StoreError) -> Int {
        let ranges = Array(ranges)
        return try await BlockingWork.run { () throws(StoreError) in try self.count(ranges: ranges) }
    }
}
