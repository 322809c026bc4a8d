/// Writes a file from its start, in large pieces.
struct SegmentOutput: ~Copyable {
    /// The disk shall be busy while the rest is being made, and not only at the end.
    private static let syncStep = 4 << 20

    private let file: any File
    /// Bytes a call, at multiples of it, whatever is appended.
    private let capacity: Int
    private let buffer: UnsafeMutableRawPointer
    private var used = 0
    /// Up to where the system was told to begin with the sync.
    private var begun = 0
    /// Bytes that have left the buffer.
    private var written = 0

    init(_ file: any File, pieces: OutputPieces = .soon) {
        self.file = file
        capacity = pieces.rawValue
        buffer = .allocate(byteCount: capacity, alignment: 4096)
    }

    deinit { buffer.deallocate() }

    /// Bytes of the file so far: where the next ones go.
    var offset: Int { written + used }

    /// Appends `bytes`.
    mutating func append(_ bytes: Bytes) throws(StoreError) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        var taken = 0
        while true {
            let count = min(bytes.count - taken, capacity - used)
            (buffer + used).copyMemory(from: source + taken, byteCount: count)
            used += count
            taken += count
            if taken == bytes.count { return }
            try flush()
        }
    }

    /// Appends `bytes`.
    mutating func append(_ bytes: [UInt8]) throws(StoreError) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        try append(UnsafeRawBufferPointer(copy))
    }

    /// Appends zeros up to the next multiple of `alignment`, a power of two of at most 64.
    mutating func pad(to alignment: Int) throws(StoreError) {
        try append([UInt8](repeating: 0, count: -offset & (alignment - 1)))
    }

    /// Hands what is buffered to the file.
    mutating func flush() throws(StoreError) {
        guard used > 0 else { return }
        let (piece, offset) = (UnsafeRawBufferPointer(start: buffer, count: used), written)
        try storeErrors { () throws(FileSystemError) in try file.writeFully(piece, at: offset) }
        wrote(used)
        used = 0
    }

    private mutating func wrote(_ count: Int) {
        written += count
        guard written - begun >= Self.syncStep else { return }
        file.beginSync(offset: begun, length: written - begun)
        begun = written
    }

    /// Brings everything to stable storage.
    mutating func finish() throws(StoreError) {
        try flush()
        try storeErrors { () throws(FileSystemError) in try file.syncFully() }
    }
}
