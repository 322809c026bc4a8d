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
        try _makeIterator(over: KeyRange.sortedAndDisjoint(ranges), reverse: reverse, limit: limit).forEach(body)
    }

    /// Returns the entries whose keys are in any of several ranges, as an asynchronous sequence.
    public func entries(
        ranges: some Sequence<KeyRange>, reverse: Bool = false, limit: Int? = nil
    ) -> EntrySequence {
        EntrySequence(
            iterator: ChunkedIterator(
                stable(), over: ranges, reverse: reverse, limit: limit,
                read: { cursor throws(StoreError) in
                    try cursor.next().map { ($0, $0.key, $0.key.count + $0.value.count) }
                }))
    }
}
