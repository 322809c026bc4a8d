/// The bytes of a record before its key, if there are at most eight, as in most records. The sequence number is decoded
/// only on demand, because that takes as long as decoding the rest.
///
/// Byte 0 is the kind, byte 1 the key length. The value length is byte 2, or bytes 2 and 3. Behind it is the sequence
/// number, a varint. All of them are loaded as one little-endian word.
struct RecordHeader {
    /// Bytes of a header at most.
    static let greatestSize = 8

    private let word: UInt64
    /// Bytes before the key.
    let size: Int
    let valueCount: Int

    /// Decodes the header of a record. Reads ``greatestSize`` bytes at `offset`, which must exist. Returns nil unless
    /// the key length takes one byte, the value length takes at most two, and the header including the sequence number
    /// ends within eight bytes.
    @inline(__always)
    init?(_ bytes: Bytes, at offset: Int) {
        word = bytes.uncheckedInteger(at: offset)
        // Each byte of a varint but the last has its top bit set. The first byte after the lengths without that bit
        // ends the sequence number. The top bit of byte k is bit 8k + 7 of the word.
        let ends = ~word & 0x8080_8080_8080_8080
        // The top bits of the length bytes. If both are clear, both lengths take one byte.
        let marks = word & 0x80_8000
        if _fastPath(marks == 0) {
            valueCount = Int(truncatingIfNeeded: (word &>> 16) & 0x7f)
            size = ((ends &>> 24).trailingZeroBitCount &+ 25) &>> 3
        } else {
            valueCount = Int(truncatingIfNeeded: ((word &>> 16) & 0x7f) | ((word &>> 17) & 0x3f80))
            size = ((ends &>> 32).trailingZeroBitCount &+ 33) &>> 3
            // Only the value length may take a second byte, and no third.
            if marks != 0x80_0000 || word & 0x8000_0000 != 0 { return nil }
        }
        if size > Self.greatestSize { return nil }
    }

    /// True if the record's key has this length, its kind is value, and it is the newest version of its key. Most
    /// records satisfy this, so one comparison checks it.
    @inline(__always)
    func isNewestValue(keyCount: Int) -> Bool {
        word & 0xffff == UInt64(truncatingIfNeeded: keyCount) &<< 8 | UInt64(RecordKind.value.rawValue)
    }

    /// The kind, including ``BlockRecord/olderFlag``.
    @inline(__always)
    var kindByte: UInt8 { UInt8(truncatingIfNeeded: word) }

    @inline(__always)
    var keyCount: Int { Int(truncatingIfNeeded: (word &>> 8) & 0x7f) }

    /// The sequence number.
    @inline(__always)
    var sequence: SequenceNumber { Varint.value(word &>> (word & 0x80_0000 == 0 ? 24 : 32)) }
}
