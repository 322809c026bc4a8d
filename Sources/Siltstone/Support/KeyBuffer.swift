/// A copy of the key that came before, to compare the next one with. The memory is used again.
struct KeyBuffer: ~Copyable {
    private var memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 8)
    private var capacity = 256
    /// Bytes of the key; −1 before the first.
    private var count = -1

    init() {}

    deinit { memory.deallocate() }

    /// The key, valid until the next is set; nil before the first.
    @inline(__always)
    var key: Bytes? { count < 0 ? nil : Bytes(start: memory, count: count) }

    /// Whether the key is these bytes.
    @inline(__always)
    func holds(_ other: Bytes) -> Bool { count >= 0 && SearchKey(address: memory, count: count).isEqual(to: other) }

    @inline(__always)
    mutating func set(_ key: Bytes) {
        if key.count > capacity {
            memory.deallocate()
            capacity = 2 * key.count
            memory = .allocate(byteCount: capacity, alignment: 8)
        }
        if let base = key.baseAddress { memory.copyMemory(from: base, byteCount: key.count) }
        count = key.count
    }
}
