extension KeyValueReader {
    /// About how many entries are in `[from, to)`, and how many bytes their keys and values have.
    ///
    /// By the indexes that are in memory: no entry is looked at. A store, its snapshots and transactions give the same, of the newest state
    /// without what a transaction has written itself.
    ///
    /// How far it may be off:
    /// - Each run of segments, of which ``Statistics`` has the number, adds an error of one block (``Configuration/blockBytes``,
    ///   or one entry where that is larger) at most at either end of the range. A segment's entries count as equally large.
    /// - Each memtable is exact where the range has up to about a hundred of its entries; of more it has between half
    ///   and twice as many.
    /// - An entry that was overwritten is counted for each version, and one that was removed may be, until flushes and
    ///   compactions have merged them. Where much is removed one at a time, less may be counted than is there. What
    ///   `KeyValueStore.deleteRange` has removed is not counted but for what shares a segment or a
    ///   memtable with newer changes.
    /// - Large values (``Configuration/largeValueBytes``) count in `bytes` once they were flushed.
    ///
    /// - Parameters:
    ///   - from: the first key; nil for the beginning.
    ///   - to: the first key behind the range; nil for the end.
    /// - Throws: ``StoreError`` where the store or the reader is closed.
    /// - Complexity: O(segments in the range + runs · log n).
    public func estimate(from: [UInt8]? = nil, to: [UInt8]? = nil) throws(StoreError) -> RangeEstimate {
        let range = KeyRange(from: from, to: to)
        return range.isEmpty ? .nothing : try _estimate(range)
    }

    /// About what the keys that begin with `prefix` hold; see ``estimate(from:to:)``.
    public func estimate(prefix: some Collection<UInt8>) throws(StoreError) -> RangeEstimate {
        let range = KeyRange(prefix: prefix)
        return try estimate(from: range.from, to: range.to)
    }

    /// For readers that have no indexes of their own: exactly, by a walk.
    public func _estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        let cursor = try _makeCursor(from: range.from, to: range.to, reverse: false, limit: nil)
        var result = RangeEstimate.nothing
        while let entry = try cursor.next() {
            result += RangeEstimate(entries: 1, bytes: entry.key.count + entry.value.count)
        }
        return result
    }
}
