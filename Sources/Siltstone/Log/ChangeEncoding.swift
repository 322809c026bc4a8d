/// The encoding of one change in the payload of a batch frame (`Docs/Format.md`, "Changes").
///
/// A change stores no sequence number. The frame stores the number of its first change, and each further change has the
/// next number.
enum ChangeEncoding {
    /// Largest number of bytes before the key: the kind, and two varints of at most 10 bytes.
    static let greatestPrefix = 1 + 10 + 10

    /// Returns the size of an encoded change in bytes.
    /// - Parameters:
    ///   - key: bytes of the key.
    ///   - value: bytes of the value.
    @inline(__always)
    static func size(key: Int, value: Int) -> Int {
        1 &+ Varint.size(UInt64(key)) &+ Varint.size(UInt64(value)) &+ key &+ value
    }

    /// Writes the kind and the lengths.
    @inline(__always)
    static func writePrefix(_ kind: RecordKind, key: Int, value: Int, to writer: inout ByteWriter) {
        writer.put(kind.rawValue)
        writer.put(varint: UInt64(key))
        writer.put(varint: UInt64(value))
    }

    /// Writes a change to `bytes`, which must have at least ``size(key:value:)`` bytes.
    @inline(__always)
    static func write(_ kind: RecordKind, key: Bytes, value: Bytes, to bytes: MutableBytes) {
        var writer = ByteWriter(bytes)
        writePrefix(kind, key: key.count, value: value.count, to: &writer)
        writer.put(key)
        writer.put(value)
    }
}
