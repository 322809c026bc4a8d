/// A position in a memtable for one reader, concurrent with the writer.
///
/// The cursor copies the references of one leaf at a time and iterates over the copy. Forward, it then follows the link
/// to the next leaf. Backward, it descends again to the keys below the first one of its copy, because splits could not
/// keep a backward link correct. It sees every change inserted before its last seek, and possibly some later ones.
struct MemTableCursor: ~Copyable, Sendable {
    let table: MemTable
    /// The references of a leaf, as they were at one instant.
    private let slots: HeapArray<ArenaReference>
    /// The headers of the entries that the current fill appends.
    let headers: HeapArray<MemTableEntry.Header>
    /// Number of copied references.
    private(set) var slotCount = 0
    /// The leaf after the copied one; 0 if there is none.
    private(set) var next: ArenaReference = 0
    /// Forward: the next slot. Backward: the slot after the next one.
    var index = 0
    /// Forward, all versions: the next version of the key before `index`; 0 if there is none.
    var older: ArenaReference = 0

    /// Creates a cursor at the end. A seek must move it first.
    init(_ table: MemTable) {
        self.table = table
        slots = HeapArray(count: TreeNode.capacity)
        headers = HeapArray(count: TreeNode.capacity)
    }

    /// Returns the newest version of the key in a copied slot.
    @inline(__always)
    func slot(_ index: Int) -> MemTableEntry { table.entry(slots[index]) }

    // MARK: Seeks

    /// Prefetches the leaf of a key, for a seek that follows. A caller that seeks in several sources thereby waits for
    /// all of them at once.
    /// - Parameter before: true for a seek backward.
    func approach(_ key: Bytes, before: Bool) {
        guard !table.tree.isEmpty, let leaf = table.tree.descend(SearchKey(key), before: before) else { return }
        table.node(leaf).prefetch()
    }

    /// Prefetches the starts of the next `count` entries, if they are in the copied leaf.
    func prefetch(_ count: Int, _ direction: ScanDirection) {
        let start = direction == .forward ? index : max(0, index &- count)
        let end = direction == .forward ? min(slotCount, index &+ count) : index
        for slot in start..<end { self.slot(slot).prefetch() }
    }

    /// Forward, moves before the first record whose key is at least `key`; before all records if `key` is nil. Backward,
    /// moves after the last record whose key is less than `key`; after all records if `key` is nil.
    /// - Complexity: O(log *n*) in the number of keys
    mutating func seek(_ key: Bytes?, _ direction: ScanDirection = .forward) {
        older = 0
        if table.tree.isEmpty {
            (slotCount, index, next) = (0, 0, 0)
        } else if let key {
            seek(SearchKey(key), before: direction == .backward)
        } else if direction == .forward {
            load(leaf: table.firstLeaf)
        } else {
            seekLast()
        }
    }

    /// Copies the leaf of `key`, or of the largest key below it if `before` is true. Sets `index` to the first slot
    /// that is not less than `key`.
    @inline(never)
    mutating func seek(_ key: SearchKey, before: Bool) {
        var backoff = Backoff()
        while true {
            let structure = table.tree.structureVersion
            if let reference = table.tree.descend(key, before: before) {
                let leaf = table.node(reference)
                let version = leaf.version
                if version & 1 == 0 {
                    index = leaf.search(key, in: table.base).index
                    copy(leaf)
                    if leaf.isUnchanged(since: version), table.tree.isStructureUnchanged(since: structure) { return }
                }
            }
            backoff.pause()
        }
    }

    /// Moves after the last record of the tree.
    private mutating func seekLast() {
        var backoff = Backoff()
        while true {
            let structure = table.tree.structureVersion
            if let reference = table.tree.descendToLast() {
                load(leaf: reference)
                index = slotCount
                if table.tree.isStructureUnchanged(since: structure) { return }
            }
            backoff.pause()
        }
    }

    /// Copies a leaf and moves before its first slot.
    @inline(never)
    mutating func load(leaf reference: ArenaReference) {
        let leaf = table.node(reference)
        var backoff = Backoff()
        index = 0
        while true {
            let version = leaf.version
            if version & 1 == 0 {
                copy(leaf)
                if leaf.isUnchanged(since: version) { return }
            }
            backoff.pause()
        }
    }

    /// Moves to the next leaf, and prefetches the leaf after it.
    mutating func loadNext() {
        load(leaf: next)
        if next != 0 { table.node(next).prefetchReferences() }
    }

    /// Copies the references of a leaf. The caller validates the copy with the leaf's seqlock.
    @inline(__always)
    private mutating func copy(_ leaf: TreeNode) {
        slotCount = leaf.count
        for index in 0..<slotCount { slots[index] = leaf.reference(index) }
        next = leaf.next
    }
}
