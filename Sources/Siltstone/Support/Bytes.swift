import CInstructions

/// Borrowed bytes: a key, a value, a block. An address and a count.
///
/// The function that returns or passes bytes states how long they are valid: until a closure returns, as long as a
/// reader, as long as a pin. Nobody may keep them longer; the compiler does not check that. Every access checks its
/// bounds, except those whose names begin with `unchecked`, which only debug builds check.
///
/// `RawSpan`, whose lifetime the compiler knows, cannot be stored in records, indexes and cursors, nor be returned by
/// functions, without experimental features of the language.
///
/// `@unchecked Sendable`: nobody writes the bytes while they are borrowed, so any thread may read them.
@safe @frozen @usableFromInline
struct Bytes: RandomAccessCollection, BitwiseCopyable, @unchecked Sendable {
    /// The address of the first byte; an arbitrary one if there are no bytes.
    @usableFromInline let start: UnsafeRawPointer
    @usableFromInline let count: Int

    /// Creates bytes from an address and a count.
    /// - Parameter start: may be nil if `count` is 0.
    @inlinable @inline(__always)
    init(start: UnsafeRawPointer?, count: Int) {
        unsafe assert(count >= 0 && (start != nil || count == 0))
        unsafe self.start = unsafe start ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
        self.count = count
    }

    /// Creates bytes from a buffer.
    @inlinable @inline(__always)
    init(_ buffer: UnsafeRawBufferPointer) { unsafe self.init(start: buffer.baseAddress, count: buffer.count) }

    /// Creates bytes from a slice; indices start at 0 again.
    @inlinable @inline(__always)
    init(rebasing part: Slice<Bytes>) {
        unsafe self.init(start: part.base.start + part.startIndex, count: part.endIndex &- part.startIndex)
    }

    /// No bytes.
    @inline(__always)
    static var emptyBytes: Bytes { unsafe Bytes(start: nil, count: 0) }

    /// The bytes as a buffer, for the standard library and the C library.
    @inlinable @inline(__always)
    var buffer: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

    @usableFromInline typealias Element = UInt8

    @inlinable @inline(__always)
    var startIndex: Int { 0 }
    @inlinable @inline(__always)
    var endIndex: Int { count }
    @inlinable @inline(__always)
    var indices: Range<Int> { unsafe Range(uncheckedBounds: (0, count)) }
    @inlinable @inline(__always)
    func index(after index: Int) -> Int { index &+ 1 }
    @inlinable @inline(__always)
    func index(before index: Int) -> Int { index &- 1 }

    @inlinable @inline(__always)
    subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count)
        return unsafe start.load(fromByteOffset: index, as: UInt8.self)
    }

    @inlinable @inline(__always)
    subscript(range: Range<Int>) -> Slice<Bytes> {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return Slice(base: self, bounds: range)
    }

    @inlinable @inline(__always)
    func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
        try unsafe buffer.withContiguousStorageIfAvailable(body)
    }

    /// Returns the part `[offset, offset + count)`, or nil if it exceeds the bytes.
    @inline(__always)
    func slice(_ offset: Int, _ count: Int) -> Bytes? {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count &- offset else { return nil }
        return unsafe Bytes(start: start + offset, count: count)
    }

    /// Returns the little-endian integer at `offset`, or nil if it exceeds the bytes.
    @inline(__always)
    func integer<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type = T.self) -> T? {
        guard offset >= 0, MemoryLayout<T>.size <= count, offset <= count &- MemoryLayout<T>.size else { return nil }
        return unsafe T(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// Returns the little-endian integer at `offset`. The caller knows that it does not exceed the bytes.
    @inline(__always)
    func uncheckedInteger<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type = T.self) -> T {
        T(littleEndian: uncheckedLoad(at: offset, as: T.self))
    }

    /// Returns a value in the processor's byte order at `offset`. The caller knows that it does not exceed the bytes.
    @inline(__always)
    func uncheckedLoad<T: BitwiseCopyable>(at offset: Int, as type: T.Type) -> T {
        assert(offset >= 0 && MemoryLayout<T>.size <= count && offset <= count &- MemoryLayout<T>.size)
        return unsafe start.loadUnaligned(fromByteOffset: offset, as: T.self)
    }

    /// Compares the first 16 bytes with `byte` at once. The caller knows that there are 16.
    /// - Returns: bit i is set if byte i is the same.
    @inline(__always)
    func uncheckedPlaces(of byte: UInt8) -> UInt32 {
        assert(count >= 16)
        return unsafe siltstone_find_byte(start, byte)
    }

    /// Returns the part `[offset, offset + count)`. The caller knows that it does not exceed the bytes.
    @inline(__always)
    func uncheckedSlice(_ offset: Int, _ count: Int) -> Bytes {
        assert(offset >= 0 && count >= 0 && offset <= self.count && count <= self.count &- offset)
        return unsafe Bytes(start: start + offset, count: count)
    }

    /// Compares the first `length` bytes of two in lexicographical order, each byte as an unsigned number. The caller knows
    /// that both have that many.
    /// - Returns: a negative number, zero, or a positive one.
    @inline(__always)
    static func uncheckedCompare(_ one: Bytes, _ other: Bytes, first length: Int) -> Int {
        assert(length <= one.count && length <= other.count)
        return unsafe compareMemory(one.start, other.start, length)
    }

    /// Returns true if all bytes of a range are zero; true for an empty range, false for one that exceeds the
    /// bytes.
    ///
    /// It checks that the first byte is zero and that each byte equals the one before. So the C library's comparison
    /// does the work, many bytes at a time, and stops at the first difference.
    /// - Complexity: O(*n*) in the bytes of the range.
    func isZero(_ range: Range<Int>) -> Bool {
        guard let bytes = slice(range.lowerBound, range.count) else { return false }
        guard let first = bytes.first else { return true }
        guard first == 0 else { return false }
        return unsafe bytes.count == 1 || compareMemory(bytes.start, bytes.start + 1, bytes.count - 1) == 0
    }
}

extension Array where Element == UInt8 {
    /// Creates a copy of bytes.
    @inline(__always)
    init(_ bytes: Bytes) { unsafe self.init(bytes.buffer) }

    /// Appends a copy of bytes.
    @inline(__always)
    mutating func append(contentsOf bytes: Bytes) { unsafe append(contentsOf: bytes.buffer) }

    /// Runs `body` on the bytes of the array, which are valid until it returns.
    @inlinable @inline(__always)
    func withBytes<R, E: Error>(_ body: (Bytes) throws(E) -> R) throws(E) -> R {
        try unsafe span.withUnsafeBytes { buffer throws(E) in try unsafe body(Bytes(buffer)) }
    }

    /// Appends `value` little-endian.
    mutating func append<T: FixedWidthInteger>(integer value: T) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
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

extension RawSpan {
    /// The bytes, valid as long as the span. For a function whose caller keeps the span alive. ``withBytes(_:)`` would
    /// cost a point read 14 instructions more, because its closure returns the result through memory.
    @inline(__always)
    var bytes: Bytes { unsafe withUnsafeBytes { unsafe Bytes($0) } }

    /// Runs `body` on the bytes of the span, which are valid until it returns.
    @inlinable @inline(__always)
    func withBytes<R, E: Error>(_ body: (Bytes) throws(E) -> R) throws(E) -> R {
        try unsafe withUnsafeBytes { buffer throws(E) in try unsafe body(Bytes(buffer)) }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns true if all bytes of a range are zero.
    package func isZero(_ range: Range<Int>) -> Bool { unsafe Bytes(self).isZero(range) }
}
