/// Keys that are looked up together: copies of the keys, one after the other, and their hashes.
///
/// A group has a few dozen keys at most, because the prefetched lines for all of them must stay in the L1 cache until
/// the last key is looked up.
public final class KeyGroup {
    private static var capacity: Int { 32 }

    private var bytes = MutableBytes.allocate(byteCount: 64 * capacity, alignment: 8)
    /// End of each key, as an offset in `bytes`.
    private let ends = HeapArray<Int>(count: capacity)
    private let hashes = HeapArray<UInt64>(count: capacity)
    /// Number of keys in the group.
    private(set) var count = 0

    deinit { bytes.deallocate() }

    /// True if no further key may be added.
    @usableFromInline
    var isFull: Bool { count == Self.capacity }

    /// Adds a copy of a key. The group must not be full.
    @usableFromInline
    func append(_ key: Bytes) {
        let start = count == 0 ? 0 : ends[count - 1]
        let end = start + key.count
        if end > bytes.count { bytes.grow(to: max(end, 2 * bytes.count), keeping: start, alignment: 8) }
        bytes[start..<end].copyMemory(from: key)
        ends[count] = end
        hashes[count] = KeyHash.hash(key)
        count += 1
    }

    func removeAll() { count = 0 }

    /// A key, valid until another one is added.
    @inline(__always)
    subscript(index: Int) -> Bytes {
        let start = index == 0 ? 0 : ends[index &- 1]
        return bytes[start..<ends[index]].bytes
    }

    @inline(__always)
    func hash(_ index: Int) -> UInt64 { hashes[index] }
}
