/// A block in a compressed segment: a header, then the block as a deflate stream, or as it is where that is not
/// smaller (`Docs/Format.md`, "Compression").
///
/// The header names the block, so that blocks can be found without the block table if that is damaged.
struct StoredBlock {
    /// Bytes before the payload.
    static let headerSize = 16
    /// Stored blocks begin at multiples of this.
    static let alignment = 8

    /// The block's logical address and its length there.
    var address: Int
    var length: Int
    /// Bytes of the payload; ``length`` where the block is stored as it is.
    var payload: Int

    /// Bytes in the file, padding included, of a payload.
    static func size(payload: Int) -> Int { (headerSize + payload + alignment - 1) & ~(alignment - 1) }

    /// Reads a header, of which nothing is proved yet; nil where it is shorter than one, or makes no sense.
    init?(header: Bytes) {
        guard let start: UInt32 = header.integer(at: 4), let units: UInt32 = header.integer(at: 8),
            let payload: UInt32 = header.integer(at: 12), units > 0
        else { return nil }
        address = Int(start) << SegmentFormat.unitShift
        length = Int(units) << SegmentFormat.unitShift
        self.payload = Int(payload)
        // A length that no stream of this size can have would only take memory.
        guard payload > 0, self.payload <= length, length <= self.payload * Deflate.greatestRatio,
            address + length <= SegmentFormat.maximumDataBytes
        else { return nil }
    }

    private static func checksum(_ stored: Bytes, segment: UInt64) -> UInt32 {
        let covered = Bytes(rebasing: stored.dropFirst(4))
        return CRC32.checksum(covered, continuing: CRC32.checksum(segment, continuing: 0))
    }

    /// Reads a stored block and checks that it is whole; nil where it is not.
    /// - Parameter stored: from the header to the end of the padding.
    init?(_ stored: Bytes, segment: UInt64) {
        self.init(header: stored)
        guard stored.count == Self.size(payload: payload), let checksum: UInt32 = stored.integer(at: 0),
            checksum == Self.checksum(stored, segment: segment)
        else { return nil }
    }

    /// The block itself, not checked yet; nil where the stream is not well.
    func expand(_ stored: Bytes) -> HeapBytes? {
        guard let source = stored.slice(Self.headerSize, payload) else { return nil }
        let block = HeapBytes(count: length)
        if payload == length {
            block.buffer.copyMemory(from: source)
            return block
        }
        return Deflate.inflate(source, into: block.buffer) ? block : nil
    }
}

/// Makes stored blocks.
struct StoredBlockBuilder: ~Copyable {
    private var compressor: Deflate.Compressor
    private var memory = MutableBytes.allocate(byteCount: 64 << 10, alignment: 64)

    init(level: Int) throws(StoreError) { compressor = try Deflate.Compressor(level: level) }

    deinit { memory.deallocate() }

    /// The stored form of a block, valid until the next call.
    /// - Returns: the bytes, and how many of them are payload.
    mutating func build(_ block: Bytes, segment: UInt64, address: Int) -> (bytes: Bytes, payload: Int) {
        let needed = StoredBlock.size(payload: block.count)
        if memory.count < needed {
            memory.deallocate()
            memory = .allocate(byteCount: 2 * needed, alignment: 64)
        }
        let room = memory[StoredBlock.headerSize...].prefix(block.count - 1)
        var payload = block.count
        if let compressed = compressor.compress(block, into: room) {
            payload = compressed
        } else {
            memory[StoredBlock.headerSize...].copyMemory(from: block)
        }
        let size = StoredBlock.size(payload: payload)
        let end = StoredBlock.headerSize + payload
        memory[end..<size].fill(with: 0)
        memory.store(UInt32(address >> SegmentFormat.unitShift), at: 4)
        memory.store(UInt32(block.count >> SegmentFormat.unitShift), at: 8)
        memory.store(UInt32(payload), at: 12)
        let bytes = memory[..<size].bytes
        let covered = Bytes(rebasing: bytes.dropFirst(4))
        memory.store(CRC32.checksum(covered, continuing: CRC32.checksum(segment, continuing: 0)), at: 0)
        return (bytes, payload)
    }
}
