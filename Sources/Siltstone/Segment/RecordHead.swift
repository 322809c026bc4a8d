/// The beginning of a record in a block, as far as a point read needs it: where key and value are. The sequence number is
/// decoded for those who ask for it only, as that takes as long as the rest.
struct RecordHead {
    private let word: UInt64
    /// Bytes before the key.
    let size: Int
    let valueCount: Int

    /// Reads the head of a record whose lengths take one byte for the key and at most two for the value, and whose
    /// sequence number is short enough for all to end within eight bytes; nil for others.
    @inline(__always)
    init?(_ record: UnsafeRawPointer) {
        word = UInt64(littleEndian: record.loadUnaligned(as: UInt64.self))
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
        if size > 8 { return nil }
    }

    /// Whether the key is of this length and has a value, of which this is the newest version: what most are, told at once.
    @inline(__always)
    func isNewestValue(keyCount: Int) -> Bool {
        word & 0xffff == UInt64(truncatingIfNeeded: keyCount) &<< 8 | UInt64(RecordKind.value.rawValue)
    }

    /// The number of the change.
    var sequence: SequenceNumber {
        let first = word & 0x80_0000 == 0 ? 3 : 4
        return (first..<size).reduce(0) { number, place in
            let digit = (word &>> UInt64(8 * place)) & 0x7f
            return number | digit &<< UInt64(7 * (place - first))
        }
    }
}
