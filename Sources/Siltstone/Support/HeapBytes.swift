/// Bytes on the heap, freed with the last reference: a block that was read, a page of an index.
///
/// The creator fills them before another thread sees them; afterwards they are only read.
final class HeapBytes: Sendable {
    let buffer: MutableBytes

    var bytes: Bytes { buffer.bytes }

    /// Allocates undefined bytes.
    /// - Parameter count: number of bytes.
    init(count: Int) { buffer = .allocate(byteCount: count, alignment: 64) }

    /// Creates a copy of `bytes`.
    convenience init(copying bytes: [UInt8]) {
        self.init(count: bytes.count)
        buffer.copyBytes(from: bytes)
    }

    deinit {
        // Debug builds overwrite the bytes, so that a use after the free shows at once.
        assert(scribble())
        buffer.deallocate()
    }

    private func scribble() -> Bool {
        buffer.fill(with: 0xdb)
        return true
    }

    /// Reads `count` bytes of `file`.
    /// - Throws: ``StoreError/Code/corrupt`` if the file ends before them.
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

/// Keeps borrowed bytes valid: a lender whose bytes may be freed stores their owner here.
struct BlockPin: Sendable {
    /// The owner of the bytes lent last; nil if they are valid as long as the lender itself.
    var owner: (any AnyObject & Sendable)?

    init() {}
}
