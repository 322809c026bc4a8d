/// Writes a file from its start, in large pieces.
///
/// A full piece is written by another thread while the next one is made: of a merge, that is more than a quarter of all work. One
/// that fails is told of when the next one is full, by ``finish()`` at the latest.
struct SegmentOutput: ~Copyable {
    /// Bytes a call, at multiples of it, whatever is appended.
    private let capacity: Int
    private var buffer: ScratchMemory
    /// What is being written, or was; nil before the first full piece.
    private var other: ScratchMemory?
    private var used = 0
    /// Bytes that have left the buffer.
    private var written = 0
    private let pieces: PieceWriter

    init(_ file: any File, pieces: OutputPieces = .soon) {
        self.pieces = PieceWriter(file)
        capacity = pieces.rawValue
        buffer = ScratchMemory(byteCount: capacity)
    }

    deinit {
        // Before the buffers go.
        pieces.settle()
    }

    /// Bytes of the file so far: where the next ones go.
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

    /// Appends zeros up to the next multiple of `alignment`, a power of two of at most 64.
    mutating func pad(to alignment: Int) throws(StoreError) {
        try append([UInt8](repeating: 0, count: -offset & (alignment - 1)))
    }

    /// Has a full buffer written, and goes on with the other one.
    private mutating func handOver() throws(StoreError) {
        try pieces.wait()
        var next = other.take() ?? ScratchMemory(byteCount: capacity)
        swap(&buffer, &next)
        pieces.begin(next.bytes[..<used].bytes, at: written)
        other = consume next
        written += used
        used = 0
    }

    /// Hands what is buffered to the file.
    mutating func flush() throws(StoreError) {
        try pieces.write(buffer.bytes[..<used].bytes, at: written)
        written += used
        used = 0
    }

    /// Brings everything to stable storage.
    mutating func finish() throws(StoreError) {
        try flush()
        try pieces.sync()
    }
}
