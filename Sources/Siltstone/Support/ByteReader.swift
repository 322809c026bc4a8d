/// Reads a sequence of fields from borrowed bytes. Every read is checked, and returns nil if the bytes are too few.
/// Integers are little-endian.
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

    /// Reads a varint that must fit a non-negative `Int`.
    mutating func length() -> Int? { varint().flatMap { Int(exactly: $0) } }

    /// Reads `count` bytes, which are valid as long as the reader's.
    mutating func take(_ count: Int) -> Bytes? {
        guard let part = bytes.slice(offset, count) else { return nil }
        offset += count
        return part
    }

    /// Reads a length and that many bytes.
    mutating func counted() -> Bytes? { length().flatMap { take($0) } }
}
