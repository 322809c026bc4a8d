/// Keys that are looked up together: copies of them, one behind the other, and their hashes.
///
/// A few dozen: what is prefetched for all of them has to stay in the innermost cache until the last one is looked up.
public final class KeyGroup {
    private static var capacity: Int { 32 }

    private var bytes = MutableBytes.allocate(byteCount: 64 * capacity, alignment: 8)
    /// Where each key ends.
    private let ends = HeapArray<Int>(count: capacity)
    private let hashes = HeapArray<UInt64>(count: capacity)
    /// Keys in the group.
    private(set) var count = 0

    init() {}

    deinit { bytes.deallocate() }

    /// Whether no further key may be added.
    @usableFromInline
    var isFull: Bool { count == Self.capacity }

    /// Adds a copy of a key, whose bytes may go then. The group must not be full.
    @usableFromInline
    func append(_ key: Bytes) {
        let start = count == 0 ? 0 : ends[count - 1]
        let end = start + key.count
        if end > bytes.count { grow(to: end) }
        bytes[start..<end].copyMemory(from: key)
        ends[count] = end
        hashes[count] = KeyHash.hash(key)
        count += 1
    }

    private func grow(to size: Int) {
        let larger = MutableBytes.allocate(byteCount: max(size, 2 * bytes.count), alignment: 8)
        larger.copyMemory(from: bytes.bytes)
        bytes.deallocate()
        bytes = larger
    }

    func removeAll() { count = 0 }

    /// A key, good until another one is added.
    @inline(__always)
    subscript(index: Int) -> Bytes {
        let start = index == 0 ? 0 : ends[index &- 1]
        return bytes[start..<ends[index]].bytes
    }

    @inline(__always)
    func hash(_ index: Int) -> UInt64 { hashes[index] }
}
