/// Bytes on the heap, freed with the last reference: a block that was read, a page of an index.
///
/// The creator fills them before another thread sees them; afterwards they are only read.
final class HeapBytes: Sendable {
    let buffer: MutableBytes

    var bytes: Bytes { buffer.bytes }

    /// Allocates uninitialized bytes at the start of a cache line.
    /// - Parameter count: number of bytes.
    init(count: Int) { buffer = .allocate(byteCount: count, alignment: 64) }

    /// Creates a copy of `bytes`.
    convenience init(copying bytes: [UInt8]) {
        self.init(count: bytes.count)
        buffer.copyBytes(from: bytes)
    }

    deinit {
        #if DEBUG
        // Overwrites the bytes, so that a use after the free shows at once.
        buffer.fill(with: 0xdb)
        #endif
        buffer.deallocate()
    }
}

/// Keeps bytes valid that a reader has returned without a copy. The next read with the same pin may end their validity.
struct BlockPin: Sendable {
    /// The owner of the bytes that were returned last. Nil if the reader itself owns them, or before the first read.
    var owner: (any AnyObject & Sendable)?
}
