/// A key in the form that searches compare.
struct SearchKey: BitwiseCopyable {
    let bytes: Bytes

    @inline(__always)
    init(_ bytes: Bytes) { self.bytes = bytes }

    @inline(__always)
    var count: Int { bytes.count }

    /// Returns the eight bytes after the first `skip` as a big-endian number, padded with zeros if the key ends
    /// earlier.
    ///
    /// For keys with the same first `skip` bytes, digests sort as the keys do, except that different keys may have the
    /// same digest.
    @inline(__always)
    func digest(after skip: Int) -> UInt64 {
        let left = count &- skip
        if left >= 8 { return UInt64(bigEndian: word(skip)) }
        if left <= 0 { return 0 }
        return shortDigest(left)
    }

    /// Returns the digest of the last `left` bytes, 1 to 7.
    @inline(__always)
    private func shortDigest(_ left: Int) -> UInt64 {
        if count >= 8 {
            let last = UInt64(bigEndian: word(count &- 8))
            return last &<< UInt64(truncatingIfNeeded: 8 &* (8 &- left))
        }
        var digest: UInt64 = 0
        for index in 0..<left {
            let byte: UInt8 = bytes.uncheckedInteger(at: count &- left &+ index)
            digest |= UInt64(byte) &<< UInt64(truncatingIfNeeded: 56 &- 8 &* index)
        }
        return digest
    }

    /// Returns true if the key equals these bytes. From 8 to 32 bytes are compared inline, because the call of the C
    /// library's comparison costs more than its work there.
    @inline(__always)
    func isEqual(to other: Bytes) -> Bool {
        guard other.count == count else { return false }
        if count >= 8, count <= 16 { return difference(other, 0) | difference(other, count &- 8) == 0 }
        if count > 16, count <= 32 {
            let front = difference(other, 0) | difference(other, 8)
            return front | difference(other, count &- 16) | difference(other, count &- 8) == 0
        }
        return keysEqual(bytes, other)
    }

    /// Returns the differing bits of eight bytes of the key and of another one at an offset.
    @inline(__always)
    private func difference(_ other: Bytes, _ offset: Int) -> UInt64 {
        word(offset) ^ other.uncheckedLoad(at: offset, as: UInt64.self)
    }

    @inline(__always)
    private func word(_ offset: Int) -> UInt64 { bytes.uncheckedLoad(at: offset, as: UInt64.self) }

    /// Compares this key with another one, as ``compareKeys(_:_:)``.
    @inline(__always)
    func compare(to other: SearchKey) -> Int { compareKeys(bytes, other.bytes) }

    /// Returns the first bytes of the key, at most `length`.
    @inline(__always)
    func prefix(_ length: Int) -> SearchKey { SearchKey(bytes.uncheckedSlice(0, min(count, length))) }

    /// Returns true if the key starts with another one.
    @inline(__always)
    func hasPrefix(_ other: SearchKey) -> Bool { count >= other.count && other.isEqual(to: prefix(other.count).bytes) }

    /// Returns the length of the common prefix, in bytes.
    func commonPrefix(with other: SearchKey) -> Int {
        let limit = min(count, other.count)
        var index = 0
        while index < limit,
            bytes.uncheckedInteger(at: index, as: UInt8.self) == other.bytes.uncheckedInteger(at: index, as: UInt8.self)
        {
            index &+= 1
        }
        return index
    }
}
