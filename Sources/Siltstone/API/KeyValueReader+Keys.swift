// Keys alone: values that lie in value files are not fetched.

extension KeyValueReader {
    /// Calls `body` with each key in `[from, to)`, in order, without copying it and without looking for its value.
    /// - Parameters:
    ///   - from: the first key; nil for the beginning.
    ///   - to: the first key behind the range; nil for the end.
    ///   - reverse: whether to begin at the end.
    ///   - limit: how many keys at most.
    ///   - body: gets the key, which is good until it returns; returns false to stop.
    /// - Throws: ``StoreError``, or what `body` throws.
    /// - Complexity: O(runs · log n) to begin, then O(runs) for each key at worst, however large its value is.
    @inlinable
    @inline(__always)
    public func forEachKey(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil,
        _ body: (RawSpan) throws -> Bool
    ) throws {
        defer { withExtendedLifetime(self) {} }
        try _beginWalk(from: from, to: to, reverse: reverse, limit: limit).forEachKey(body)
    }

    /// Calls `body` with each key that begins with `prefix`; see ``forEachKey(from:to:reverse:limit:_:)``.
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
        var rest = RemainingRanges(ranges, limit: limit)
        while rest.hasMore {
            let goesOn = try rest.begin(self, reverse: reverse).forEachKey { key in
                rest.left &-= 1
                return try body(key)
            }
            if !goesOn { return }
        }
    }

    /// The keys in `[from, to)`, as an asynchronous sequence.
    public func keys(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil
    ) -> KeySequence {
        keys(ranges: CollectionOfOne(KeyRange(from: from, to: to)), reverse: reverse, limit: limit)
    }

    /// The keys that begin with `prefix`, as an asynchronous sequence.
    public func keys(prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil) -> KeySequence {
        keys(ranges: CollectionOfOne(KeyRange(prefix: prefix)), reverse: reverse, limit: limit)
    }

    /// The keys in any of several ranges, as an asynchronous sequence.
    public func keys(
        ranges: some Sequence<KeyRange>, reverse: Bool = false, limit: Int? = nil
    ) -> KeySequence {
        KeySequence(
            walk: ChunkedWalk(stable(), over: KeyRange.sortedAndDisjoint(ranges), reverse: reverse, limit: limit))
    }
}

// MARK: - Counts

extension KeyValueReader {
    /// How many entries are in `[from, to)`, counted by a walk over their keys.
    /// - Parameters:
    ///   - from: the first key; nil for the beginning.
    ///   - to: the first key behind the range; nil for the end.
    /// - Throws: ``StoreError`` where the disk fails or is damaged, or the store or the reader is closed.
    /// - Complexity: O(entries); ``estimate(from:to:)`` looks at none.
    public func count(from: [UInt8]? = nil, to: [UInt8]? = nil) throws(StoreError) -> Int {
        try count(ranges: CollectionOfOne(KeyRange(from: from, to: to)))
    }

    /// How many entries have keys that begin with `prefix`; see `count(from:to:)`.
    public func count(prefix: some Collection<UInt8>) throws(StoreError) -> Int {
        try count(ranges: CollectionOfOne(KeyRange(prefix: prefix)))
    }

    /// How many entries are in several ranges together, each counted once; see `count(from:to:)`.
    public func count(ranges: some Sequence<KeyRange>) throws(StoreError) -> Int {
        defer { withExtendedLifetime(self) {} }
        var rest = RemainingRanges(ranges, limit: nil)
        var count = 0
        while rest.hasMore { count += try rest.begin(self, reverse: false).count() }
        return count
    }

    /// How many entries are in `[from, to)`; see `count(from:to:)`.
    public func count(from: [UInt8]? = nil, to: [UInt8]? = nil) async throws(StoreError) -> Int {
        try await count(ranges: CollectionOfOne(KeyRange(from: from, to: to)))
    }

    /// How many entries have keys that begin with `prefix`; see `count(from:to:)`.
    public func count(prefix: some Collection<UInt8>) async throws(StoreError) -> Int {
        try await count(ranges: CollectionOfOne(KeyRange(prefix: prefix)))
    }

    /// How many entries are in several ranges together; see `count(from:to:)`.
    public func count(ranges: some Sequence<KeyRange>) async throws(StoreError) -> Int {
        let ranges = Array(ranges)
        return try await _onBlockingQueue { () throws(StoreError) in try self.count(ranges: ranges) }
    }
}
