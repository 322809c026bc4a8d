/// The encoding of one change in the payload of a batch frame (`Docs/Format.md`, "Changes").
///
/// A change has no sequence number of its own: the frame holds the first one, and they count up.
enum ChangeEncoding {
    /// Bytes before the key at most: the kind and two lengths.
    static let greatestPrefix = 1 + 10 + 10

    /// Bytes of the encoding of a change.
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

    /// Writes a change to `bytes`, which must have room for ``size(key:value:)`` bytes.
    @inline(__always)
    static func write(_ kind: RecordKind, key: Bytes, value: Bytes, to bytes: MutableBytes) {
        var writer = ByteWriter(bytes)
        writePrefix(kind, key: key.count, value: value.count, to: &writer)
        writer.put(key)
        writer.put(value)
    }
}
