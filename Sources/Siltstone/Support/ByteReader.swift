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
