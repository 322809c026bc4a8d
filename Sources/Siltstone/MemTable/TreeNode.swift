import Synchronization

/// A node of the tree: a view of memory in the arena.
///
/// A slot is a digest and the reference of an entry. In a leaf the slots are the keys, each with its newest version. In
/// an inner node they are separators, and child *i* has the keys from separator *i − 1* up to separator *i*. The fences
/// of a node bound the keys that it may have. A node is at the edge of the tree if it lacks a fence.
///
/// | offset | size | field | |
/// |---|---|---|---|
/// | 0 | 4 | version | leaves: odd while slots move |
/// | 4 | 4 | count | slots in use |
/// | 8 | 4 | next | leaves: the next leaf, or 0 |
/// | 12 | 4 | prefix length | number of bytes that the digests skip; see ``digest(of:in:)`` |
/// | 16 | 4 | prefix source | at the edge of the tree: an entry that starts with the prefix; otherwise 0 |
/// | 20 | 4 | low fence | an entry with the smallest key that the node may have, or 0; for the writer |
/// | 24 | 4 | high fence | an entry with the smallest key beyond the node, or 0; for the writer |
/// | 64 | 8 · 128 | digests | ascending; all ones in unused slots |
/// | 1088 | 4 · 128 | references | |
/// | 1600 | 4 · 129 | children | inner nodes only |
///
/// Readers read while the writer stores, and validate afterwards: a leaf by its own version, a descent through inner
/// nodes by ``TreeState/structure`` (a seqlock; Boehm, "Can seqlocks get along with
/// programming language memory models?", MSPC 2012). So every field that readers use is atomic. A reader may follow
/// references and children before it validates, so the writer publishes them by a release store, and readers use an
/// acquire load. A reference, once seen, leads to a complete entry or node. So a half-done move misleads a reader, but
/// never leads it out of the arena.
@safe
struct TreeNode {
    /// Slots of a node. Compared with 64, this saves a level, and a tenth of the time of inserts, lookups and scans at
    /// a million keys. More digests cost little, because a search reads them in parallel.
    static var capacity: Int { 128 }
    /// Number of digests in a cache line.
    static var slotsPerLine: Int { 8 }

    /// Size of a leaf in bytes.
    static var leafSize: Int { childrenOffset }
    /// Size of an inner node in bytes.
    static var innerSize: Int { (childrenOffset &+ 4 &* (capacity &+ 1) &+ 63) & ~63 }

    private static var digestsOffset: Int { 64 }
    private static var referencesOffset: Int { digestsOffset &+ 8 &* capacity }
    private static var childrenOffset: Int { referencesOffset &+ 4 &* capacity }

    let address: UnsafeMutableRawPointer

    @inline(__always)
    init(_ reference: ArenaReference, in base: ArenaBase) {
        unsafe address = unsafe base[reference]
    }

    /// Initializes the memory as an empty node, before another thread can see it. The bytes of a reused arena are not
    /// zero.
    func initialize(size: Int) {
        unsafe address.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        unsafe (address + Self.digestsOffset).initializeMemory(
            as: UInt8.self, repeating: 0xff, count: 8 &* Self.capacity)
    }

    // MARK: Fields

