import Synchronization

/// The tree of a memtable as readers see it: two addresses in its arena, good as long as the memtable.
///
/// Apart from the memtable, so that a read touches no object: to retain one would be a locked operation, which waits for
/// all loads before it.
struct MemTableTree: Sendable {
    let base: ArenaBase
    let state: ArenaCell<TreeState>

    @inline(__always)
    private func node(_ reference: ArenaReference) -> TreeNode { TreeNode(reference, in: base) }

    @inline(__always)
    private func entry(_ reference: ArenaReference) -> MemTableEntry { MemTableEntry(reference, in: base) }

    /// The newest version of a key that is visible, tombstones included. Any thread, beside the writer.
    /// - Parameter visible: the greatest sequence number that counts.
    /// - Returns: a record whose bytes live as long as the memtable; nil where there is none.
    /// - Complexity: O(log n), and O(versions newer than `visible`).
    @inline(__always)
    func lookup(_ key: SearchKey, visible: SequenceNumber) -> FoundRecord {
        isEmpty ? .none : lookupInLeaves(key, visible)
    }

    @inline(never)
    private func lookupInLeaves(_ key: SearchKey, _ visible: SequenceNumber) -> FoundRecord {
        guard let newest = newestEntry(of: key) else { return .none }
        return version(newest, visible: visible).map { FoundRecord($0.record) } ?? .none
    }

    /// Whether no key was there a moment ago: what was visible to the caller before that is in the tree.
    @inline(__always)
    var isEmpty: Bool {
        // The reference of a single leaf, as its height is 0; a larger number is a tree.
        let root = state.value.root.load(ordering: .acquiring)
        return root &>> 32 == 0 && node(ArenaReference(truncatingIfNeeded: root)).count == 0
    }

    /// Whether the memtable has range tombstones, which the tree does not heed.
    @inline(__always)
    var hasRangeTombstones: Bool { rangeTombstoneCount > 0 }

    /// Range tombstones that the memtable has by now.
    @inline(__always)
    var rangeTombstoneCount: Int { state.value.rangeTombstones.load(ordering: .acquiring) }

    /// The newest entry, from `newest` back, that is visible.
    @inline(__always)
    func version(_ newest: MemTableEntry, visible: SequenceNumber) -> MemTableEntry? {
        var current = newest
        while current.sequence > visible {
            let previous = current.previous
            if previous == 0 { return nil }
            current = entry(previous)
        }
        return current
    }

    /// The newest version of a key.
    @inline(__always)
    func newestEntry(of key: SearchKey) -> MemTableEntry? {
        var backoff = Backoff()
        while true {
            let structure = structureVersion
            if let reference = descend(key, before: false) {
                let leaf = node(reference)
                // Which of them is looked at is known only when the digests have come, which are asked for at once.
                leaf.prefetchReferences()
                let version = leaf.version
                let position = leaf.search(key, in: base)
                let found = position.isExact ? leaf.reference(position.index) : 0
                if version & 1 == 0, leaf.isUnchanged(since: version), isStructureUnchanged(since: structure) {
                    return position.isExact ? entry(found) : nil
                }
            }
            backoff.pause()
        }
    }

    // MARK: Descent

    /// The version of the structure, to ask ``isStructureUnchanged(since:)`` about after a descent.
    @inline(__always)
    var structureVersion: UInt64 { state.value.structure.load(ordering: .acquiring) }

    /// Whether nothing was split since, nor was anything being split then.
    @inline(__always)
    func isStructureUnchanged(since version: UInt64) -> Bool {
        atomicMemoryFence(ordering: .acquiring)
        return version & 1 == 0 && state.value.structure.load(ordering: .relaxed) == version
    }

    /// The leaf that holds a key if any does. What it says counts only if the structure is unchanged afterwards.
    /// - Parameter before: whether to find the leaf of the greatest key below `key` instead.
    /// - Returns: nil where a split misled it.
    @inline(__always)
    func descend(_ key: SearchKey, before: Bool) -> ArenaReference? {
        let root = state.value.root.load(ordering: .acquiring)
        var current = ArenaReference(truncatingIfNeeded: root)
        var level = root &>> 32
        while level > 0 {
            let inner = node(current)
            let position = inner.search(key, in: base)
            current = inner.child(position.isExact && !before ? position.index &+ 1 : position.index)
            if current == 0 { return nil }
            level &-= 1
        }
        return current
    }

    /// The last leaf; as ``descend(_:before:)``.
    func descendToLast() -> ArenaReference? {
        let root = state.value.root.load(ordering: .acquiring)
        var current = ArenaReference(truncatingIfNeeded: root)
        for _ in 0..<(root &>> 32) {
            let inner = node(current)
            current = inner.child(inner.count)
            if current == 0 { return nil }
        }
        return current
    }
}

extension MemTable {
    /// The tree, for readers.
    @inline(__always)
    var tree: MemTableTree { MemTableTree(base: base, state: state) }

    /// As ``MemTableTree/lookup(_:visible:)``.
    func lookup(_ key: Bytes, visible: SequenceNumber) -> Record? {
        tree.newestEntry(of: SearchKey(key)).flatMap { tree.version($0, visible: visible) }?.record
    }

    /// The sequence number of the newest version of a key; nil where there is none.
    func newestSequence(of key: Bytes) -> SequenceNumber? { tree.newestEntry(of: SearchKey(key))?.sequence }
}
