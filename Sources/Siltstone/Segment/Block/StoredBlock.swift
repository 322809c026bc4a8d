/// A block of a compressed segment: a header, then the block as a deflate stream, or uncompressed if the stream is not
/// smaller (`Docs/Format.md`, "Compression").
///
/// The header identifies the block, so that salvage can find blocks even if the block table is damaged.
struct StoredBlock {
    /// Bytes before the payload.
    static let headerSize = 16
    /// Stored blocks start at multiples of this.
    static let alignment = 8

    /// The block's address among the uncompressed blocks of the segment.
    var address: Int
    /// The block's uncompressed length in bytes.
    var length: Int
    /// Bytes of the payload. Equal to ``length`` if the block is stored uncompressed.
    var payload: Int

    /// Bytes of a stored block in the file for a payload of this size, including header and padding.
    static func size(payload: Int) -> Int { (headerSize + payload + alignment - 1) & ~(alignment - 1) }

    /// Decodes a header. Returns nil if it is too short or its values are impossible. The checksum is not verified.
    init?(header: Bytes) {
        guard let start: UInt32 = header.integer(at: 4), let units: UInt32 = header.integer(at: 8),
            let payload: UInt32 = header.integer(at: 12), units > 0
        else { return nil }
        address = Int(start) << SegmentFormat.unitShift
        length = Int(units) << SegmentFormat.unitShift
        self.payload = Int(payload)
        // Rejects a length that no stream of this size can have, because it would only allocate memory.
        guard payload > 0, self.payload <= length, length <= self.payload * Deflate.greatestRatio,
            address + length <= SegmentFormat.maximumDataBytes
        else { return nil }
    }

    fileprivate static func checksum(_ stored: Bytes, segment: UInt64) -> UInt32 {
        let covered = Bytes(rebasing: stored.dropFirst(4))
        return CRC32.checksum(covered, continuing: CRC32.checksum(segment, continuing: 0))
    }

    /// Decodes a stored block and verifies its checksum. Returns nil if it is corrupt.
    /// - Parameter stored: the bytes from the header to the end of the padding.
    init?(_ stored: Bytes, segment: UInt64) {
        self.init(header: stored)
        guard stored.count == Self.size(payload: payload), let checksum: UInt32 = stored.integer(at: 0),
            checksum == Self.checksum(stored, segment: segment)
        else { return nil }
    }

    /// The uncompressed block, whose own checksum is not verified yet; nil if the stream is corrupt. `stored` is the
    /// stored block.
    /// - Throws: as ``Deflate/inflate(_:into:)``.
    func expand(_ stored: Bytes) throws(StoreError) -> HeapBytes? {
        guard let source = stored.slice(Self.headerSize, payload) else { return nil }
        let block = HeapBytes(count: length)
        if payload == length {
            block.buffer.copyMemory(from: source)
            return block
        }
        return try Deflate.inflate(source, into: block.buffer) ? block : nil
    }
}

/// Builds stored blocks.
struct StoredBlockBuilder: ~Copyable {
    private var compressor: Deflate.Compressor
    private var memory = MutableBytes.allocate(byteCount: 64 << 10, alignment: 64)

    init(level: Int) throws(StoreError) { compressor = try Deflate.Compressor(level: level) }

    deinit { memory.deallocate() }

    /// The stored form of a block. It is valid until the next call.
    /// - Parameters:
    ///   - block: not empty. Its length and `address` are multiples of ``SegmentFormat/unit``.
    ///   - address: see ``StoredBlock/address``.
    /// - Returns: the bytes, and how many of them are payload.
    mutating func build(_ block: Bytes, segment: UInt64, address: Int) -> (bytes: Bytes, payload: Int) {
        let needed = StoredBlock.size(payload: block.count)
        if memory.count < needed { memory.grow(to: 2 * needed, alignment: 64) }
        // One byte less than the block has, so that compression fails if the stream is not smaller.
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
        memory.store(StoredBlock.checksum(bytes, segment: segment), at: 0)
        return (bytes, payload)
    }
}
