/// Unsigned LEB128: seven bits a byte, the low ones first, the high bit set on all but the last byte.
///
/// The encoding of protocol buffers and LevelDB; at most ten bytes for 64 bits.
enum Varint {
    /// Bytes that `value` takes.
    @inline(__always)
    static func size(_ value: UInt64) -> Int {
        value < 0x80 ? 1 : (70 &- value.leadingZeroBitCount) / 7
    }

    /// Reads a value at `offset` of `bytes` and moves `offset` behind it; nil where it is cut off or over 64 bits.
    @inline(__always)
    static func read(_ bytes: Bytes, at offset: inout Int) -> UInt64? {
        guard offset >= 0, offset < bytes.count else { return nil }
        let first: UInt8 = bytes.uncheckedInteger(at: offset)
        if first < 0x80 {
            offset &+= 1
            return UInt64(first)
        }
        // Two bytes without a call: the index of a segment has such a length for each block, and opening reads them all.
        if offset &+ 1 < bytes.count {
            let second: UInt8 = bytes.uncheckedInteger(at: offset &+ 1)
            if second < 0x80 {
                offset &+= 2
                return UInt64(first & 0x7f) | UInt64(second) &<< 7
            }
        }
        return readLong(bytes, at: &offset)
    }

    private static func readLong(_ bytes: Bytes, at offset: inout Int) -> UInt64? {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        var position = offset
        while position < bytes.count, shift < 70 {
            let byte = bytes[position]
            position += 1
            if shift == 63, byte > 1 { return nil }
            result |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 {
                offset = position
                return result
            }
            shift += 7
        }
        return nil
    }

    /// The value that `word` begins with, its lowest byte first; what comes behind its end does not matter.
    /// - Precondition: it ends in `word`. Else the result means nothing.
    @inline(__always)
    static func value(_ word: UInt64) -> UInt64 {
        // Up to the first byte without the mark.
        let stop = UInt64(truncatingIfNeeded: (~word & 0x8080_8080_8080_8080).trailingZeroBitCount)
        let digits = word & ((2 &<< stop) &- 1)
        // Groups of seven bits, of 14, of 28.
        let pairs = (digits & 0x007f_007f_007f_007f) | ((digits & 0x7f00_7f00_7f00_7f00) &>> 1)
        let fours = (pairs & 0x0000_3fff_0000_3fff) | ((pairs & 0x3fff_0000_3fff_0000) &>> 2)
        return (fours & 0x0fff_ffff) | ((fours &>> 4) & 0xff_ffff_f000_0000)
    }
}
