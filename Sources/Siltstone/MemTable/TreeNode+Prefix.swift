extension TreeNode {
    /// What a longer prefix must add before all digests are made anew, in bytes.
    private static var worthwhileGain: Int { 4 }
    /// Slots below which a node at the edge tells too little about keys to come.
    private static var fewSlots: Int { 4 }

    /// Lengthens or shortens the prefix that the digests skip, where that is worth it. To be called when the fences
    /// have changed, and for a node at the edge of the tree now and then.
    /// - Complexity: O(slots), each a cache miss, where the prefix changes.
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
