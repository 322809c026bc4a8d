/// A payload that is encoded at its destination, without a buffer of its own.
protocol FrameBody {
    /// Bytes of the payload.
    var length: Int { get }

    /// Writes all ``length`` bytes to the start of `bytes`.
    func write(to bytes: MutableBytes)

    /// Passes the payload to `body` in parts, in order, for frames that are too large to copy.
    func forEachPart(_ body: (Bytes) throws(FileSystemError) -> Void) throws(FileSystemError)
}

/// One change, encoded while it is written.
struct ChangeBody: FrameBody {
    let kind: RecordKind
    let key: Bytes
    let value: Bytes

    @inline(__always)
    var length: Int { ChangeEncoding.size(key: key.count, value: value.count) }

    @inline(__always)
    func write(to bytes: MutableBytes) {
        ChangeEncoding.write(kind, key: key, value: value, to: bytes)
    }

    func forEachPart(_ body: (Bytes) throws(FileSystemError) -> Void) throws(FileSystemError) {
        let prefix = MutableBytes.allocate(byteCount: ChangeEncoding.greatestPrefix, alignment: 1)
        defer { prefix.deallocate() }
        var writer = ByteWriter(prefix)
        ChangeEncoding.writePrefix(kind, key: key.count, value: value.count, to: &writer)
        try body(prefix[..<writer.count].bytes)
        try body(key)
        try body(value)
    }
}

/// A payload that exists already.
struct WholeBody: FrameBody {
    let payload: Bytes

    @inline(__always)
    var length: Int { payload.count }

    @inline(__always)
    func write(to bytes: MutableBytes) { bytes.copyMemory(from: payload) }

    func forEachPart(_ body: (Bytes) throws(FileSystemError) -> Void) throws(FileSystemError) { try body(payload) }
}
