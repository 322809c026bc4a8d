// Functions that scan several ranges in one pass.

extension KeyValueReader {
    /// Iterates over the entries whose keys are in any of several ranges, in key order.
    ///
    /// This is one scan that seeks from range to range. It takes less time than one scan for each range.
    /// - Parameters:
    ///   - ranges: in any order. An entry that is in two of them is visited once.
    ///   - reverse: true to start at the end.
    ///   - limit: the largest number of entries, of all ranges together; nil for all.
    /// - Throws: ``StoreError`` if the store or the reader is closed.
    /// - Complexity: for each range that of ``scan(from:to:reverse:limit:)``.
    public func scan(
        ranges: some Sequence<KeyRange>, reverse: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> Cursor {
        try _makeCursor(over: KeyRange.sortedAndDisjoint(ranges), reverse: reverse, limit: limit)
    }

    /// Calls `body` with each entry whose key is in any of several ranges, in key order, without copying.
    /// - Parameters:
    ///   - ranges: in any order. An entry that is in two of them is visited once.
    ///   - reverse: true to start at the end.
    ///   - limit: the largest number of entries, of all ranges together; nil for all.
    ///   - body: gets the key and the value, which are valid until it returns. It returns false to stop.
    /// - Throws: ``StoreError``, or the errors of `body`.
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

    /// Returns the entries whose keys are in any of several ranges, as an asynchronous sequence.
    public func entries(
        ranges: some Sequence<KeyRange>, reverse: Bool = false, limit: Int? = nil
    ) -> EntrySequence {
        EntrySequence(
            walk: ChunkedWalk(stable(), over: KeyRange.sortedAndDisjoint(ranges), reverse: reverse, limit: limit))
    }
}

/// The remaining ranges of a scan over several ranges. A reader may need several scans for them.
@usableFromInline
struct RemainingRanges {
    private var ranges: ArraySlice<KeyRange>
    /// The number of entries that may still be returned.
    @usableFromInline
    var left: Int

    @usableFromInline
    init(_ ranges: some Sequence<KeyRange>, limit: Int?) {
        self.ranges = KeyRange.sortedAndDisjoint(ranges)[...]
        left = ScanRange.limit(limit)
    }

    @usableFromInline
    var hasMore: Bool { left > 0 && !ranges.isEmpty }

    /// Starts the next scan, and removes its ranges.
    @usableFromInline
    mutating func begin(_ reader: some KeyValueReader, reverse: Bool) throws(StoreError) -> InlinedWalk {
        try reader._beginWalk(over: &ranges, reverse: reverse, limit: left)
    }
}

// MARK: - For readers that scan one range at a time

extension KeyValueReader {
    /// Starts a scan over the first range.
    public func _beginWalk(
        over rest: inout ArraySlice<KeyRange>, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        let range = (reverse ? rest.popLast() : rest.popFirst()) ?? KeyRange(to: [])
        return try _beginWalk(from: range.from, to: range.to, reverse: reverse, limit: limit)
    }

    /// Makes a cursor that has its own inner cursor for each range.
    public func _makeCursor(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> Cursor {
        let direction: ScanDirection = reverse ? .backward : .forward
        return Cursor(
            CursorChain(ranges, direction, limit: ScanRange.limit(limit)) { range throws(StoreError) in
                try self._makeCursor(from: range.from, to: range.to, reverse: reverse, limit: nil)
            })
    }
}
