import Synchronization

extension MemTable {
    /// Adds a version of a key. One thread at a time, after ``hasRoom(keyBytes:valueBytes:count:)`` has said yes.
    /// - Parameters:
    ///   - key: at most 2³² − 1 bytes, as the value.
    ///   - sequence: above all that were inserted before.
    ///   - kind: any but ``RecordKind/rangeTombstone``.
    /// - Complexity: O(log n); O(1) for a key above all others.
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

    /// How many changes of a batch are looked at together.
    static var groupSize: Int { 12 }
    /// Keys up to which the leaves are in the caches anyway.
    private static var fewKeys: Int { 20_000 }

    /// Has the leaves loaded that changes are about to go to: one after the other, each insert would wait for its own. For
    /// the writer.
    func prefetchLeaves(of changes: RecordRow) {
        guard keyCount > Self.fewKeys, changes.count > 1, let first = changes.first else { return }
        // Keys that come in order go behind all others, where the last insert was.
        let greatest = writer.value.greatest
        if greatest != 0, entry(greatest).key.compare(to: SearchKey(first.key)) < 0 { return }
        changes.forEach { change in
            if let leaf = tree.descend(SearchKey(change.key), before: false) { node(leaf).prefetch() }
        }
    }

    /// Puts an entry behind all others, if that is where it belongs and the last leaf has room: no descent, nothing
    /// to move.
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

    /// Finds where an entry belongs and puts it there.
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

    /// Puts the first version of a key into a leaf with room.
    @inline(__always)
    private func insert(_ reference: ArenaReference, _ key: SearchKey, into leaf: TreeNode, at index: Int) {
        let digest = leaf.digest(of: key, in: base)
        // Even where nothing moves: a seek that has copied the slots and then searches must not find one more.
        leaf.beginMoving()
        leaf.insert(digest: digest, reference: reference, at: index)
        leaf.endMoving()
        add(1, to: counters.value.keys)
    }
}
