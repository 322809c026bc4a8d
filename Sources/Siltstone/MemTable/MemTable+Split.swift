import Synchronization

extension MemTable {
    /// Splits a full leaf in two, inserts the new entry into one of them, and inserts the separator into the level
    /// above.
    ///
    /// If the key is above all others, the last leaf stays full and a new one is started. So ascending keys fill every
    /// leaf completely.
    /// - Parameters:
    ///   - reference: the leaf, to which ``MemTable/path`` leads.
    ///   - index: the position of `key` in the leaf.
    ///   - height: number of inner levels.
    @inline(never)
    func split(
        leaf reference: ArenaReference, inserting entry: ArenaReference, _ key: SearchKey, at index: Int, height: Int
    ) {
        beginSplit()
        let left = node(reference)
        let isLast = left.highFence == 0
        let middle = isLast && index == TreeNode.capacity ? index : TreeNode.capacity / 2
        let rightReference = allocateNode(size: TreeNode.leafSize)
        let right = node(rightReference)
        left.copySlots(from: middle, to: right)
        right.next = left.next
        if isLast { writer.value.lastLeaf = rightReference }

        left.beginMoving()
        left.truncate(to: middle)
        // Both leaves still share the prefix, so a key has the same digest in both.
        let digest = left.digest(of: key, in: base)
        if index > middle || middle == TreeNode.capacity {
            right.insert(digest: digest, reference: entry, at: index &- middle)
        } else {
            left.insert(digest: digest, reference: entry, at: index)
        }
        let separator = right.reference(0)
        setFences(left, right, separator)
        left.next = rightReference
        left.endMoving()

        promote(separator, rightReference, height: height)
        endSplit()
    }

    /// Inserts a separator and its right node into the level above the leaves. Splits full nodes on the way up.
    private func promote(_ separator: ArenaReference, _ right: ArenaReference, height: Int) {
        var separator = separator
        var right = right
        var level = height
        while level > 0 {
            level &-= 1
            let step = path[level]
            let parent = node(step.node)
            let digest = parent.digest(of: entry(separator).key, in: base)
            if parent.count < TreeNode.capacity {
                parent.insert(digest: digest, separator: separator, child: right, at: step.child)
                // A node at the edge of the tree adapts its prefix to the keys that arrive, at 4, 8, 16 separators and
                // so on.
                if parent.count & (parent.count &- 1) == 0 { parent.refreshPrefix(in: base) }
                return
            }
            (separator, right) = split(inner: parent, inserting: separator, digest, right, at: step.child)
        }
        grow(separator, right)
    }

    /// Splits a full inner node, and inserts a separator at `index` and its right child `child`. The separator in the
    /// middle moves up.
    /// - Returns: the separator that moves up, and the new node on its right.
    private func split(
        inner left: TreeNode, inserting separator: ArenaReference, _ digest: UInt64, _ child: ArenaReference,
        at index: Int
    ) -> (ArenaReference, ArenaReference) {
        let isLast = left.highFence == 0
        let middle = isLast && index == TreeNode.capacity ? index &- 1 : TreeNode.capacity / 2
        let rightReference = allocateNode(size: TreeNode.innerSize)
        let right = node(rightReference)
        let promoted = left.reference(middle)
        left.copySlots(from: middle &+ 1, to: right)
        left.copyChildren(from: middle &+ 1, to: right)
        left.truncate(to: middle)
        if index > middle {
            right.insert(digest: digest, separator: separator, child: child, at: index &- middle &- 1)
        } else {
            left.insert(digest: digest, separator: separator, child: child, at: index)
        }
        setFences(left, right, promoted)
        return (promoted, rightReference)
    }

    /// Makes a new root above the old one and the node on its right.
    private func grow(_ separator: ArenaReference, _ right: ArenaReference) {
        let root = state.value.root.load(ordering: .relaxed)
        let reference = allocateNode(size: TreeNode.innerSize)
        let node = node(reference)
        node.setChild(0, ArenaReference(truncatingIfNeeded: root))
        node.insert(digest: entry(separator).key.digest(after: 0), separator: separator, child: right, at: 0)
        state.value.root.store(UInt64(reference) | ((root &>> 32) &+ 1) &<< 32, ordering: .releasing)
    }

    /// Sets the fences between the two halves of a split node.
    private func setFences(_ left: TreeNode, _ right: TreeNode, _ separator: ArenaReference) {
        right.lowFence = separator
        right.highFence = left.highFence
        left.highFence = separator
        right.refreshPrefix(in: base)
        left.refreshPrefix(in: base)
    }

    /// Makes the structure's version odd, so that readers repeat a descent that meets the split.
    private func beginSplit() {
        let structure = state.value.structure.load(ordering: .relaxed)
        state.value.structure.store(structure &+ 1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
    }

    /// Makes the structure's version even again.
    private func endSplit() {
        let structure = state.value.structure.load(ordering: .relaxed)
        state.value.structure.store(structure &+ 1, ordering: .releasing)
    }
}
