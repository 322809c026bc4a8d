/// What a point read finds: the newest visible version of a key, without the key. Three words, which functions return in
/// registers.
struct FoundRecord {
    private let address: UnsafeRawPointer?
    private let count: Int
    /// Sequence number and kind; 0 where nothing was found.
    private let tag: UInt64

    /// Nothing.
    static var none: FoundRecord { FoundRecord(address: nil, count: 0, tag: 0) }

    @inline(__always)
    private init(address: UnsafeRawPointer?, count: Int, tag: UInt64) {
        self.address = address
        self.count = count
        self.tag = tag
    }

    @inline(__always)
    init(_ record: Record) {
        self.init(
            address: record.value.baseAddress, count: record.value.count,
            tag: record.sequence &<< 8 | UInt64(record.kind.rawValue))
    }

    @inline(__always)
    var exists: Bool { tag != 0 }

    @inline(__always)
    var value: Bytes { Bytes(start: address, count: count) }

    @inline(__always)
    var sequence: SequenceNumber { tag &>> 8 }

    /// The whole record, given the key that was looked for.
    func record(_ key: Bytes) -> Record? {
        RecordKind(rawValue: UInt8(truncatingIfNeeded: tag)).map {
            Record(key: key, value: value, sequence: sequence, kind: $0)
        }
    }

    @inline(__always)
    func isKind(_ kind: RecordKind) -> Bool { UInt8(truncatingIfNeeded: tag) == kind.rawValue }
}
