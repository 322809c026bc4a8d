extension TreeNode {
    /// Where a key belongs in a node.
    struct Position {
        /// How many of the node's keys are less.
        var index: Int
        /// Whether the key at ``index`` is the key itself.
        var isExact: Bool
    }

    /// The digest by which this node orders `key`.
    ///
    /// All keys that can come to a node with two fences share what the fences share, and the digest is the eight bytes
    /// behind that: without the skip, keys like `user:00000001` would all have the same. A node at the edge of the tree
    /// may be asked for any key on its side, and names an entry whose first bytes are skipped (prefix source): keys
    /// below that prefix get the least digest, keys above it the greatest. Either way a lesser digest means a lesser
    /// key, and equal ones mean nothing.
    @inline(__always)
    func digest(of key: SearchKey, in base: ArenaBase) -> UInt64 {
        let source = prefixSource
        if source != 0 { return edgeDigest(of: key, source: MemTableEntry(source, in: base).key) }
        return key.digest(after: prefixLength)
    }

    @inline(never)
    private func edgeDigest(of key: SearchKey, source: SearchKey) -> UInt64 {
        // The source's length bounds it too: a reader may see the length of one prefix and the source of another.
        let length = min(prefixLength, source.count)
        let order = compareKeys(
            key.prefix(min(length, key.count)).bytes, source.prefix(min(length, key.count)).bytes)
        if order != 0 { return order < 0 ? 0 : .max }
        return key.count < length ? 0 : key.digest(after: length)
    }

    /// Finds a key among the slots.
    /// - Complexity: two cache lines of digests and, only where a digest is the key's, the entry.
    @inline(__always)
    func search(_ key: SearchKey, in base: ArenaBase) -> Position {
        let digest = digest(of: key, in: base)
        let index = lowerBound(of: digest)
        let count = count
        if index >= count || self.digest(index) != digest { return Position(index: min(index, count), isExact: false) }
        return searchEqual(key, digest, from: index, to: count, in: base)
    }

    /// How many digests are less than `digest`.
    ///
    /// Counts the lines whose last digest is less, then the digests that are less in the line where that ends. These
    /// loads do not wait for each other, so that cache misses overlap; those of a binary search come one by one.
    /// Slots out of use count as greatest.
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

    /// Finds a key among slots of which the first, and perhaps more, have its digest: by the keys themselves.
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
