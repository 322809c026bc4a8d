/// The record before, against which order is checked. The key is copied, since its block may be written by then.
struct PreviousKey: ~Copyable {
    /// What ``compare(_:)`` returns for an older version of the same key.
    static let sameKey = -1

    private var buffer = KeyBuffer()
    private var sequence: SequenceNumber = 0

    init() {}

    /// The key; nil before the first record.
    var key: Bytes? { buffer.key }

    /// - Returns: −2 where `record` has a greater key, ``sameKey`` where it is an older version of the same, and 0 or
    ///   more where it is out of order.
    @inline(__always)
    func compare(_ record: Record) -> Int {
        guard let key = buffer.key else { return -2 }
        let order = compareKeysByWords(key, record.key)
        if order != 0 { return order < 0 ? -2 : 1 }
        return record.sequence < sequence ? Self.sameKey : 0
    }

    @inline(__always)
    mutating func set(_ record: Record) {
        buffer.set(record.key)
        sequence = record.sequence
    }
}
