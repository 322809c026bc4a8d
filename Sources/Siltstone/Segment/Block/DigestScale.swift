/// How the 16-bit digests of a block are made of its keys (`Docs/Format.md`, "Digests").
///
/// All keys of the block begin with the same `skip` bytes. The eight behind those are a number, and where it lies
/// between that of the first key and that of the last one is the digest: so its 16 bits are spent on where the keys of
/// this block differ. Digests that differ order the keys; those that are the same say nothing.
struct DigestScale: Hashable {
    /// Bytes that all keys of the block begin with, as far as 16 bits count them.
    var skip: Int
    /// Logarithm of the step from one digest to the next.
    var shift: Int
    /// ``SearchKey/digest(after:)`` of the first key.
    var base: UInt64

    /// Where in a block's header it begins.
    private static let offset = 8

    /// The scale of a block.
    /// - Parameters:
    ///   - first: the key of its first record.
    ///   - last: the key of its last record.
    /// - Complexity: O(length of what they have in common)
    init(first: SearchKey, last: SearchKey) {
        skip = min(first.commonPrefix(with: last), Int(UInt16.max))
        base = first.digest(after: skip)
        // Wraps only where the keys are out of order, as wrong blocks may have them.
        let range = last.digest(after: skip) &- base
        shift = max(0, UInt64.bitWidth - range.leadingZeroBitCount - UInt16.bitWidth)
    }

    /// What a block's header says; nothing of it is proved.
    @inline(__always)
    init(_ block: Bytes) {
        skip = Int(block.uncheckedInteger(at: Self.offset, as: UInt16.self))
        shift = Int(block.uncheckedInteger(at: Self.offset &+ 2, as: UInt8.self))
        base = block.uncheckedInteger(at: Self.offset &+ 8)
    }

    /// Writes it into the header of a block.
    func write(to block: MutableBytes) {
        block.store(UInt16(truncatingIfNeeded: skip), at: Self.offset)
        block.store(UInt16(truncatingIfNeeded: shift), at: Self.offset + 2)  // and a zero
        block.store(UInt32(0), at: Self.offset + 4)
        block.store(base, at: Self.offset + 8)
    }

    /// Whether the bytes of a block's header that say nothing are zeros.
    static func hasZeros(_ block: Bytes) -> Bool {
        block.integer(at: offset + 3, as: UInt8.self) == 0 && block.integer(at: offset + 4, as: UInt32.self) == 0
    }

    /// The digest of one of the block's keys.
    @inline(__always)
    func digest(of key: SearchKey) -> UInt16 { UInt16(truncatingIfNeeded: place(of: key.digest(after: skip))) }

    /// The digest, not cut to 16 bits, of a key with these eight bytes behind the ``skip``; they must not be below the
    /// ``base``.
    @inline(__always)
    func place(of bytes: UInt64) -> UInt64 { (bytes &- base) &>> UInt64(truncatingIfNeeded: shift) }
}
