import Synchronization

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
