import Synchronization

/// The newest changes, in memory, in key order: one thread writes, any number read. Readers take no lock, except for
/// range tombstones (``RangeTombstoneLog``).
///
/// The memtable is a B+tree over an arena (after Graefe, "Modern B-tree techniques", 2011, for digests and prefixes). A
/// slot of a leaf stands for one key and refers to the key's newest version; each version refers to the next older one.
/// Overwriting a key is one release store; adding a key moves half a leaf. Readers validate with seqlocks: one over the
/// structure, which splits change, and one in each leaf. Nothing is ever removed; the arena is released as one piece.
///
/// A skip list measured slower, because at a million entries each of its steps is a cache miss that waits for the one
/// before. Inserts and lookups took several times as long, and scans ten times.
///
/// The writer's part of the arena belongs to the one thread that writes at a time, which the store's write lock
/// ensures. Readers share with it only atomics, and entries, which do not change once readers can see them.
final class MemTable: Sendable {
    /// Bytes before the first node. The null entry, the tree's state, the counters and the writer's state start on a
    /// cache line each; the rest is unused.
    private static let headerSize = 512

    private let arena: ArenaMapping
    private let pool: ArenaPool?
    /// Start of the arena. Its first bytes stay zero, because reference 0 is the null entry, with an empty key.
    let base: ArenaBase
    /// The root, and the seqlock over all descents.
    let state: HeapPlace<TreeState>
    let counters: HeapPlace<MemTableCounters>
    let writer: HeapPlace<MemTableWriterState>
    /// The steps of the writer's last descent, from the root.
    let path = HeapArray(repeating: MemTableWriterState.Step(), count: MemTableWriterState.maximumHeight + 1)
    /// The leaf with the smallest keys. Splits move keys to the right, so it stays the first leaf.
    let firstLeaf: ArenaReference
    let rangeTombstoneLog = RangeTombstoneLog()
    /// End of the bytes that ``prepare(ahead:upTo:)`` has prefaulted.
    private let prepared = Atomic<Int>(0)

    /// Creates an empty memtable.
    /// - Parameters:
    ///   - capacity: bytes of its arena; rounded up to 64 KiB.
    ///   - pool: provides the arena, and gets it back at the end. If nil, the memtable maps and unmaps an arena itself.
    /// - Throws: as ``ArenaMapping/init(capacity:)``.
    init(capacity: Int, pool: ArenaPool?) throws(StoreError) {
        let arena = if let pool { try pool.take(capacity: capacity) } else { try ArenaMapping(capacity: capacity) }
        self.arena = arena
        self.pool = pool
        base = arena.base
        base.clear(Self.headerSize)
        firstLeaf = ArenaReference(Self.headerSize >> 3)
        TreeNode(firstLeaf, in: base).initialize(size: TreeNode.leafSize)
        // The three values need no deinitializer, because they end with the arena.
        state = base.place(TreeState(root: firstLeaf), at: 64)
        counters = base.place(MemTableCounters(), at: 128)
        counters.value.top.store(Self.headerSize + TreeNode.leafSize, ordering: .relaxed)
        counters.value.nodeBytes.store(TreeNode.leafSize, ordering: .relaxed)
        writer = base.place(MemTableWriterState(lastLeaf: firstLeaf), at: 192)
    }

    deinit { if let pool { pool.give(arena) } else { arena.unmap() } }

    /// Prefaults the memory that the next inserts will fill; otherwise page faults take a third of a sequential insert.
    /// Runs in the background, concurrently with the writer.
    /// - Parameters:
    ///   - ahead: bytes after the last insert to prefault.
    ///   - limit: estimated number of bytes of the arena that will be used.
    func prepare(ahead: Int, upTo limit: Int) {
        let top = counters.value.top.load(ordering: .relaxed)
        let start = max(top, prepared.load(ordering: .relaxed))
        let end = min(top + ahead, limit, capacity)
        guard start < end else { return }
        arena.prepare(start..<end)
        prepared.store(end, ordering: .relaxed)
    }

    /// Bytes that the arena can hold.
    var capacity: Int { arena.capacity }

    @inline(__always)
    func node(_ reference: ArenaReference) -> TreeNode { TreeNode(reference, in: base) }

    @inline(__always)
    func entry(_ reference: ArenaReference) -> MemTableEntry { MemTableEntry(reference, in: base) }
}

// MARK: - Counters, for any thread

extension MemTable {
    /// Bytes taken by entries, nodes and range tombstones.
    var byteCount: Int { counters.value.top.load(ordering: .relaxed) &+ rangeTombstoneLog.byteCount }

    /// Bytes taken by entries.
    var entryBytes: Int {
        counters.value.top.load(ordering: .relaxed) - counters.value.nodeBytes.load(ordering: .relaxed)
            - Self.headerSize
    }

    /// Number of versions of keys, with tombstones, without range tombstones.
    var entryCount: Int { counters.value.entries.load(ordering: .relaxed) }

    /// Number of distinct keys.
    var keyCount: Int { counters.value.keys.load(ordering: .relaxed) }

    /// Number of entries that are tombstones.
    var tombstoneCount: Int { counters.value.tombstones.load(ordering: .relaxed) }

