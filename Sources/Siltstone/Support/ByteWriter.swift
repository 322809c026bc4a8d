/// Writes fields one after the other into borrowed bytes. The bytes must be large enough; only debug builds check this.
struct ByteWriter {
    private let bytes: MutableBytes
    /// Bytes written.
    private(set) var count = 0

    @inline(__always)
    init(_ bytes: MutableBytes) { self.bytes = bytes }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        bytes.uncheckedStore(byte, at: count)
        count &+= 1
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
    mutating func put(_ source: Bytes) {
        bytes.uncheckedSlice(count, source.count).uncheckedCopy(from: source)
        count &+= source.count
    }
}
