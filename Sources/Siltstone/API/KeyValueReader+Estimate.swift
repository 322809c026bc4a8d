extension KeyValueReader {
    /// Estimates how many entries are in `[from, to)`, and how many bytes their keys and values have.
    ///
    /// The estimate uses the indexes in memory and reads no entries from the disk. A store, its snapshots and its
    /// transactions return the same result: it describes the newest state, without the uncommitted writes of a
    /// transaction.
    ///
    /// The errors are:
    /// - Each sorted run of segments (``Statistics/Level/runs``) adds an error of at most one block at either end of
    ///   the range, and of each deleted range in it. A block has ``Configuration/blockBytes``, or the size of one entry
    ///   if that is larger. All entries of a segment count as equally large.
    /// - A memtable is counted exactly if the range has up to about a hundred of its entries. Otherwise the estimate is
    ///   usually between half and twice the correct number.
    /// - An overwritten entry may count up to once for each version, and a removed entry may still count, until flushes
    ///   and compactions have merged the versions. If many entries were removed one by one, the estimate may also be
    ///   too low. Entries that `KeyValueStore.deleteRange` removed do not count, unless their segment or memtable also
    ///   has newer changes.
    /// - Large values (``Configuration/largeValueBytes``) count in `bytes` after they were flushed.
    ///
    /// - Parameters:
    ///   - from: the first key; nil for the smallest.
    ///   - to: the first key after the range; nil for no upper bound.
    /// - Throws: ``StoreError`` if the store or the reader is closed.
    /// - Complexity: O(*s* + *r* log *n* + *m*^⅓) for *s* segments in *r* sorted runs of *n* entries and memtables of
    ///   *m* entries, for each part into which deleted ranges cut the range.
    public func estimate(from: [UInt8]? = nil, to: [UInt8]? = nil) throws(StoreError) -> RangeEstimate {
        let range = KeyRange(from: from, to: to)
        return range.isEmpty ? .nothing : try _estimate(range)
    }

    /// Estimates how many entries have keys that start with `prefix`, and their bytes; see ``estimate(from:to:)``.
    public func estimate(prefix: some Collection<UInt8>) throws(StoreError) -> RangeEstimate {
        let range = KeyRange(prefix: prefix)
        return try estimate(from: range.from, to: range.to)
    }
}
