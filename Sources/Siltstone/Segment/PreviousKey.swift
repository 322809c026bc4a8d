/// The record before, against which order is checked. The key is copied, since its block may be written by then.
struct PreviousKey: ~Copyable {
    /// What ``compare(_:)`` returns for an older version of the same key.
    static let sameKey = -1

    private var memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 8)
    private var capacity = 256
    private var count = -1
    private var sequence: SequenceNumber = 0

    init() {}

    deinit { memory.deallocate() }

    /// The key; nil before the first record.
    var key: Bytes? { count < 0 ? nil : UnsafeRawBufferPointer(start: memory, count: count) }

    /// - Returns: −2 where `record` has a greater key, ``sameKey`` where it is an older version of the same, and 0 or
    ///   more where it is out of order.
    @inline(__always)
    func compare(_ record: Record) -> Int {
        guard count >= 0 else { return -2 }
        let order = compareKeys(UnsafeRawBufferPointer(start: memory, count: count), record.key)
        if order != 0 { return order < 0 ? -2 : 1 }
        return record.sequence < sequence ? Self.sameKey : 0
    }

    @inline(__always)
    mutating func set(_ record: Record) {
        if record.key.count > capacity {
            memory.deallocate()
            capacity = 2 * record.key.count
            memory = .allocate(byteCount: capacity, alignment: 8)
        }
        if let base = record.key.baseAddress { memory.copyMemory(from: base, byteCount: record.key.count) }
        count = record.key.count
        sequence = record.sequence
    }
}
