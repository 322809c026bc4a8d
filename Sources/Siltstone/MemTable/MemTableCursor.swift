/// A position in a memtable for one reader, beside the writer.
///
/// It copies the references of a leaf at one go and walks the copy; then it goes on by the link to the next leaf or,
/// backward, by a new descent below the first key that it had: a link backward could not be kept right beside splits.
/// It sees all that was inserted before it was made or last moved by a seek, and perhaps some of what came later.
struct MemTableCursor: ~Copyable, Sendable {
    let table: MemTable
    /// The references of a leaf, as it was at one instant.
    private let slots: HeapArray<ArenaReference>
    /// The headers of the entries that are being handed over.
    let headers: HeapArray<MemTableEntry.Header>
    private(set) var slotCount = 0
    /// The leaf after the copied one; 0 where there is none.
    private(set) var next: ArenaReference = 0
    /// Forward: the slot that comes next. Backward: the slot behind the one that comes next.
    var index = 0
    /// Forward, all versions: the version that comes next of the key before `index`; 0 for none.
    var older: ArenaReference = 0

    /// A cursor at the end: it has to be moved by a seek first.
    init(_ table: MemTable) {
        self.table = table
        slots = HeapArray(count: TreeNode.capacity)
        headers = HeapArray(count: TreeNode.capacity)
    }

    @inline(__always)
    func slot(_ index: Int) -> MemTableEntry { table.entry(slots[index]) }

    // MARK: Seeks

    /// Has the leaf of a key loaded, to which a seek is to follow: who seeks in several sources waits for all of them at once.
    func approach(_ key: Bytes, before: Bool) {
        guard !table.tree.isEmpty, let leaf = table.tree.descend(SearchKey(key), before: before) else { return }
        table.node(leaf).prefetch()
    }

    /// Has the next entries loaded where they begin, as far as they are in the same leaf.
    func prefetch(_ count: Int, _ direction: ScanDirection) {
        let start = direction == .forward ? index : max(0, index &- count)
        let end = direction == .forward ? min(slotCount, index &+ count) : index
        for slot in start..<end { self.slot(slot).prefetch() }
    }

    /// Moves before the first record whose key is at least `key`; before all where `key` is nil.
    /// - Complexity: O(log n)
    mutating func seekForward(_ key: Bytes?) {
        older = 0
        if table.tree.isEmpty { return stayAtEnd() }
        guard let key else {
            load(leaf: table.firstLeaf)
            return
        }
        seek(SearchKey(key), before: false)
    }

    /// Moves behind the last record whose key is less than `key`; behind all where `key` is nil.
    /// - Complexity: O(log n)
    mutating func seekBackward(_ key: Bytes?) {
        older = 0
        if table.tree.isEmpty { return stayAtEnd() }
        guard let key else {
            seekLast()
            return
        }
        seek(SearchKey(key), before: true)
    }

    /// As in a table without keys: what comes later need not be seen.
    private mutating func stayAtEnd() {
        slotCount = 0
        index = 0
        next = 0
    }

    /// Copies the leaf of `key`, or of the greatest key below it, and puts `index` on the first slot not less than `key`.
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

    /// Copies a leaf and stands before its first slot.
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

    /// Goes on to the next leaf, and has the one behind it fetched into the caches.
    mutating func loadNext() {
        load(leaf: next)
        if next != 0 { table.node(next).prefetchReferences() }
    }

    @inline(__always)
    private mutating func copy(_ leaf: TreeNode) {
        slotCount = leaf.count
        for index in 0..<slotCount { slots[index] = leaf.reference(index) }
        next = leaf.next
    }
}
