/// A read set in key order, to check whether a change affects it.
struct ReadIndex {
    private let reads: ReadSet
    /// The indexes of the single keys, in key order.
    private let order: [Int]

    /// - Parameter reads: with the ranges of scans merged (``ReadSet/mergingScans()``).
    /// - Complexity: O(n log n) for n single keys
    init(_ reads: ReadSet) {
        self.reads = reads
        order = reads.keyOrder()
    }

    /// Whether a change affects a key or a range of the set.
    /// - Complexity: O(log n)
    func isChanged(by change: Record) -> Bool {
        if change.kind == .rangeTombstone {
            if reads.ranges.overlaps(from: change.key, to: change.value) { return true }
            let first = firstIndex(notBelow: change.key)
            return first < order.count && reads.withKey(order[first]) { compareKeys($0, change.value) < 0 }
        }
        let first = firstIndex(notBelow: change.key)
        if first < order.count, reads.withKey(order[first], { keysEqual($0, change.key) }) { return true }
        return reads.ranges.contains(change.key)
    }

    /// Whether a commit affects the set; nil if the feed does not hold its changes, because they are too large.
    func isChanged(by commit: CommitRecord) throws(StoreError) -> Bool? {
        if commit.payload == nil { return nil }
        var isChanged = false
        try commit.forEachChange { isChanged = isChanged || self.isChanged(by: $0) }
        return isChanged
    }

    /// The position in ``order`` of the first key that is not below `key`.
    private func firstIndex(notBelow key: Bytes) -> Int {
        order.indices.partitioningIndex { reads.withKey(order[$0]) { compareKeys($0, key) >= 0 } }
    }
}
