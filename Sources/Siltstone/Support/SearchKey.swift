/// A key as searches compare it: ``Bytes`` whose address is never missing.
struct SearchKey {
    let address: UnsafeRawPointer
    let count: Int

    @inline(__always)
    init(address: UnsafeRawPointer, count: Int) {
        self.address = address
        self.count = count
    }

    @inline(__always)
    init(_ bytes: Bytes) {
        // An empty buffer may have no address; any readable one will do, as nothing is read.
        self.init(address: bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped, count: bytes.count)
    }

    /// The eight bytes behind the first `skip` as a big-endian number, zeros where the key ends earlier.
    ///
    /// For keys that agree in their first `skip` bytes its order is theirs, but that two keys may have the same.
    @inline(__always)
    func digest(after skip: Int) -> UInt64 {
        let left = count &- skip
        if left >= 8 { return UInt64(bigEndian: address.loadUnaligned(fromByteOffset: skip, as: UInt64.self)) }
        if left <= 0 { return 0 }
        return shortDigest(left)
    }

    /// The digest of the last `left` bytes, 1 to 7.
    @inline(__always)
    private func shortDigest(_ left: Int) -> UInt64 {
        if count >= 8 {
            let last = UInt64(bigEndian: address.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
            return last &<< UInt64(truncatingIfNeeded: 8 &* (8 &- left))
        }
        var digest: UInt64 = 0
        for index in 0..<left {
            let byte = address.load(fromByteOffset: count &- left &+ index, as: UInt8.self)
            digest |= UInt64(byte) &<< UInt64(truncatingIfNeeded: 56 &- 8 &* index)
        }
        return digest
    }

    @inline(__always)
    var bytes: Bytes { Bytes(start: address, count: count) }

    /// Whether the key is these bytes. In place from 8 up to 32 of them, for there the call of the C library's comparison
    /// costs more than what it does.
    @inline(__always)
    func isEqual(to other: Bytes) -> Bool {
        guard other.count == count, let start = other.baseAddress else { return count == 0 && other.count == 0 }
        if count >= 8, count <= 16 { return difference(start, 0) | difference(start, count &- 8) == 0 }
        if count > 16, count <= 32 {
            let front = difference(start, 0) | difference(start, 8)
            return front | difference(start, count &- 16) | difference(start, count &- 8) == 0
        }
        return compareMemory(address, start, count) == 0
    }

    /// The bits in which eight bytes of the key differ from those at another address.
    @inline(__always)
    private func difference(_ other: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        word(offset) ^ other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    @inline(__always)
    private func word(_ offset: Int) -> UInt64 { address.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }

    /// Orders this key against another, as ``compareKeys(_:_:)``.
    @inline(__always)
    func compare(to other: SearchKey) -> Int {
        let order = compareMemory(address, other.address, count < other.count ? count : other.count)
        return order != 0 ? order : count &- other.count
    }

    /// The first bytes of the key, at most `length`.
    @inline(__always)
    func prefix(_ length: Int) -> SearchKey { SearchKey(address: address, count: count < length ? count : length) }

    /// Whether the key begins with another one.
    @inline(__always)
    func hasPrefix(_ other: SearchKey) -> Bool { count >= other.count && other.isEqual(to: prefix(other.count).bytes) }

    /// How many bytes the keys have in common at their start.
    func commonPrefix(with other: SearchKey) -> Int {
        let limit = min(count, other.count)
        var index = 0
        while index < limit,
            address.load(fromByteOffset: index, as: UInt8.self)
                == other.address.load(fromByteOffset: index, as: UInt8.self)
        {
            index &+= 1
        }
        return index
    }
}
