/// Unsigned LEB128: seven bits in a byte, the low ones first, the high bit set on all but the last byte.
///
/// The encoding of protocol buffers and LevelDB; at most ten bytes for 64 bits.
enum Varint {
    /// Returns the number of bytes that `value` takes.
    @inline(__always)
    static func size(_ value: UInt64) -> Int {
        value < 0x80 ? 1 : (70 &- value.leadingZeroBitCount) / 7
    }

    /// Reads a value at `offset` of `bytes` and moves `offset` after it; nil if the value is cut off or exceeds 64
    /// bits.
    @inline(__always)
    static func read(_ bytes: Bytes, at offset: inout Int) -> UInt64? {
        guard offset >= 0, offset < bytes.count else { return nil }
        let first: UInt8 = bytes.uncheckedInteger(at: offset)
        if first < 0x80 {
            offset &+= 1
            return UInt64(first)
        }
        // Two bytes are read without a call, because block lengths usually take two bytes, and opening decodes all of
        // them.
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

    /// Returns the value that is encoded at the start of `word`, lowest byte first. Bytes after its end are ignored.
    /// - Precondition: the encoding ends in `word`. Otherwise the result is meaningless.
    @inline(__always)
    static func value(_ word: UInt64) -> UInt64 {
        // All bits up to the end of the first byte without the continuation bit.
        let stop = UInt64(truncatingIfNeeded: (~word & 0x8080_8080_8080_8080).trailingZeroBitCount)
        let digits = word & ((2 &<< stop) &- 1)
        // Joins groups of seven bits to groups of 14, then of 28, then of 56.
        let pairs = (digits & 0x007f_007f_007f_007f) | ((digits & 0x7f00_7f00_7f00_7f00) &>> 1)
        let fours = (pairs & 0x0000_3fff_0000_3fff) | ((pairs & 0x3fff_0000_3fff_0000) &>> 2)
        return (fours & 0x0fff_ffff) | ((fours &>> 4) & 0xff_ffff_f000_0000)
    }
}
