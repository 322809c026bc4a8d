/// Writes a segment file sequentially, in large pieces.
///
/// Another thread writes a full piece while the caller fills the next one. Writing is more than a quarter of the work
/// of a merge. If a piece fails, the error is thrown when the next piece is full, or by ``finish()`` at the latest.
struct SegmentOutput: ~Copyable {
    /// Bytes of a write call. Every call starts at a multiple of it and has this length, however the caller splits its
    /// data. Only the last call, in ``finish()``, may be shorter.
    private let capacity: Int
    private var buffer: ScratchMemory
    /// The other buffer, whose piece is being written or was written last; nil before the first full piece.
    private var other: ScratchMemory?
    private var used = 0
    /// Bytes handed to the writer, which is also the file offset of the buffer's first byte.
    private var written = 0
    private let pieces: PieceWriter

    /// Creates an output at the start of a file.
    /// - Parameter pieces: the size of a write call, chosen by the expected lifetime of the segment.
    init(_ file: any File, pieces: OutputPieces = .shortLived) {
        self.pieces = PieceWriter(file)
        capacity = pieces.rawValue
        buffer = ScratchMemory(byteCount: capacity)
    }

    deinit {
        // Waits before the buffers are released.
        pieces.drain()
    }

    /// Bytes of the file so far, which is the offset of the next byte.
    var offset: Int { written + used }

    /// Appends `bytes`.
    mutating func append(_ bytes: Bytes) throws(StoreError) {
        if bytes.isEmpty { return }
        var taken = 0
        while true {
            let count = min(bytes.count - taken, capacity - used)
            buffer.bytes[used...].copyMemory(from: bytes.uncheckedSlice(taken, count))
            used += count
            taken += count
            if taken == bytes.count { return }
            try handOver()
        }
    }

    /// Appends `bytes`.
    mutating func append(_ bytes: [UInt8]) throws(StoreError) {
        try withContiguousBytes(bytes) { bytes throws(StoreError) in try append(bytes) }
    }

    /// Appends zeros up to the next multiple of `alignment`, a power of two.
    mutating func pad(to alignment: Int) throws(StoreError) {
        try append([UInt8](repeating: 0, count: -offset & (alignment - 1)))
    }

    /// Waits for the previous piece, and throws if it failed. Then hands the full buffer to the writer and continues with
    /// the other buffer.
    private mutating func handOver() throws(StoreError) {
        try pieces.wait()
        var next = other.take() ?? ScratchMemory(byteCount: capacity)
        swap(&buffer, &next)
        pieces.begin(next.bytes[..<used].bytes, at: written)
        other = consume next
        written += used
        used = 0
    }

    /// Writes the buffered bytes and syncs the file. Must be the last call.
    mutating func finish() throws(StoreError) {
        try pieces.write(buffer.bytes[..<used].bytes, at: written)
        try pieces.sync()
    }
}
