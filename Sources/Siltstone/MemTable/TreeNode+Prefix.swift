extension TreeNode {
    /// Bytes that a prefix must grow by before all digests are recomputed.
    private static var worthwhileGain: Int { 4 }
    /// A node at the edge of the tree with fewer slots tells too little about later keys.
    private static var fewSlots: Int { 4 }

    /// Lengthens or shortens the prefix that the digests skip, if the gain is worth the cost. Called when the fences
    /// have changed and, for a node at the edge of the tree, from time to time.
    /// - Complexity: O(slots), each a cache miss, if the prefix changes.
    func refreshPrefix(in base: ArenaBase) {
        let isInside = lowFence != 0 && highFence != 0
        if !isInside, count < Self.fewSlots { return }
        let first = MemTableEntry(isInside ? lowFence : reference(0), in: base).key
        let last = MemTableEntry(isInside ? highFence : reference(count &- 1), in: base).key
        let length = first.commonPrefix(with: last)
        let source = isInside || length == 0 ? 0 : reference(0)
        let isLonger = length >= prefixLength &+ Self.worthwhileGain
        switch (prefixSource != 0, source != 0) {
        case (false, false): if !isLonger { return }
        case (true, true): if !isLonger, length >= prefixLength { return }
        default: break
        }
        prefixLength = length
        prefixSource = source
        for index in 0..<count {
            setDigest(index, digest(of: MemTableEntry(reference(index), in: base).key, in: base))
        }
    }
}
