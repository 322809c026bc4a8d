extension TreeNode {
    /// Inserts a slot at `index` of a node that is not full, and moves the slots after it.
    @inline(__always)
    func insert(digest: UInt64, reference: ArenaReference, at index: Int) {
        let count = count
        var target = count
        while target > index {
            setDigest(target, self.digest(target &- 1))
            setReference(target, self.reference(target &- 1))
            target &-= 1
        }
        setDigest(index, digest)
        setReference(index, reference)
        self.count = count &+ 1
    }

    /// Inserts a separator at `index` of an inner node that is not full, and its right child after it.
    func insert(digest: UInt64, separator: ArenaReference, child: ArenaReference, at index: Int) {
        var target = count &+ 1
        while target > index &+ 1 {
            setChild(target, self.child(target &- 1))
            target &-= 1
        }
        setChild(index &+ 1, child)
        insert(digest: digest, reference: separator, at: index)
    }

    /// Copies the slots from `start` on to the front of `other`, a new node, which gets the same prefix for its
    /// digests.
    func copySlots(from start: Int, to other: TreeNode) {
        let count = count
        for index in start..<max(start, count) {
            other.setDigest(index &- start, digest(index))
            other.setReference(index &- start, reference(index))
        }
        other.count = max(0, count &- start)
        other.prefixLength = prefixLength
        other.prefixSource = prefixSource
    }

    /// Copies the children from `start` on to the front of `other`, a new node.
    func copyChildren(from start: Int, to other: TreeNode) {
        for index in start...count { other.setChild(index &- start, child(index)) }
    }

    /// Removes the slots from `count` on.
    func truncate(to count: Int) {
        for index in count..<max(count, self.count) { setDigest(index, .max) }
        self.count = count
    }
}
