/// Borrowed bytes that may be written. Like ``Bytes``, they are valid only as long as their owner states.
///
/// `@unchecked Sendable`: the owner states which thread may access them when.
@safe
struct MutableBytes: @unchecked Sendable {
    /// The address of the first byte; an arbitrary one if there are no bytes.
    let start: UnsafeMutableRawPointer
    let count: Int

    /// Creates bytes from an address and a count.
    /// - Parameter start: may be nil if `count` is 0.
    @inline(__always)
    init(start: UnsafeMutableRawPointer?, count: Int) {
        unsafe assert(count >= 0 && (start != nil || count == 0))
        unsafe self.start = unsafe start ?? UnsafeMutableRawPointer(bitPattern: 8).unsafelyUnwrapped
        self.count = count
    }

    /// Creates bytes from a buffer.
    @inline(__always)
    init(_ buffer: UnsafeMutableRawBufferPointer) { unsafe self.init(start: buffer.baseAddress, count: buffer.count) }

    /// Allocates undefined bytes, which are valid until ``deallocate()``.
    static func allocate(byteCount: Int, alignment: Int) -> MutableBytes {
        unsafe MutableBytes(.allocate(byteCount: byteCount, alignment: alignment))
    }

    /// Frees bytes from ``allocate(byteCount:alignment:)``.
    func deallocate() { unsafe start.deallocate() }

    /// Replaces allocated bytes by more, and keeps the first `kept` ones.
    @inline(never)
    mutating func grow(to byteCount: Int, keeping kept: Int = 0, alignment: Int) {
        let larger = MutableBytes.allocate(byteCount: byteCount, alignment: alignment)
        larger.copyMemory(from: self[..<kept].bytes)
        deallocate()
        self = larger
    }

    /// The same bytes, for reading.
    @inline(__always)
    var bytes: Bytes { unsafe Bytes(start: start, count: count) }

    /// The bytes as a buffer, for the standard library and the C library.
    @inline(__always)
    var buffer: UnsafeMutableRawBufferPointer { unsafe UnsafeMutableRawBufferPointer(start: start, count: count) }

    /// A part of the bytes; its indices start at 0 again.
    @inline(__always)
    subscript(range: Range<Int>) -> MutableBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return unsafe MutableBytes(start: start + range.lowerBound, count: range.count)
    }

    /// All bytes but the first `lowerBound`.
    @inline(__always)
    subscript(range: PartialRangeFrom<Int>) -> MutableBytes { self[range.lowerBound..<count] }

    /// The first `upperBound` bytes.
    @inline(__always)
    subscript(range: PartialRangeUpTo<Int>) -> MutableBytes { self[0..<range.upperBound] }

    /// The first `length` bytes, or all if there are fewer.
    @inline(__always)
    func prefix(_ length: Int) -> MutableBytes { unsafe MutableBytes(start: start, count: Swift.min(length, count)) }

    /// Copies bytes to the start.
    /// - Precondition: they fit.
    @inline(__always)
    func copyMemory(from source: Bytes) {
        precondition(source.count <= count)
        unsafe start.copyMemory(from: source.start, byteCount: source.count)
    }

    /// Copies bytes to the start.
    /// - Precondition: they fit.
    func copyBytes(from source: [UInt8]) { source.withBytes { copyMemory(from: $0) } }

    /// Sets all bytes to one value.
    @inline(__always)
    func fill(with byte: UInt8) { unsafe fillMemory(buffer, with: byte) }

    /// Returns a part that does not exceed the bytes; only debug builds check that.
    @inline(__always)
    func uncheckedSlice(_ offset: Int, _ count: Int) -> MutableBytes {
        assert(offset >= 0 && count >= 0 && offset <= self.count && count <= self.count &- offset)
        return unsafe MutableBytes(start: start + offset, count: count)
    }

    /// Copies bytes that fit to the start; only debug builds check that they fit.
    @inline(__always)
    func uncheckedCopy(from source: Bytes) {
        assert(source.count <= count)
        unsafe start.copyMemory(from: source.start, byteCount: source.count)
    }

    /// Stores an integer, little-endian, at any offset where it fits; only debug builds check that.
    @inline(__always)
    func uncheckedStore<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        assert(offset >= 0 && MemoryLayout<T>.size <= count && offset <= count &- MemoryLayout<T>.size)
        unsafe start.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }

    /// Stores an integer, little-endian, at any offset.
    /// - Precondition: it fits.
    @inline(__always)
    func store<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        precondition(offset >= 0 && MemoryLayout<T>.size <= count && offset <= count &- MemoryLayout<T>.size)
        unsafe start.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }
}

extension Array where Element == UInt8 {
    /// Runs `body` on the writable bytes of the array, which are valid until it returns.
    mutating func withMutableBytes<R, E: Error>(_ body: (MutableBytes) throws(E) -> R) throws(E) -> R {
        // The standard library's function rethrows untyped errors, so the typed error travels in a result.
        let result = unsafe withUnsafeMutableBytes { buffer in
            Result { () throws(E) in try unsafe body(MutableBytes(buffer)) }
        }
        return try result.get()
    }
}
