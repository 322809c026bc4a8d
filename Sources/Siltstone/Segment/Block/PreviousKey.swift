/// The previous record, for checking the order of records. Holds a copy of the key, because its block may have been
/// written and its memory reused in the meantime.
struct PreviousKey: ~Copyable {
    /// The result of ``compare(_:)`` for an older version of the same key.
    static let sameKey = -1

    private var buffer = KeyBuffer()
    private var sequence: SequenceNumber = 0

    /// The key; nil before the first record.
    var key: Bytes? { buffer.key }

    /// Compares `record` with the previous one.
    /// - Returns: −2 if `record` has a larger key, ``sameKey`` if it is an older version of the same key, and 0 or more
    ///   if it is out of order.
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
