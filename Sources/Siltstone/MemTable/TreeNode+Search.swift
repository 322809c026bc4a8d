extension TreeNode {
    /// The position of a key in a node.
    struct Position {
        /// Number of the node's keys that are less than the key.
        var index: Int
        /// True if the node's key at ``index`` equals the key.
        var isExact: Bool
    }

    /// Returns the digest by which this node orders `key`.
    ///
    /// All keys that can arrive at a node with two fences share the common prefix of the fences. The digest is the
    /// eight bytes after that prefix, because without the skip keys like `user:00000001` would all have the same
    /// digest. A node at the edge of the tree has one fence or none, and may receive any key on its open side. It names
    /// an entry whose first bytes are the skipped prefix (the prefix source). Keys below that prefix get the smallest
    /// digest, keys above it the largest. In both cases a smaller digest means a smaller key, and equal digests mean
    /// nothing.
    @inline(__always)
    func digest(of key: SearchKey, in base: ArenaBase) -> UInt64 {
        let source = prefixSource
        if source != 0 { return edgeDigest(of: key, source: MemTableEntry(source, in: base).key) }
        return key.digest(after: prefixLength)
    }

    /// Returns the digest of a key in a node with the prefix source `source`.
    @inline(never)
    private func edgeDigest(of key: SearchKey, source: SearchKey) -> UInt64 {
        // The source's length is a second bound, because a reader may see the length of one prefix and the source of
        // another.
        let length = min(prefixLength, source.count)
        let order = compareKeys(
            key.prefix(min(length, key.count)).bytes, source.prefix(min(length, key.count)).bytes)
        if order != 0 { return order < 0 ? 0 : .max }
        return key.count < length ? 0 : key.digest(after: length)
    }

    /// Finds a key among the slots.
    /// - Complexity: O(1): one load from each cache line of digests, the digests of one line and, only if a digest
    ///   equals the key's, the entry.
    @inline(__always)
    func search(_ key: SearchKey, in base: ArenaBase) -> Position {
        let digest = digest(of: key, in: base)
        let index = lowerBound(of: digest)
        let count = count
        if index >= count || self.digest(index) != digest { return Position(index: min(index, count), isExact: false) }
        return searchEqual(key, digest, from: index, to: count, in: base)
    }

    /// Returns the number of digests that are less than `digest`.
    ///
    /// It counts the cache lines whose last digest is less, and then the smaller digests in the next line. These loads
    /// do not wait for each other, so cache misses overlap; the loads of a binary search come one after the other.
    /// Unused slots have the largest digest.
    @inline(__always)
    private func lowerBound(of digest: UInt64) -> Int {
        var line = 0
        var sample = Self.slotsPerLine &- 1
        while sample < Self.capacity {
            line &+= self.digest(sample) < digest ? 1 : 0
            sample &+= Self.slotsPerLine
        }
        var index = line &* Self.slotsPerLine
        if index == Self.capacity { return index }
        let first = index
        var offset = 0
        while offset < Self.slotsPerLine &- 1 {
            index &+= self.digest(first &+ offset) < digest ? 1 : 0
            offset &+= 1
        }
        return index
    }

    /// Finds a key by the keys themselves, among the slots from `start` on that have the key's digest. The slot at
    /// `start` has it.
    @inline(__always)
    private func searchEqual(
        _ key: SearchKey, _ digest: UInt64, from start: Int, to count: Int, in base: ArenaBase
    ) -> Position {
        var low = start
        var high = start &+ 1
        while high < count, self.digest(high) == digest { high &+= 1 }
        while low < high {
            let middle = (low &+ high) &>> 1
            let order = MemTableEntry(reference(middle), in: base).key.compare(to: key)
            if order == 0 { return Position(index: middle, isExact: true) }
            if order < 0 { low = middle &+ 1 } else { high = middle }
        }
        return Position(index: low, isExact: false)
    }
}