    @inline(__always)
    private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        unsafe (address + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    @inline(__always)
    private var digests: UnsafeMutablePointer<Atomic<UInt64>> {
        unsafe (address + Self.digestsOffset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inline(__always)
    private var references: UnsafeMutablePointer<Atomic<UInt32>> { unsafe word(Self.referencesOffset) }

    @inline(__always)
    private var children: UnsafeMutablePointer<Atomic<UInt32>> { unsafe word(Self.childrenOffset) }

    @inline(__always)
    var count: Int {
        get { unsafe Int(word(4).pointee.load(ordering: .relaxed)) }
        nonmutating set { unsafe word(4).pointee.store(UInt32(truncatingIfNeeded: newValue), ordering: .relaxed) }
    }

    @inline(__always)
    var next: ArenaReference {
        get { unsafe word(8).pointee.load(ordering: .acquiring) }
        nonmutating set { unsafe word(8).pointee.store(newValue, ordering: .releasing) }
    }

    @inline(__always)
    var prefixLength: Int {
        get { unsafe Int(word(12).pointee.load(ordering: .relaxed)) }
        nonmutating set { unsafe word(12).pointee.store(UInt32(truncatingIfNeeded: newValue), ordering: .relaxed) }
    }

    @inline(__always)
    var prefixSource: ArenaReference {
        get { unsafe word(16).pointee.load(ordering: .acquiring) }
        nonmutating set { unsafe word(16).pointee.store(newValue, ordering: .releasing) }
    }

    /// For the writer only, so not atomic.
    var lowFence: ArenaReference {
        get { unsafe address.load(fromByteOffset: 20, as: UInt32.self) }
        nonmutating set { unsafe address.storeBytes(of: newValue, toByteOffset: 20, as: UInt32.self) }
    }

    /// For the writer only, so not atomic.
    var highFence: ArenaReference {
        get { unsafe address.load(fromByteOffset: 24, as: UInt32.self) }
        nonmutating set { unsafe address.storeBytes(of: newValue, toByteOffset: 24, as: UInt32.self) }
    }

    // MARK: Slots

    @inline(__always)
    func digest(_ index: Int) -> UInt64 { unsafe digests[index].load(ordering: .relaxed) }

    @inline(__always)
    func setDigest(_ index: Int, _ digest: UInt64) { unsafe digests[index].store(digest, ordering: .relaxed) }

    @inline(__always)
    func reference(_ index: Int) -> ArenaReference { unsafe references[index].load(ordering: .acquiring) }

    @inline(__always)
    func setReference(_ index: Int, _ reference: ArenaReference) {
        unsafe references[index].store(reference, ordering: .releasing)
    }

    /// Prefetches the count and the references of a leaf.
    @inline(__always)
    func prefetchReferences() {
        unsafe Prefetch.line(UnsafeRawPointer(address))
        unsafe Prefetch.lines(UnsafeRawPointer(address) + Self.referencesOffset, count: 4 &* Self.capacity)
    }

    /// Prefetches a complete leaf.
    @inline(__always)
    func prefetch() { unsafe Prefetch.lines(UnsafeRawPointer(address), count: Self.leafSize) }

    /// Returns a child; 0 if a reader sees a half-done move.
    @inline(__always)
    func child(_ index: Int) -> ArenaReference { unsafe children[index].load(ordering: .acquiring) }

    @inline(__always)
    func setChild(_ index: Int, _ child: ArenaReference) { unsafe children[index].store(child, ordering: .releasing) }

    // MARK: Seqlock

    /// The version, read before the slots and passed to ``isUnchanged(since:)`` after them. Odd while slots move.
    @inline(__always)
    var version: UInt32 { unsafe word(0).pointee.load(ordering: .acquiring) }

    /// True if no slot was added or moved since `version` was read. A reference may have been replaced by that of a newer
    /// version of its key.
    @inline(__always)
    func isUnchanged(since version: UInt32) -> Bool {
        atomicMemoryFence(ordering: .acquiring)
        return unsafe word(0).pointee.load(ordering: .relaxed) == version
    }

    /// Makes the version odd, because slots are about to move.
    @inline(__always)
    func beginMoving() {
        unsafe word(0).pointee.store(word(0).pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
    }

    /// Makes the version even, because the slots do not move any more.
    @inline(__always)
    func endMoving() {
        unsafe word(0).pointee.store(word(0).pointee.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    }
}

extension TreeNode {
    /// The position of a key in a node.
    struct Position {
        /// Number of the node's keys that are less than the key.
        var index: Int
        /// True if the node's key at ``index`` equals the key.
        var isExact: Bool
    }

    /// Returns the digest by which this node orders `key`.
    ///
    /// All keys that can arrive at a node with two fences share the common prefix of the fences. The digest is the
    /// eight bytes after that prefix, because without the skip keys like `user:00000001` would all have the same
    /// digest. A node at the edge of the tree has one fence or none, and may receive any key on its open side. It names
    /// an entry whose first bytes are the skipped prefix (the prefix source). Keys below that prefix get the smallest
    /// digest, keys above it the largest. Of two keys in one node, the one with the smaller digest is the smaller key.
    /// Keys with equal digests must be compared.
    @inline(__always)
    func digest(of key: SearchKey, in base: ArenaBase) -> UInt64 {
        let source = prefixSource
        if source != 0 { return edgeDigest(of: key, source: MemTableEntry(source, in: base).key) }
        return key.digest(after: prefixLength)
    }

    /// Returns the digest of a key in a node with the prefix source `source`.
    @inline(never)
    private func edgeDigest(of key: SearchKey, source: SearchKey) -> UInt64 {
        // The source's length is a second bound, because a reader may see the length of one prefix and the source of
        // another.
        let length = min(prefixLength, source.count)
        let order = compareKeys(
            key.prefix(min(length, key.count)).bytes, source.prefix(min(length, key.count)).bytes)
        if order != 0 { return order < 0 ? 0 : .max }
        return key.count < length ? 0 : key.digest(after: length)
    }

    /// Finds a key among the slots.
    /// - Complexity: O(1): one load from each cache line of digests, the digests of one line and, only if digests equal
    ///   the key's, some of their entries. At the edge of the tree, also the prefix source.
    @inline(__always)
    func search(_ key: SearchKey, in base: ArenaBase) -> Position {
        let digest = digest(of: key, in: base)
        let index = lowerBound(of: digest)
        let count = count
        if index >= count || self.digest(index) != digest { return Position(index: min(index, count), isExact: false) }
        return searchEqual(key, digest, from: index, to: count, in: base)
    }

    /// Returns the number of digests that are less than `digest`.
    ///
    /// It counts the cache lines whose last digest is less, and then the smaller digests in the next line. These loads
    /// do not wait for each other, so cache misses overlap; the loads of a binary search come one after the other.
    /// Unused slots have the largest digest.
    @inline(__always)
    private func lowerBound(of digest: UInt64) -> Int {
        var line = 0
        var sample = Self.slotsPerLine &- 1
        while sample < Self.capacity {
            line &+= self.digest(sample) < digest ? 1 : 0
            sample &+= Self.slotsPerLine
        }
        var index = line &* Self.slotsPerLine
        if index == Self.capacity { return index }
        let first = index
        var offset = 0
        while offset < Self.slotsPerLine &- 1 {
            index &+= self.digest(first &+ offset) < digest ? 1 : 0
            offset &+= 1
        }
        return index
    }

    /// Finds a key by the keys themselves, among the slots from `start` on that have the key's digest. The slot at
    /// `start` has it.
    @inline(__always)
    private func searchEqual(
        _ key: SearchKey, _ digest: UInt64, from start: Int, to count: Int, in base: ArenaBase
    ) -> Position {
        var low = start
        var high = start &+ 1
        while high < count, self.digest(high) == digest { high &+= 1 }
        while low < high {
            let middle = (low &+ high) &>> 1
            let order = MemTableEntry(reference(middle), in: base).key.compare(to: key)
            if order == 0 { return Position(index: middle, isExact: true) }
            if order < 0 { low = middle &+ 1 } else { high = middle }
        }
        return Position(index: low, isExact: false)
    }
}

extension TreeNode {
    /// Inserts a slot at `index` of a node that is not full, and moves the slots after it. If readers can see a leaf, its
    /// slots must be moving (``beginMoving()``); if they can see an inner node, a split must be in progress.
    @inline(__always)
    func insert(digest: UInt64, reference: ArenaReference, at index: Int) {
        let count = count
        var target = count
        while target > index {
            setDigest(target, self.digest(target &- 1))
            setReference(target, self.reference(target &- 1))
            target &-= 1
        }
        setDigest(index, digest)
        setReference(index, reference)
        self.count = count &+ 1
    }

    /// Inserts a separator at `index` of an inner node that is not full, and its right child after it. A split must be in
    /// progress.
    func insert(digest: UInt64, separator: ArenaReference, child: ArenaReference, at index: Int) {
        var target = count &+ 1
        while target > index &+ 1 {
            setChild(target, self.child(target &- 1))
            target &-= 1
        }
        setChild(index &+ 1, child)
        insert(digest: digest, reference: separator, at: index)
    }

    /// Copies the slots from `start` on to the front of `other`, a new node, which gets the same prefix for its
    /// digests.
    func copySlots(from start: Int, to other: TreeNode) {
        let count = count
        for index in start..<max(start, count) {
            other.setDigest(index &- start, digest(index))
            other.setReference(index &- start, reference(index))
        }
        other.count = max(0, count &- start)
        other.prefixLength = prefixLength
        other.prefixSource = prefixSource
    }

    /// Copies the children from `start` on to the front of `other`, a new node.
    func copyChildren(from start: Int, to other: TreeNode) {
        for index in start...count { other.setChild(index &- start, child(index)) }
    }

    /// Removes the slots from `count` on.
    func truncate(to count: Int) {
        for index in count..<max(count, self.count) { setDigest(index, .max) }
        self.count = count
    }
}

extension TreeNode {
    /// Bytes that a prefix must grow by before all digests are recomputed.
    private static var worthwhileGain: Int { 4 }
    /// A node at the edge of the tree with fewer slots tells too little about later keys.
    private static var fewSlots: Int { 4 }

    /// Lengthens, shortens or replaces the prefix that the digests skip, if the gain is worth the cost. Called when the
    /// fences have changed and, for an inner node, when its count reaches a power of two. If readers can see a leaf, its
    /// slots must be moving (``beginMoving()``); if they can see an inner node, a split must be in progress.
    /// - Complexity: O(slots), each a cache miss, if the prefix changes.
    func refreshPrefix(in base: ArenaBase) {
        let isInside = lowFence != 0 && highFence != 0
        if !isInside, count < Self.fewSlots { return }
        let first = MemTableEntry(isInside ? lowFence : reference(0), in: base).key
        let last = MemTableEntry(isInside ? highFence : reference(count &- 1), in: base).key
        let length = first.commonPrefix(with: last)
        let source = isInside || length == 0 ? 0 : reference(0)
        let isLonger = length >= prefixLength &+ Self.worthwhileGain
        switch (prefixSource != 0, source != 0) {
        case (false, false): if !isLonger { return }
        case (true, true):
            let skipped = MemTableEntry(prefixSource, in: base).key.prefix(prefixLength)
            if !isLonger, length >= prefixLength, first.hasPrefix(skipped) { return }
        default: break
        }
        prefixLength = length
        prefixSource = source
        for index in 0..<count {
            setDigest(index, digest(of: MemTableEntry(reference(index), in: base).key, in: base))
        }
    }
}
