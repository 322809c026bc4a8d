/// What a point read finds: the newest visible version of a key, without the key. Three words, which functions return in
/// registers.
struct FoundRecord {
    let value: Bytes
    /// Sequence number and kind; 0 where nothing was found.
    private let tag: UInt64

    /// Nothing.
    static var none: FoundRecord { FoundRecord(.emptyBytes, tag: 0) }

    @inline(__always)
    private init(_ value: Bytes, tag: UInt64) {
        self.value = value
        self.tag = tag
    }

    @inline(__always)
    init(_ record: Record) {
        self.init(record.value, tag: record.sequence &<< 8 | UInt64(record.kind.rawValue))
    }

    @inline(__always)
    var exists: Bool { tag != 0 }

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
