/// Bytes on the heap, freed with the last reference: a block that was read, a page of an index.
///
/// Whoever makes one fills it before anyone else sees it; from then on it is only read.
final class HeapBytes: Sendable {
    let buffer: MutableBytes

    var bytes: Bytes { buffer.bytes }

    /// - Parameter count: bytes, whose values are not set.
    init(count: Int) { buffer = .allocate(byteCount: count, alignment: 64) }

    /// A copy of `bytes`.
    convenience init(copying bytes: [UInt8]) {
        self.init(count: bytes.count)
        buffer.copyBytes(from: bytes)
    }

    deinit {
        // In debug builds: whoever still looks at bytes that nobody keeps shall see it at once.
        assert(scribble())
        buffer.deallocate()
    }

    private func scribble() -> Bool {
        buffer.fill(with: 0xdb)
        return true
    }

    /// Reads `count` bytes of `file`.
    /// - Throws: ``StoreError/Code/corrupt`` where the file ends before.
    static func read(_ file: any File, offset: Int, count: Int) throws(StoreError) -> HeapBytes {
        let result = HeapBytes(count: count)
        let done = try storeErrors { () throws(FileSystemError) in
            try file.readFully(into: result.buffer, at: offset)
        }
        guard done == count else {
            throw .corrupt("the file ends before the \(count) bytes at this offset", file: file.path, offset: offset)
        }
        return result
    }
}

/// Keeps borrowed bytes valid: whoever lends bytes out of something that may go away puts it in here.
struct BlockPin: Sendable {
    /// The owner of the bytes lent last; nil where they live as long as the lender itself.
    var owner: (any AnyObject & Sendable)?

    init() {}
}
