import Synchronization

/// Where a descent begins, and whether it was misled. Changed by splits only, and alone on its cache line, so that it
/// stays in the caches of all readers.
struct TreeState: ~Copyable {
    /// Odd while a split moves slots between nodes: the seqlock over all descents.
    let structure = Atomic<UInt64>(0)
    /// The reference of the root in the lower half, how many levels of inner nodes there are in the upper half; in one
    /// word, because the one means nothing without the other.
    let root: Atomic<UInt64>
    /// Range tombstones, which lie elsewhere: here readers see at no price that there are none.
    let rangeTombstones = Atomic<Int>(0)

    init(root: ArenaReference) { self.root = Atomic(UInt64(root)) }
}

/// What the writer counts and anyone may read; each number on its own, not all of one instant.
struct MemTableCounters: ~Copyable {
    /// Bytes taken of the arena.
    let top = Atomic<Int>(0)
    /// Bytes of ``top`` that are nodes.
    let nodeBytes = Atomic<Int>(0)
    let entries = Atomic<Int>(0)
    /// Distinct keys.
    let keys = Atomic<Int>(0)
    let tombstones = Atomic<Int>(0)
    let smallestSequence = Atomic<SequenceNumber>(0)
    let greatestSequence = Atomic<SequenceNumber>(0)
}

/// What the writer alone knows.
struct MemTableWriterState {
    /// One step of a descent: an inner node, and which of its children was taken.
    struct Step: BitwiseCopyable {
        var node: ArenaReference = 0
        var child = 0
    }

    /// Levels of inner nodes that 2³² references can fill: each node but the last of its level has half its children.
    static var maximumHeight: Int { 7 }

    /// The last leaf.
    var lastLeaf: ArenaReference
    /// An entry with the greatest key, or 0.
    var greatest: ArenaReference = 0
}

/// Waits for the end of a move that a reader ran into: a few tries at once, then the processor goes to others, as the
/// writer may be one of them.
struct Backoff {
    private var tries = 0

    @inline(never)
    mutating func pause() {
        tries &+= 1
        if tries > 32 { Platform.yieldThread() }
    }
}
