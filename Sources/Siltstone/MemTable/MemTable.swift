import Synchronization

/// The newest changes, in memory, in key order: one thread writes, any number read, and readers take no lock.
///
/// A B+tree over an arena (after Graefe, "Modern B-tree techniques", 2011, for digests and prefixes): a slot of a leaf
/// stands for one key and leads to its newest version, each version to the one before it. To overwrite a key is one
/// release store; to add one moves half a leaf. Readers go by seqlocks: one over the structure, which splits change,
/// and one for each leaf. Nothing is ever removed; the arena goes as a whole.
///
/// A skip list lost: at a million entries each of its steps is a cache miss that waits for the one before, which makes
/// inserts and lookups several times as slow and scans ten times.
///
/// The writer's part of the arena belongs to the one thread that writes at a time: the store's write lock sees to that.
/// Readers share only atomics with it.
final class MemTable: Sendable {
    /// The null entry, the state and the counters take a cache line each, then the writer's state and its path.
    private static let headerSize = 512

    private let arena: ArenaMapping
    private let pool: ArenaPool?
    /// What references count from. Its first bytes stay zero: reference 0 is an entry with an empty key.
    let base: ArenaBase
    let state: ArenaCell<TreeState>
    let counters: ArenaCell<MemTableCounters>
    let writer: ArenaCell<MemTableWriterState>
    /// The steps of the writer's last descent, from the root.
    let path = HeapArray(repeating: MemTableWriterState.Step(), count: MemTableWriterState.maximumHeight + 1)
    /// The leaf with the least keys: splits move keys to the right, so it stays the first.
    let firstLeaf: ArenaReference
    let rangeTombstoneLog = RangeTombstoneLog()
    /// Up to where ``prepare(ahead:upTo:)`` has gone.
    private let prepared = Atomic<Int>(0)

    /// Creates an empty memtable.
    /// - Parameters:
    ///   - capacity: bytes of its arena; rounded up to 64 KiB.
    ///   - pool: where the arena comes from and goes to; without one it is mapped anew.
    /// - Throws: as ``ArenaMapping/init(capacity:)``.
    init(capacity: Int, pool: ArenaPool?) throws(StoreError) {
        let arena = if let pool { try pool.take(capacity: capacity) } else { try ArenaMapping(capacity: capacity) }
        self.arena = arena
        self.pool = pool
        base = arena.base
        base.clear(Self.headerSize)
        firstLeaf = ArenaReference(Self.headerSize >> 3)
        TreeNode(firstLeaf, in: base).initialize(size: TreeNode.leafSize)
        // The three have no deinitialisers to run: they end with the arena.
        state = base.place(TreeState(root: firstLeaf), at: 64)
        counters = base.place(MemTableCounters(), at: 128)
        counters.value.top.store(Self.headerSize + TreeNode.leafSize, ordering: .relaxed)
        counters.value.nodeBytes.store(TreeNode.leafSize, ordering: .relaxed)
        writer = base.place(MemTableWriterState(lastLeaf: firstLeaf), at: 192)
    }

    deinit { if let pool { pool.give(arena) } else { arena.unmap() } }

    /// Has memory put behind what the next inserts will fill, in the background: to find and clear it costs a third of
    /// a sequential insert. Beside the writer.
    /// - Parameters:
    ///   - ahead: bytes from the last insert on.
    ///   - limit: bytes of the arena that will be used, as far as can be told.
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

    /// Versions of keys, tombstones included, range tombstones not.
    var entryCount: Int { counters.value.entries.load(ordering: .relaxed) }

    /// Distinct keys.
    var keyCount: Int { counters.value.keys.load(ordering: .relaxed) }

    /// Entries that are tombstones.
    var tombstoneCount: Int { counters.value.tombstones.load(ordering: .relaxed) }

    /// Whether nothing was ever inserted, range tombstones included.
    var isEmpty: Bool { entryCount == 0 && rangeTombstoneLog.count == 0 }

    /// The sequence number of the first change; 0 where there is none.
    var smallestSequence: SequenceNumber { counters.value.smallestSequence.load(ordering: .relaxed) }

    /// The sequence number of the last change; 0 where there is none.
    var greatestSequence: SequenceNumber { counters.value.greatestSequence.load(ordering: .relaxed) }

    /// The writer's: takes a change into account.
    @inline(__always)
    func count(sequence: SequenceNumber) {
        let counters = counters
        assert(sequence > counters.value.greatestSequence.load(ordering: .relaxed), "sequence numbers ascend")
        if counters.value.smallestSequence.load(ordering: .relaxed) == 0 {
            counters.value.smallestSequence.store(sequence, ordering: .relaxed)
        }
        counters.value.greatestSequence.store(sequence, ordering: .relaxed)
    }

    /// The writer's: adds to a counter.
    @inline(__always)
    func add(_ amount: Int, to counter: borrowing Atomic<Int>) {
        // One thread writes, so a load and a store do what a locked addition would do at twenty times the price.
        counter.store(counter.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }
}
