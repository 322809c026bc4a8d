/// The number of a change. Every change in the store's history has its own, and later ones are larger.
typealias SequenceNumber = UInt64

extension SequenceNumber {
    /// The largest number that a change can have: 56 bits, so that a kind fits beside it in 64.
    static var greatest: SequenceNumber { (1 << 56) - 1 }
}

/// The effect of a record on its key. The raw values are on disk, in logs and in segments.
@usableFromInline
enum RecordKind: UInt8, Sendable, BitwiseCopyable {
    /// The key has the value in the record.
    case value = 1
    /// The key was deleted.
    case tombstone = 2
    /// The key has a value in a value file; the record has a ``ValuePointer``.
    case pointer = 3
    /// All keys from the record's key up to, not including, its value were deleted. In logs only; elsewhere a range
    /// tombstone is kept apart from the records (``RangeTombstones``).
    case rangeTombstone = 4

    /// True if a change of this kind makes its key exist.
    @inline(__always)
    var isPut: Bool { self == .value || self == .pointer }
}

/// One version of one key, as borrowed bytes.
@usableFromInline
struct Record: BitwiseCopyable {
    @usableFromInline
    var key: Bytes
    @usableFromInline
    var value: Bytes
    /// May be 0 if no reader of the record needs it.
    var sequence: SequenceNumber
    @usableFromInline
    var kind: RecordKind

    /// The same record without its sequence number, which then need not be loaded.
    @inline(__always)
    var unnumbered: Record { Record(key: key, value: value, sequence: 0, kind: kind) }
}

/// The position of a large value. Its encoding is the value of a record of kind ``RecordKind/pointer``.
struct ValuePointer: Hashable, Sendable {
    /// Bytes of the encoding.
    static let size = 24

    /// Number of the value file.
    var file: UInt64
    /// Offset of the value's record in that file, in bytes.
    var offset: UInt64
    /// Bytes of the value.
    var length: UInt32
    /// The checksum of the value's record, which covers file, offset, key and value.
    var checksum: UInt32
}

extension ValuePointer {
    /// Reads an encoding; nil if `bytes` does not have its size.
    init?(_ bytes: Bytes) {
        guard bytes.count == Self.size, let file: UInt64 = bytes.integer(at: 0),
            let offset: UInt64 = bytes.integer(at: 8), let length: UInt32 = bytes.integer(at: 16),
            let checksum: UInt32 = bytes.integer(at: 20)
        else { return nil }
        self.init(file: file, offset: offset, length: length, checksum: checksum)
    }

    /// Writes the encoding, ``size`` bytes.
    func write(to bytes: MutableBytes) {
        bytes.store(file, at: 0)
        bytes.store(offset, at: 8)
        bytes.store(length, at: 16)
        bytes.store(checksum, at: 20)
    }
}
