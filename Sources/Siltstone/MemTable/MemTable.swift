import Synchronization

/// The newest changes, in memory, in key order: one thread writes, any number read, and readers take no lock.
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
/// ensures. Readers share only atomics with it.
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
