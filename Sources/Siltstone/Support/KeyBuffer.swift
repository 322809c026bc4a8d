/// A copy of the previous key, to compare the next one with. Its memory is reused.
struct KeyBuffer: ~Copyable {
    private var memory = MutableBytes.allocate(byteCount: 256, alignment: 8)
    /// Bytes of the key; −1 before the first key.
    private var count = -1

    deinit { memory.deallocate() }

    /// The key, valid until the next one is set; nil before the first.
    @inline(__always)
    var key: Bytes? { count < 0 ? nil : memory.uncheckedSlice(0, count).bytes }

    /// Returns true if the key equals these bytes.
    @inline(__always)
    func holds(_ other: Bytes) -> Bool {
        count >= 0 && SearchKey(memory.uncheckedSlice(0, count).bytes).isEqual(to: other)
    }

    @inline(__always)
    mutating func set(_ key: Bytes) {
        if key.count > memory.count { memory.grow(to: 2 * key.count, alignment: 8) }
        memory.copyMemory(from: key)
        count = key.count
    }
}
