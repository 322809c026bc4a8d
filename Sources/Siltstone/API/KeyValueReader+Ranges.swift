// Several ranges in one walk.

extension KeyValueReader {
    /// Walks the entries whose keys are in any of several ranges, in key order.
    ///
    /// One walk, which seeks from range to range: less than a walk for each takes.
    /// - Parameters:
    ///   - ranges: in any order; an entry in two of them is visited once.
    ///   - reverse: whether to begin at the end.
    ///   - limit: how many entries at most, of all ranges together.
    /// - Throws: ``StoreError`` where the store or the reader is closed.
    /// - Complexity: O(runs · log n) for each range, then O(runs) for each entry at worst.
    public func scan(
        ranges: some Sequence<KeyRange>, reverse: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> Cursor {
        try _makeCursor(over: KeyRange.sortedAndDisjoint(ranges), reverse: reverse, limit: limit)
    }

    /// Calls `body` with each entry whose key is in any of several ranges, in key order, without copying.
    /// - Parameters:
    ///   - ranges: in any order; an entry in two of them is visited once.
    ///   - reverse: whether to begin at the end.
    ///   - limit: how many entries at most, of all ranges together.
    ///   - body: gets key and value, which are good until it returns; returns false to stop.
    /// - Throws: ``StoreError``, or what `body` throws.
    @inlinable
    public func forEach(
        ranges: some Sequence<KeyRange>, reverse: Bool = false, limit: Int? = nil,
        _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        defer { withExtendedLifetime(self) {} }
        var rest = RemainingRanges(ranges, limit: limit)
        while rest.hasMore {
            let goesOn = try rest.begin(self, reverse: reverse).forEach { key, value in
                rest.left &-= 1
                return try body(key, value)
            }
            if !goesOn { return }
        }
    }

    /// The entries whose keys are in any of several ranges, as an asynchronous sequence.
    public func entries(
        ranges: some Sequence<KeyRange>, reverse: Bool = false, limit: Int? = nil
    ) -> EntrySequence {
        EntrySequence(
            walk: ChunkedWalk(stable(), over: KeyRange.sortedAndDisjoint(ranges), reverse: reverse, limit: limit))
    }
}

/// What is left of a walk over several ranges, for which a reader may need several walks.
@usableFromInline
struct RemainingRanges {
    private var ranges: ArraySlice<KeyRange>
    /// Entries that may still be handed out.
    @usableFromInline
    var left: Int

    @usableFromInline
    init(_ ranges: some Sequence<KeyRange>, limit: Int?) {
        self.ranges = KeyRange.sortedAndDisjoint(ranges)[...]
        left = ScanRange.limit(limit)
    }

    @usableFromInline
    var hasMore: Bool { left > 0 && !ranges.isEmpty }

    /// Begins the next walk.
    @usableFromInline
    mutating func begin(_ reader: some KeyValueReader, reverse: Bool) throws(StoreError) -> InlinedWalk {
        try reader._beginWalk(over: &ranges, reverse: reverse, limit: left)
    }
}

// MARK: - For readers that walk one range at a time

extension KeyValueReader {
    /// Begins a walk over the first range.
    public func _beginWalk(
        over rest: inout ArraySlice<KeyRange>, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        let range = (reverse ? rest.popLast() : rest.popFirst()) ?? KeyRange(to: [])
        return try _beginWalk(from: range.from, to: range.to, reverse: reverse, limit: limit)
    }

    /// Makes a cursor that has one of its own for each range.
    public func _makeCursor(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> Cursor {
        let direction: ScanDirection = reverse ? .backward : .forward
        return Cursor(
            CursorChain(ranges, direction, limit: ScanRange.limit(limit)) { range throws(StoreError) in
                try self._makeCursor(from: range.from, to: range.to, reverse: reverse, limit: nil)
            })
    }
}
