/// Borrowed bytes that may be written. Valid, like ``Bytes``, only as long as whoever lends them says.
///
/// `@unchecked Sendable`: whoever lends them says which thread may touch them when.
@safe
struct MutableBytes: @unchecked Sendable {
    /// The first byte's address; any, where there is none.
    let start: UnsafeMutableRawPointer
    let count: Int

    /// - Parameter start: may be nil where `count` is 0.
    @inline(__always)
    init(start: UnsafeMutableRawPointer?, count: Int) {
        unsafe assert(count >= 0 && (start != nil || count == 0))
        unsafe self.start = unsafe start ?? UnsafeMutableRawPointer(bitPattern: 8).unsafelyUnwrapped
        self.count = count
    }

    /// The bytes of a buffer.
    @inline(__always)
    init(_ buffer: UnsafeMutableRawBufferPointer) { unsafe self.init(start: buffer.baseAddress, count: buffer.count) }

    /// New bytes, undefined at first, until ``deallocate()``.
    static func allocate(byteCount: Int, alignment: Int) -> MutableBytes {
        unsafe MutableBytes(.allocate(byteCount: byteCount, alignment: alignment))
    }

    /// Frees what ``allocate(byteCount:alignment:)`` has made.
    func deallocate() { unsafe start.deallocate() }

    @inline(__always)
    var isEmpty: Bool { count == 0 }

    /// The same bytes, to be read.
    @inline(__always)
    var bytes: Bytes { unsafe Bytes(start: start, count: count) }

    /// The same for the standard library and the C library.
    @inline(__always)
    var buffer: UnsafeMutableRawBufferPointer { unsafe UnsafeMutableRawBufferPointer(start: start, count: count) }

    /// The first byte's address.
    @inline(__always)
    var baseAddress: UnsafeMutableRawPointer? { unsafe start }

    /// A part of the bytes, counted from 0 again.
    @inline(__always)
    subscript(range: Range<Int>) -> MutableBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return unsafe MutableBytes(start: start + range.lowerBound, count: range.count)
    }

    /// All but the first bytes.
    @inline(__always)
    subscript(range: PartialRangeFrom<Int>) -> MutableBytes { self[range.lowerBound..<count] }

    /// The first bytes.
    @inline(__always)
    subscript(range: PartialRangeUpTo<Int>) -> MutableBytes { self[0..<range.upperBound] }

    /// The first bytes, as many as there are.
    @inline(__always)
    func prefix(_ length: Int) -> MutableBytes { unsafe MutableBytes(start: start, count: Swift.min(length, count)) }

    /// Writes a copy of bytes to the beginning.
    /// - Precondition: they fit.
    @inline(__always)
    func copyMemory(from source: Bytes) {
        precondition(source.count <= count)
        unsafe start.copyMemory(from: source.start, byteCount: source.count)
    }

    /// Writes a copy of bytes to the beginning.
    /// - Precondition: they fit.
    func copyBytes(from source: [UInt8]) { source.withBytes { copyMemory(from: $0) } }

    /// Sets each byte.
    @inline(__always)
    func fill(with byte: UInt8) { unsafe fillMemory(buffer, with: byte) }

    /// A part, of which the caller knows that it is inside; only debug builds check.
    @inline(__always)
    func uncheckedSlice(_ offset: Int, _ count: Int) -> MutableBytes {
        assert(offset >= 0 && count >= 0 && offset <= self.count && count <= self.count &- offset)
        return unsafe MutableBytes(start: start + offset, count: count)
    }

    /// Writes a copy of bytes to the beginning, where the caller knows that they fit; only debug builds check.
    @inline(__always)
    func uncheckedCopy(from source: Bytes) {
        assert(source.count <= count)
        unsafe start.copyMemory(from: source.start, byteCount: source.count)
    }

    /// Writes an integer, little-endian, at any offset, where the caller knows that it fits; only debug builds check.
    @inline(__always)
    func uncheckedStore<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        assert(offset >= 0 && MemoryLayout<T>.size <= count && offset <= count &- MemoryLayout<T>.size)
        unsafe start.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }

    /// Writes an integer, little-endian, at any offset.
    /// - Precondition: it fits.
    @inline(__always)
    func store<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        precondition(offset >= 0 && MemoryLayout<T>.size <= count && offset <= count &- MemoryLayout<T>.size)
        unsafe start.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }
}

extension Array where Element == UInt8 {
    /// Lends the bytes of the array, to be written, until `body` returns.
    mutating func withMutableBytes<R, E: Error>(_ body: (MutableBytes) throws(E) -> R) throws(E) -> R {
        // The standard library rethrows any error, not this one: hence the result.
        let result = unsafe withUnsafeMutableBytes { buffer in
            Result { () throws(E) in try unsafe body(MutableBytes(buffer)) }
        }
        return try result.get()
    }
}