    /// True if nothing was ever inserted, range tombstones included.
    var isEmpty: Bool { entryCount == 0 && !tree.hasRangeTombstones }

    /// The sequence number of the last change; 0 if there is none.
    var greatestSequence: SequenceNumber { counters.value.greatestSequence.load(ordering: .relaxed) }

    /// Updates the sequence number for a new change. For the writer.
    @inline(__always)
    func count(sequence: SequenceNumber) {
        assert(sequence > greatestSequence, "sequence numbers ascend")
        counters.value.greatestSequence.store(sequence, ordering: .relaxed)
    }

    /// Adds to a counter. For the writer.
    @inline(__always)
    func add(_ amount: Int, to counter: borrowing Atomic<Int>) {
        // Only one thread writes, so a load and a store suffice. A locked addition would cost twenty times as much.
        counter.store(counter.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }
}

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
        // The seqlock is taken even if no slot moves, because a seek that has searched the slots and then copies them
        // must not copy one more.
        leaf.beginMoving()
        leaf.insert(digest: digest, reference: reference, at: index)
        leaf.endMoving()
        add(1, to: counters.value.keys)
    }
}

extension MemTable {
    /// Most bytes that the alignment of a node to a cache line of 64 bytes can cost. Allocations are multiples of 8.
    private static var nodePadding: Int { 56 }

    /// Returns true if `count` changes are certain to fit. Called only by the single writer.
    ///
    /// Counts as if every change had a new key. Every leaf but the last is at least half full, and every inner node but
    /// the last of its level has at least half of the children that fit. So the number of keys bounds the number of
    /// nodes. A bound from the splits that each insert might cause would be tens of times as high.
    /// - Parameters:
    ///   - keyBytes: bytes of the keys of all changes together.
    ///   - valueBytes: bytes of their values together.
    /// - Complexity: O(1)
    func hasRoom(keyBytes: Int, valueBytes: Int, count: Int) -> Bool {
        let half = TreeNode.capacity / 2
        // Two more leaves: the last one, and one for the remainder. Each level of inner nodes has one for `half`
        // children, a geometric series below leaves / (half - 1), and each may have one that is not half full.
        let leaves = (keyCount + count) / half + 2
        let inner = leaves / (half - 1) + MemTableWriterState.maximumHeight + 1
        let nodeBytes =
            leaves * (TreeNode.leafSize + Self.nodePadding) + inner * (TreeNode.innerSize + Self.nodePadding)
        let newNodeBytes = max(0, nodeBytes - counters.value.nodeBytes.load(ordering: .relaxed))
        // An entry is aligned to 8 bytes.
        let entryBytes = keyBytes + valueBytes + count * (MemTableEntry.headerSize + 7)
        return byteCount + newNodeBytes + entryBytes <= capacity
    }

    /// Allocates bytes of the arena.
    /// - Parameters:
    ///   - size: in bytes, a multiple of 8.
    ///   - alignment: in bytes, a power of two, at least 8.
    @inline(__always)
    private func allocate(_ size: Int, alignment: Int) -> ArenaReference {
        let top = counters.value.top.load(ordering: .relaxed)
        let start = (top &+ alignment &- 1) & ~(alignment &- 1)
        // The writer has checked `hasRoom`. An insert beyond the capacity would overwrite foreign memory.
        precondition(size <= capacity &- start, "insert into a memtable without room")
        counters.value.top.store(start &+ size, ordering: .relaxed)
        return ArenaReference(truncatingIfNeeded: start &>> 3)
    }

    @inline(__always)
    func allocateEntry(size: Int) -> ArenaReference { allocate(size, alignment: 8) }

    /// Allocates an empty node.
    func allocateNode(size: Int) -> ArenaReference {
        let before = counters.value.top.load(ordering: .relaxed)
        let reference = allocate(size, alignment: 64)
        add(counters.value.top.load(ordering: .relaxed) &- before, to: counters.value.nodeBytes)
        node(reference).initialize(size: size)
        return reference
    }
}

extension MemTable {
    /// Deletes all older versions of keys in `[start, end)`. One thread at a time, like an insert. An empty range only
    /// uses up its sequence number.
    func insertRangeTombstone(start: Bytes, end: Bytes, sequence: SequenceNumber) {
        if compareKeys(start, end) < 0 {
            rangeTombstoneLog.append(RangeTombstone(start: Array(start), end: Array(end), sequence: sequence))
            state.value.rangeTombstones.store(tree.rangeTombstoneCount + 1, ordering: .releasing)
        }
        count(sequence: sequence)
    }

    /// True if a memtable has so many range tombstones that it is sealed before it is full.
    var hasManyRangeTombstones: Bool { tree.rangeTombstoneCount >= RangeTombstoneLog.most }

    /// The range tombstones inserted so far. They are kept apart: ``lookup(_:visible:)`` and cursors do not honor them.
    /// - Complexity: one load if there are none; else see ``RangeTombstoneLog/tombstones``.
    @inline(__always)
    var rangeTombstones: RangeTombstones { tree.hasRangeTombstones ? rangeTombstoneLog.tombstones : .empty }
}
