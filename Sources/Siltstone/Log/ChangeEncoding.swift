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
    /// - Returns: the address behind them, where the key goes.
    @inline(__always)
    static func writePrefix(
        _ kind: RecordKind, key: Int, value: Int, to pointer: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        pointer.storeBytes(of: kind.rawValue, as: UInt8.self)
        return Varint.write(UInt64(value), to: Varint.write(UInt64(key), to: pointer + 1))
    }

    /// Writes a change to `pointer`, which must have room for ``size(key:value:)`` bytes.
    @inline(__always)
    static func write(_ kind: RecordKind, key: Bytes, value: Bytes, to pointer: UnsafeMutableRawPointer) {
        let keyPlace = writePrefix(kind, key: key.count, value: value.count, to: pointer)
        if let base = key.baseAddress { keyPlace.copyMemory(from: base, byteCount: key.count) }
        if let base = value.baseAddress { (keyPlace + key.count).copyMemory(from: base, byteCount: value.count) }
    }
}
