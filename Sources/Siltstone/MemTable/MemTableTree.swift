import Synchronization

/// The tree of a memtable as readers see it: two pointers into its arena. Unowned: must not outlive the memtable.
///
/// It is apart from the memtable so that a read uses no object. Retaining one is a locked operation, which waits for
/// all loads before it.
struct MemTableTree: Sendable {
    let base: ArenaBase
    let state: HeapPlace<TreeState>

    @inline(__always)
    private func node(_ reference: ArenaReference) -> TreeNode { TreeNode(reference, in: base) }

    @inline(__always)
    private func entry(_ reference: ArenaReference) -> MemTableEntry { MemTableEntry(reference, in: base) }

    /// Returns the newest visible version of a key, tombstones included. Any thread, concurrently with the writer.
    /// - Parameter visible: the largest visible sequence number.
    /// - Returns: a record whose bytes are valid as long as the memtable; ``FoundRecord/notFound`` if there is none.
    /// - Complexity: O(log *n*) in the number of keys, and O(versions newer than `visible`).
    @inline(__always)
    func lookup(_ key: SearchKey, visible: SequenceNumber) -> FoundRecord {
        isEmpty ? .notFound : lookupInLeaves(key, visible)
    }

    @inline(never)
    private func lookupInLeaves(_ key: SearchKey, _ visible: SequenceNumber) -> FoundRecord {
        guard let newest = newestEntry(of: key) else { return .notFound }
        return version(newest, visible: visible).map { FoundRecord($0.record) } ?? .notFound
    }

    /// True if the tree has no key. Takes into account every change that was visible to the caller before the call.
    @inline(__always)
    var isEmpty: Bool {
        // With height 0, the upper half is zero and the root is a leaf.
        let root = state.value.root.load(ordering: .acquiring)
        return root &>> 32 == 0 && node(ArenaReference(truncatingIfNeeded: root)).count == 0
    }

    /// True if the memtable has range tombstones, which the tree does not honor.
    @inline(__always)
    var hasRangeTombstones: Bool { rangeTombstoneCount > 0 }

    /// Number of range tombstones inserted so far.
    @inline(__always)
    var rangeTombstoneCount: Int { state.value.rangeTombstones.load(ordering: .acquiring) }

    /// Returns the newest visible version of a key; nil if there is none.
    /// - Parameter newest: the key's newest version.
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

    /// Returns the newest version of a key; nil if there is none.
    @inline(__always)
    func newestEntry(of key: SearchKey) -> MemTableEntry? {
        var backoff = Backoff()
        while true {
            let structure = structureVersion
            if let reference = descend(key, before: false) {
                let leaf = node(reference)
                // The search needs one of the references, but knows which one only after the digests have arrived. So
                // both are loaded at the same time.
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

    /// The version of the structure. Read before a descent and passed to ``isStructureUnchanged(since:)`` after it.
    @inline(__always)
    var structureVersion: UInt64 { state.value.structure.load(ordering: .acquiring) }

    /// True if no split has happened since `version` was read, and none was in progress then.
    @inline(__always)
    func isStructureUnchanged(since version: UInt64) -> Bool {
        atomicMemoryFence(ordering: .acquiring)
        return version & 1 == 0 && state.value.structure.load(ordering: .relaxed) == version
    }

    /// Finds the leaf that contains a key, if any leaf does. The result is valid only if the structure is unchanged
    /// afterwards.
    /// - Parameter before: true to find the leaf of the largest key below `key` instead.
    /// - Returns: nil if a concurrent split misled the descent.
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

    /// Finds the last leaf. Otherwise as ``descend(_:before:)``.
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

    /// Same as ``MemTableTree/lookup(_:visible:)``, with a record as the result; nil if there is none.
    func lookup(_ key: Bytes, visible: SequenceNumber) -> Record? {
        tree.newestEntry(of: SearchKey(key)).flatMap { tree.version($0, visible: visible) }?.record
    }

    /// Returns the sequence number of the newest version of a key; nil if there is none.
    func newestSequence(of key: Bytes) -> SequenceNumber? { tree.newestEntry(of: SearchKey(key))?.sequence }
}
