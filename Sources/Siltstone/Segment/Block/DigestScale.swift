/// A digest is an abbreviated key: a 16-bit order-preserving code of a key of the block (`Docs/Format.md`, "Digests").
/// A scale holds the parameters of this code for one block.
///
/// All keys of the block share a prefix of `skip` bytes. The 8 bytes after the shared prefix form a big-endian integer.
/// The digest is (integer - base) >> shift. `base` comes from the first key; `shift` fits the range up to the last key
/// into 16 bits. If two digests differ, they order as the keys do. If they are equal, compare the full keys.
struct DigestScale: Hashable {
    /// Length of the prefix that all keys of the block share, in bytes. At most 65,535.
    var skip: Int
    /// Bits by which the difference to ``base`` is shifted right.
    var shift: Int
    /// ``SearchKey/digest(after:)`` of the first key.
    var base: UInt64

    /// Offset of the scale in a block's header.
    private static let offset = 8

    /// Computes the scale of a block.
    /// - Parameters:
    ///   - first: the key of its first record.
    ///   - last: the key of its last record.
    /// - Complexity: O(length of their shared prefix)
    init(first: SearchKey, last: SearchKey) {
        skip = min(first.commonPrefix(with: last), Int(UInt16.max))
        base = first.digest(after: skip)
        // A corrupt block may have unordered keys. The subtraction then wraps.
        let range = last.digest(after: skip) &- base
        shift = max(0, UInt64.bitWidth - range.leadingZeroBitCount - UInt16.bitWidth)
    }

    /// Reads the scale from a block's header. The values are not validated.
    @inline(__always)
    init(_ block: Bytes) {
        skip = Int(block.uncheckedInteger(at: Self.offset, as: UInt16.self))
        shift = Int(block.uncheckedInteger(at: Self.offset &+ 2, as: UInt8.self))
        base = block.uncheckedInteger(at: Self.offset &+ 8)
    }

    /// Writes the scale into the header of a block.
    func write(to block: MutableBytes) {
        block.store(UInt16(truncatingIfNeeded: skip), at: Self.offset)
        block.store(UInt16(truncatingIfNeeded: shift), at: Self.offset + 2)  // one byte, then a zero
        block.store(UInt32(0), at: Self.offset + 4)
        block.store(base, at: Self.offset + 8)
    }

    /// True if the unused bytes of the scale in a block's header are zeros.
    static func hasZeros(_ block: Bytes) -> Bool {
        block.integer(at: offset + 3, as: UInt8.self) == 0 && block.integer(at: offset + 4, as: UInt32.self) == 0
    }

    /// The digest of a key of the block.
    @inline(__always)
    func digest(of key: SearchKey) -> UInt16 { UInt16(truncatingIfNeeded: place(of: key.digest(after: skip))) }

    /// The digest before it is cut to 16 bits. A result above 65,535 means that the key is larger than all keys of the
    /// block.
    /// - Parameter bytes: the key's eight bytes after the prefix, as ``SearchKey/digest(after:)`` returns them. Must
    ///   not be smaller than ``base``.
    @inline(__always)
    func place(of bytes: UInt64) -> UInt64 { (bytes &- base) &>> UInt64(truncatingIfNeeded: shift) }
}
