/// The result of a point read: the newest visible version of a key, without the key. It has three words, which
/// functions return in registers.
struct FoundRecord {
    /// Valid as long as the source that was read is pinned.
    let value: Bytes
    /// The sequence number in the upper 56 bits, and the kind; 0 if nothing was found.
    private let tag: UInt64

    /// Nothing was found.
    static var notFound: FoundRecord { FoundRecord(.emptyBytes, tag: 0) }

    @inline(__always)
    private init(_ value: Bytes, tag: UInt64) {
        self.value = value
        self.tag = tag
    }

    @inline(__always)
    init(_ record: Record) {
        self.init(record.value, tag: record.sequence &<< 8 | UInt64(record.kind.rawValue))
    }

    /// True if a record was found, even a tombstone.
    @inline(__always)
    var isFound: Bool { tag != 0 }

    /// 0 if nothing was found.
    @inline(__always)
    var sequence: SequenceNumber { tag &>> 8 }

    /// Returns the complete record, given the key of the lookup; nil if nothing was found.
    func record(_ key: Bytes) -> Record? {
        RecordKind(rawValue: UInt8(truncatingIfNeeded: tag)).map {
            Record(key: key, value: value, sequence: sequence, kind: $0)
        }
    }

    @inline(__always)
    func isKind(_ kind: RecordKind) -> Bool { UInt8(truncatingIfNeeded: tag) == kind.rawValue }
}
