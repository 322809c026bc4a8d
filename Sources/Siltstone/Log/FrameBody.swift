/// A payload that can be written to its place without being put together first.
protocol FrameBody {
    /// Bytes of the payload.
    var length: Int { get }

    /// Writes all ``length`` bytes to `pointer`.
    func write(to pointer: UnsafeMutableRawPointer)

    /// Hands over the payload piece by piece, for frames that are too large to be copied.
    func forEachPart(_ body: (Bytes) throws(FileSystemError) -> Void) throws(FileSystemError)
}

/// One change, encoded on the way.
struct ChangeBody: FrameBody {
    let kind: RecordKind
    let key: Bytes
    let value: Bytes

    @inline(__always)
    var length: Int { ChangeEncoding.size(key: key.count, value: value.count) }

    @inline(__always)
    func write(to pointer: UnsafeMutableRawPointer) {
        ChangeEncoding.write(kind, key: key, value: value, to: pointer)
    }

    func forEachPart(_ body: (Bytes) throws(FileSystemError) -> Void) throws(FileSystemError) {
        let prefix = MutableBytes.allocate(byteCount: ChangeEncoding.greatestPrefix, alignment: 1)
        defer { prefix.deallocate() }
        let end = ChangeEncoding.writePrefix(kind, key: key.count, value: value.count, to: prefix.start)
        try body(prefix[..<(end - prefix.start)].bytes)
        try body(key)
        try body(value)
    }
}

/// A payload that is there already.
struct WholeBody: FrameBody {
    let payload: Bytes

    @inline(__always)
    var length: Int { payload.count }

    @inline(__always)
    func write(to pointer: UnsafeMutableRawPointer) {
        if let base = payload.baseAddress { pointer.copyMemory(from: base, byteCount: payload.count) }
    }

    func forEachPart(_ body: (Bytes) throws(FileSystemError) -> Void) throws(FileSystemError) { try body(payload) }
}
