/// Borrowed bytes: a key, a value, a block. Valid only as long as whoever lent them says.
typealias Bytes = UnsafeRawBufferPointer

/// The order of keys: unsigned bytes, a prefix before what it begins.
/// - Returns: below zero, zero or above zero as `a` comes before, is, or comes after `b`.
@inline(__always)
func compareKeys(_ a: Bytes, _ b: Bytes) -> Int {
    let shorter = min(a.count, b.count)
    if shorter > 0, let left = a.baseAddress, let right = b.baseAddress {
        let order = compareMemory(left, right, shorter)
        if order != 0 { return order }
    }
    return a.count &- b.count
}

/// The order of ``compareKeys(_:_:)``, found out in place, eight bytes at a time: where keys are short and in the caches,
/// the call of the C library's comparison costs more than what it does.
@inline(__always)
func compareKeysByWords(_ a: Bytes, _ b: Bytes) -> Int {
    let shorter = min(a.count, b.count)
    guard shorter > 0, let left = a.baseAddress, let right = b.baseAddress else { return a.count &- b.count }
    if shorter < 8 {
        let order = compareMemory(left, right, shorter)
        return order != 0 ? order : a.count &- b.count
    }
    var offset = 0
    while offset < shorter {
        // The last eight may begin with some that are known to be the same: cheaper than a call for a few.
        let place = min(offset, shorter &- 8)
        let one = left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        let other = right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        if one != other { return UInt64(bigEndian: one) < UInt64(bigEndian: other) ? -1 : 1 }
        offset &+= 8
    }
    return a.count &- b.count
}

/// Whether two keys are the same bytes.
@inline(__always)
func keysEqual(_ a: Bytes, _ b: Bytes) -> Bool {
    guard a.count == b.count else { return false }
    guard a.count > 0, let left = a.baseAddress, let right = b.baseAddress else { return true }
    return compareMemory(left, right, a.count) == 0
}

extension UnsafeRawBufferPointer {
    /// An empty range of bytes with an address, so that no caller has to unwrap one.
    static var emptyBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 8), count: 0)
    }

    /// The part `[offset, offset + count)`, or nil where that is not inside.
    @inline(__always)
    func slice(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer? {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count &- offset else { return nil }
        guard let baseAddress else { return .emptyBytes }
        return UnsafeRawBufferPointer(start: baseAddress + offset, count: count)
    }

    /// A little-endian integer at `offset`, or nil where it is not wholly inside.
    @inline(__always)
    func integer<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type = T.self) -> T? {
        guard offset >= 0, MemoryLayout<T>.size <= count, offset <= count &- MemoryLayout<T>.size else { return nil }
        // By the pointer: the buffer would check the bounds once more, which in a debug build takes three times as long.
        return T(littleEndian: baseAddress.unsafelyUnwrapped.loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes of a range are zero.
    ///
    /// The first byte is, and each is as the one before it: so the C library's comparison does it, many bytes at a time,
    /// and stops at the first that is not.
    /// - Complexity: O(*n*).
    package func isZero(_ range: Range<Int>) -> Bool {
        guard let bytes = slice(range.lowerBound, range.count), let first = bytes.first else { return true }
        guard first == 0, let base = bytes.baseAddress else { return false }
        return bytes.count == 1 || compareMemory(base, base + 1, bytes.count - 1) == 0
    }
}

extension UnsafeMutableRawPointer {
    /// Stores `value` little-endian at `offset`, at any alignment.
    @inline(__always)
    func store<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }
}

extension Array where Element == UInt8 {
    /// Appends `value` little-endian.
    mutating func append<T: FixedWidthInteger>(integer value: T) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends `value` as a ``Varint``.
    mutating func append(varint value: UInt64) {
        var value = value
        while value >= 0x80 {
            append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends a length as a ``Varint``, then the bytes.
    mutating func append(counted bytes: some Collection<UInt8>) {
        append(varint: UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}

/// Reads a sequence of fields from borrowed bytes; every read is checked, and a failed one is nil.
struct ByteReader {
    private(set) var offset = 0
    let bytes: Bytes

    init(_ bytes: Bytes) { self.bytes = bytes }

    var isAtEnd: Bool { offset >= bytes.count }

    mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self) -> T? {
        guard let value: T = bytes.integer(at: offset) else { return nil }
        offset += MemoryLayout<T>.size
        return value
    }

    mutating func varint() -> UInt64? { Varint.read(bytes, at: &offset) }

    /// A varint that must fit a non-negative `Int`.
    mutating func length() -> Int? { varint().flatMap { Int(exactly: $0) } }

    mutating func take(_ count: Int) -> Bytes? {
        guard let part = bytes.slice(offset, count) else { return nil }
        offset += count
        return part
    }

    /// Bytes that follow their length.
    mutating func counted() -> Bytes? {
        guard let count = length() else { return nil }
        return take(count)
    }
}
