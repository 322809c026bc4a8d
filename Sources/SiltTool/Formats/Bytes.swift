/// Borrowed bytes, such as a part of a line, a key or a value. The lender documents how long they are valid.
///
/// `RawSpan` lost: records and cursors keep bytes in fields, and functions return them, which spans permit only with
/// experimental features of the language. ``part(_:)`` checks its bounds. The subscript and ``word(at:)`` check them in
/// debug builds only, because readers compare each offset with the count before they load a byte.
@safe
struct Bytes: RandomAccessCollection {
    /// The bytes for a call that takes raw memory.
    let buffer: UnsafeRawBufferPointer

    @inline(__always)
    init(_ buffer: UnsafeRawBufferPointer) { unsafe self.buffer = unsafe buffer }

    @inline(__always)
    init(_ literal: StaticString) {
        unsafe self.init(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    @inline(__always)
    var startIndex: Int { 0 }

    @inline(__always)
    var endIndex: Int { unsafe buffer.count }

    @inline(__always)
    subscript(index: Int) -> UInt8 { unsafe buffer[index] }

    /// The bytes at some indices, as bytes with indices from 0 on.
    @inline(__always)
    func part(_ indices: some RangeExpression<Int>) -> Bytes {
        let range = indices.relative(to: self)
        precondition(range.lowerBound >= 0 && range.upperBound <= endIndex)
        return unsafe Bytes(UnsafeRawBufferPointer(rebasing: buffer[range]))
    }

    /// The bytes without a UTF-8 byte order mark at their start, which some editors write.
    var withoutByteOrderMark: Bytes { starts(with: [0xef, 0xbb, 0xbf]) ? part(3...) : self }

    /// The eight bytes from `offset` on, the first one as the lowest of the number.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        assert(offset >= 0 && offset + 8 <= endIndex)
        return unsafe UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
        try unsafe buffer.withContiguousStorageIfAvailable(body)
    }
}
