/// Writes fields one behind the other into borrowed bytes, which must have room for them; only debug builds check.
@safe
struct ByteWriter {
    private var next: UnsafeMutableRawPointer
    private let start: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer

    @inline(__always)
    init(_ bytes: MutableBytes) {
        start = bytes.start
        next = bytes.start
        end = bytes.start + bytes.count
    }

    /// Bytes written.
    @inline(__always)
    var count: Int { next - start }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        assert(next < end)
        next.storeBytes(of: byte, as: UInt8.self)
        next += 1
    }

    @inline(__always)
    mutating func put(varint value: UInt64) {
        var value = value
        while value >= 0x80 {
            put(UInt8(truncatingIfNeeded: value) | 0x80)
            value &>>= 7
        }
        put(UInt8(truncatingIfNeeded: value))
    }

    @inline(__always)
    mutating func put(_ bytes: Bytes) {
        assert(bytes.count <= end - next)
        next.copyMemory(from: bytes.start, byteCount: bytes.count)
        next += bytes.count
    }
}
