import Synchronization

extension MemTable {
    /// Inserts a version of a key. One thread at a time, after ``hasRoom(keyBytes:valueBytes:count:)`` has returned
    /// true.
    /// - Parameters:
    ///   - key: at most 2³² − 1 bytes.
    ///   - value: at most 2³² − 1 bytes.
    ///   - sequence: above all sequence numbers inserted before.
    ///   - kind: any kind but ``RecordKind/rangeTombstone``.
    /// - Complexity: O(log *n*) in the number of keys; O(1) for a key above all others.
    func insert(key: Bytes, value: Bytes, sequence: SequenceNumber, kind: RecordKind) {
        let key = SearchKey(key)
        let reference = allocateEntry(size: MemTableEntry.size(keyCount: key.count, valueCount: value.count))
        MemTableEntry.write(
            to: reference, in: base, key: key, value: value, sequence: sequence, kind: kind)
        if !append(reference, key) { place(reference, key) }
        count(sequence: sequence)
        add(1, to: counters.value.entries)
        if kind == .tombstone { add(1, to: counters.value.tombstones) }
    }

    /// Number of changes in a batch whose leaves are prefetched together.
    static var groupSize: Int { 12 }
    /// Up to this number of keys the leaves are in the caches anyway.
    private static var fewKeys: Int { 20_000 }

    /// Prefetches the leaves that the changes will go to. Otherwise each insert would wait for its own leaf, one after
    /// the other. For the writer.
    func prefetchLeaves(of changes: RecordRow) {
        guard keyCount > Self.fewKeys, changes.count > 1, let first = changes.first else { return }
        // Keys in ascending order go after all others, to the leaf of the last insert.
        let greatest = writer.value.greatest
        if greatest != 0, entry(greatest).key.compare(to: SearchKey(first.key)) < 0 { return }
        changes.forEach { change in
            if let leaf = tree.descend(SearchKey(change.key), before: false) { node(leaf).prefetch() }
        }
    }

    /// Appends an entry after all others, if its key belongs there and the last leaf is not full. This needs no descent
    /// and moves no slot.
    /// - Returns: false if it has inserted nothing.
    @inline(__always)
    private func append(_ reference: ArenaReference, _ key: SearchKey) -> Bool {
        let greatest = writer.value.greatest
        guard greatest == 0 || entry(greatest).key.compare(to: key) < 0 else { return false }
        writer.value.greatest = reference
        let leaf = node(writer.value.lastLeaf)
        let count = leaf.count
        guard count < TreeNode.capacity else { return false }
        insert(reference, key, into: leaf, at: count)
        return true
    }

    /// Inserts an entry at the position that a descent finds.
    private func place(_ reference: ArenaReference, _ key: SearchKey) {
        let root = state.value.root.load(ordering: .relaxed)
        let height = Int(root &>> 32)
        var current = ArenaReference(truncatingIfNeeded: root)
        for level in 0..<height {
            let position = node(current).search(key, in: base)
            let child = position.index &+ (position.isExact ? 1 : 0)
            path[level] = MemTableWriterState.Step(node: current, child: child)
            current = node(current).child(child)
        }
        let leaf = node(current)
        leaf.prefetchReferences()
        let position = leaf.search(key, in: base)
        if position.isExact {
            MemTableEntry.link(reference, in: base, to: leaf.reference(position.index))
            leaf.setReference(position.index, reference)
        } else if leaf.count < TreeNode.capacity {
            insert(reference, key, into: leaf, at: position.index)
        } else {
            split(leaf: current, inserting: reference, key, at: position.index, height: height)
            add(1, to: counters.value.keys)
        }
    }

    /// Inserts the first version of a key into a leaf that is not full.
    @inline(__always)
    private func insert(_ reference: ArenaReference, _ key: SearchKey, into leaf: TreeNode, at index: Int) {
        let digest = leaf.digest(of: key, in: base)
        // The seqlock is taken even if no slot moves, because a seek that has copied the slots and then searches must
        // not find one more.
        leaf.beginMoving()
        leaf.insert(digest: digest, reference: reference, at: index)
        leaf.endMoving()
        add(1, to: counters.value.keys)
    }
}
