import Synchronization

/// The root of the tree, and the seqlock that validates a descent. They are on a cache line to which only splits and
/// range tombstones store, so it stays in the caches of all readers.
struct TreeState: ~Copyable {
    /// Odd while a split moves slots between nodes: the seqlock over all descents.
    let structure = Atomic<UInt64>(0)
    /// The reference of the root in the lower half, the number of inner levels in the upper half. They share one word
    /// because neither is valid without the other.
    let root: Atomic<UInt64>
    /// Number of range tombstones, which are stored elsewhere. It is here so that readers see at no cost that there are
    /// none.
    let rangeTombstones = Atomic<Int>(0)

    init(root: ArenaReference) { self.root = Atomic(UInt64(root)) }
}

/// Counters that the writer updates and any thread may read. Each is exact by itself; together they are no snapshot of
/// one instant.
struct MemTableCounters: ~Copyable {
    /// Allocated bytes of the arena.
    let top = Atomic<Int>(0)
    /// Bytes of ``top`` that are nodes.
    let nodeBytes = Atomic<Int>(0)
    /// Number of versions of keys.
    let entries = Atomic<Int>(0)
    /// Number of distinct keys.
    let keys = Atomic<Int>(0)
    /// Number of entries that are tombstones.
    let tombstones = Atomic<Int>(0)
    /// Sequence number of the last change; 0 before the first.
    let greatestSequence = Atomic<SequenceNumber>(0)
}

/// State that only the writer uses.
struct MemTableWriterState {
    /// One step of a descent: an inner node, and the index of the child that was taken.
    struct Step: BitwiseCopyable {
        var node: ArenaReference = 0
        var child = 0
    }

    /// Upper bound of the number of inner levels. 2³² references fill at most 5, because each node but the last of its
    /// level has at least 64 slots or children.
    static var maximumHeight: Int { 7 }

    /// The last leaf.
    var lastLeaf: ArenaReference
    /// An entry with the largest key, or 0.
    var greatest: ArenaReference = 0
}

/// Paces a reader that repeats a read while the writer moves slots. The first 32 pauses return at once. Later ones
/// yield the processor, because the writer may be waiting for it.
struct Backoff {
    private var tries = 0

    @inline(never)
    mutating func pause() {
        tries &+= 1
        if tries > 32 { Platform.yieldThread() }
    }
}
