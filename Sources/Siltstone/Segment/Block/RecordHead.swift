/// The beginning of a record in a block, where it is short, as most are. The sequence number is decoded for those who ask for
/// it only, as that takes as long as the rest.
struct RecordHead {
    /// Bytes that a head has at most.
    static let greatestSize = 8

    private let word: UInt64
    /// Bytes before the key.
    let size: Int
    let valueCount: Int

    /// Reads the head of a record, ``greatestSize`` bytes at `offset` that must be there, whose lengths take one byte for the key and at most two for the value, and whose
    /// sequence number is short enough for all to end within eight bytes; nil for others.
    @inline(__always)
    init?(_ bytes: Bytes, at offset: Int) {
        word = bytes.uncheckedInteger(at: offset)
        // The last byte of the sequence number is the first one without the mark, behind the lengths.
        let ends = ~word & 0x8080_8080_8080_8080
        // Which lengths take more than one byte.
        let marks = word & 0x80_8000
        if _fastPath(marks == 0) {
            valueCount = Int(truncatingIfNeeded: (word &>> 16) & 0x7f)
            size = ((ends &>> 24).trailingZeroBitCount &+ 25) &>> 3
        } else {
            valueCount = Int(truncatingIfNeeded: ((word &>> 16) & 0x7f) | ((word &>> 17) & 0x3f80))
            size = ((ends &>> 32).trailingZeroBitCount &+ 33) &>> 3
            if marks != 0x80_0000 || word & 0x8000_0000 != 0 { return nil }
        }
        if size > Self.greatestSize { return nil }
    }

    /// Whether the key is of this length and has a value, of which this is the newest version: what most are, told at once.
    @inline(__always)
    func isNewestValue(keyCount: Int) -> Bool {
        word & 0xffff == UInt64(truncatingIfNeeded: keyCount) &<< 8 | UInt64(RecordKind.value.rawValue)
    }

    /// The kind, with ``BlockRecord/olderFlag``.
    @inline(__always)
    var kindByte: UInt8 { UInt8(truncatingIfNeeded: word) }

    @inline(__always)
    var keyCount: Int { Int(truncatingIfNeeded: (word &>> 8) & 0x7f) }

    /// The number of the change.
    @inline(__always)
    var sequence: SequenceNumber { Varint.value(word &>> (word & 0x80_0000 == 0 ? 24 : 32)) }
}
