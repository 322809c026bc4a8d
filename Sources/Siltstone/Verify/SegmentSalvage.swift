/// Reads everything from a damaged segment that its checksums validate.
///
/// It needs neither header, footer nor index, because each block's checksum covers the segment's number and the block's
/// logical address. After damage, it searches for the next block at each possible start, counted from the end of the
/// header. In a compressed segment, blocks are *stored* (``StoredBlock``) and start at multiples of
/// ``StoredBlock/alignment``. In others, they are *plain* (``Block``) and start at multiples of ``SegmentFormat/unit``.
struct SegmentSalvage {
    /// A part of the file without validated contents.
    struct Loss: Hashable, Sendable {
        var offset: Int
        /// Bytes of records; 0 if the header, the footer or the metadata are damaged.
        var count: Int
        var message: String
    }

    /// Number of records passed to `body`.
    private(set) var recordCount = 0
    /// The known losses, in the order of the file.
    private(set) var lost: [Loss] = []
    /// Nil if the metadata with the range tombstones are damaged. Then keys that they deleted may come back.
    private(set) var rangeTombstones: [RangeTombstone]?
    private let window: FileWindow
    /// The number in the file's name.
    private let number: UInt64
    /// The end of the last block, from the footer; the file's size if no footer is valid.
    private var end: Int
    /// Whether the segment is compressed, according to its header; nil if the header is damaged. Then salvage looks for
    /// both kinds of blocks at each offset.
    private var isCompressed: Bool?

    /// Bytes that salvage has read: the complete file.
    var bytesRead: Int { window.size }

    /// Reads the blocks of a segment.
    /// - Parameters:
    ///   - number: the number in the file's name.
    ///   - body: receives each record of each validated block, in the order of the file.
    /// - Throws: ``StoreError`` if the file cannot be opened or read, and the errors of `body`.
    static func salvage(
        fileSystem: any FileSystem, path: String, number: UInt64, body: (Record) throws(StoreError) -> Void
    ) throws(StoreError) -> SegmentSalvage {
        let file = try storeErrors(retrying(fileSystem.open(path, .read)))
        let size = try storeErrors(file.sizeFully())
        var result = SegmentSalvage(window: FileWindow(file, size: size), number: number, end: size)
        var layout: SegmentLayout?
        // Compares the segment with neither the store nor the manifest, because these may be damaged too.
        do throws(StoreError) { layout = try SegmentLayout(file, number: number, store: nil, expected: nil) } catch {
            guard error.isDamage else { throw error }
            let message = "header, footer or metadata: \(error.message)"
            result.lost.append(Loss(offset: error.offset ?? 0, count: 0, message: message))
            layout = try result.earlierLayout(file)
        }
        if let layout {
            result.rangeTombstones = layout.rangeTombstones.tombstones
            result.end = layout.footer.dataOffset + layout.footer.storedBytes
        }
        result.isCompressed = try result.readIsCompressed(path)
        try result.walk(body)
        result.lost.sort { $0.offset < $1.offset }
        return result
    }

    /// Searches the complete file for footers, in case bytes were appended to the segment.
    /// - Returns: the layout of the last valid footer; nil if there is none.
    private func earlierLayout(_ file: any File) throws(StoreError) -> SegmentLayout? {
        let magic = SegmentFooter.magic
        var found: SegmentLayout?
        var start = FileHeader.size
        while start + SegmentFooter.size <= window.size {
            let count = min(1 << 20, window.size - start)
            guard let bytes = try window.bytes(at: start, count: count) else { return found }
            // Collects the candidates first. The next use of the window would invalidate `bytes`.
            let candidates = (0...count - magic.count).filter { offset in
                bytes[offset] == magic[0] && bytes[offset..<offset + magic.count].elementsEqual(magic)
            }
            for offset in candidates {
                let length = start + offset + SegmentFooter.size
                // Otherwise the bytes only look like a footer.
                let layout = try StoreError.unlessDamaged(
                    SegmentLayout(file, number: number, store: nil, expected: nil, length: length))
                found = layout ?? found
            }
            // The pieces overlap, so that one of them contains the footer completely.
            start += count - SegmentFooter.size + 1
        }
        return found
    }

    /// Reads the header for ``isCompressed``.
    private func readIsCompressed(_ path: String) throws(StoreError) -> Bool? {
        guard let bytes = try window.bytes(at: 0, count: FileHeader.size) else { return nil }
        // The error of the layout has reported the damage.
        let header = try StoreError.unlessDamaged(
            FileHeader(
                bytes, kind: .segment, store: nil, number: number, path: path,
                knownFeatures: SegmentFormat.knownFeatures))
        return header.map { $0.incompatibleFeatures & SegmentFormat.compressedFeature != 0 }
    }

    /// Passes the records of all valid blocks to `body`, and records the bytes between the blocks as lost.
    private mutating func walk(_ body: (Record) throws(StoreError) -> Void) throws(StoreError) {
        var offset = FileHeader.size
        var lossStart = offset
        while offset < end {
            guard let valid = try block(at: offset) else {
                offset += StoredBlock.alignment  // the finer of the two alignments
                continue
            }
            if lossStart < offset { lose(lossStart, offset, "fail their checksum") }
            if !(try handOut(valid.block, body: body)) {
                lose(offset, offset + valid.count, "are malformed, although their checksum is right")
            }
            offset += valid.count
            lossStart = offset
        }
        // The index and the metadata follow the last block. If its end is unknown, the bytes after the last valid block
        // are probably theirs, so they are not reported as lost records.
        if rangeTombstones != nil, lossStart < end { lose(lossStart, end, "fail their checksum") }
    }

    private mutating func lose(_ start: Int, _ end: Int, _ reason: String) {
        lost.append(Loss(offset: start, count: end - start, message: "\(end - start) bytes of records \(reason)"))
    }

    /// The block that starts at `offset`, plain or stored, and the number of its bytes in the file; nil if no valid
    /// block starts there.
    private func block(at offset: Int) throws(StoreError) -> (block: HeapBytes, count: Int)? {
        if isCompressed != true, let plain = try plainBlock(at: offset) { return plain }
        return isCompressed != false ? try storedBlock(at: offset) : nil
    }

    /// See ``block(at:)``, for a stored block. Its checksum covers the header and the payload as they are in the file.
    /// The checksum of the block itself is verified after decompression, against the logical address in the header.
    private func storedBlock(at offset: Int) throws(StoreError) -> (block: HeapBytes, count: Int)? {
        guard let header = try window.bytes(at: offset, count: StoredBlock.headerSize),
            let unverified = StoredBlock(header: header)
        else { return nil }
        let size = StoredBlock.size(payload: unverified.payload)
        guard size <= end - offset, let bytes = try window.bytes(at: offset, count: size),
            let stored = StoredBlock(bytes, segment: number), let block = try stored.expand(bytes),
            Block.checksum(block.bytes, segment: number, address: stored.address) == block.bytes.integer(at: 0)
        else { return nil }
        return (block, size)
    }

    /// See ``block(at:)``, for a plain block. Its logical address is its offset behind the file's header.
    private func plainBlock(at offset: Int) throws(StoreError) -> (block: HeapBytes, count: Int)? {
        let address = offset - FileHeader.size
        guard address % SegmentFormat.unit == 0,
            let length = try plainLength(at: offset), length <= end - offset,
            // A cheap check before the checksum. It rejects nearly all offsets at which no block starts.
            try layout(at: offset, length: length) != nil,
            let bytes = try window.bytes(at: offset, count: length),
            Block.checksum(bytes, segment: number, address: address) == bytes.integer(at: 0)
        else { return nil }
        let block = HeapBytes(count: length)
        block.buffer.copyMemory(from: bytes)
        return (block, length)
    }

    /// The layout of a possible plain block; nil if there can be none.
    private func layout(at offset: Int, length: Int) throws(StoreError) -> BlockLayout? {
        try window.bytes(at: offset + length - Self.slotSize, count: Self.slotSize).flatMap(Self.layout(lastSlot:))
    }

    /// Bytes of a slot: the offset of a record in its block.
    private static let slotSize = 2

    /// The layout of a block, from its last slot. This is the slot of the first record, which follows the header
    /// directly, so the offset is the header's size in that layout.
    private static func layout(lastSlot: Bytes) -> BlockLayout? {
        guard let offset: UInt16 = lastSlot.integer(at: 0) else { return nil }
        return BlockLayout.allCases.first { $0.headerSize == Int(offset) }
    }

    /// The length of a possible block, in bytes; nil if no block can start here.
    private func plainLength(at offset: Int) throws(StoreError) -> Int? {
        // The start of the header, which both layouts share: checksum, number of records, length in units.
        guard let header = try window.bytes(at: offset, count: BlockLayout.plain.headerSize),
            let count: UInt16 = header.integer(at: 4), count > 0
        else { return nil }
        if let units = Block.units(header) { return units << SegmentFormat.unitShift }
        // The block is too long for the header's field. The length is computed from the records, which are few.
        for layout in BlockLayout.allCases {
            guard let length = try longLength(at: offset, count: Int(count), layout) else { continue }
            if try self.layout(at: offset, length: length) == layout { return length }
        }
        return nil
    }

    /// The length of a block that is too long for its header's field. Adds up the sizes of its records.
    private func longLength(at offset: Int, count: Int, _ layout: BlockLayout) throws(StoreError) -> Int? {
        var used = layout.headerSize
        for _ in 0..<count {
            guard let size = try recordSize(at: offset + used), used + size <= SegmentFormat.maximumDataBytes
            else { return nil }
            used += size
        }
        return SegmentFormat.roundUp(used + layout.tailBytesPerRecord * count)
    }

    /// Bytes of the record at an offset in a long block; nil if there can be none.
    private func recordSize(at offset: Int) throws(StoreError) -> Int? {
        // The kind, then the lengths of key and value and the sequence number: varints of at most ten bytes. The window
        // always holds that many, because the last record of a long block is megabytes long.
        guard let head = try window.bytes(at: offset, count: 1 + 3 * 10) else { return nil }
        var reader = ByteReader(head)
        // A block has values, tombstones and pointers; the flag marks older versions of a key.
        guard let kind = reader.integer(UInt8.self), (1...3).contains(kind & ~BlockRecord.olderFlag),
            let key = reader.length(), let value = reader.length(), reader.varint() != nil,
            key <= SegmentFormat.maximumDataBytes, value <= SegmentFormat.maximumDataBytes
        else { return nil }
        return reader.offset + key + value
    }

    /// Passes the records of a block to `body`.
    /// - Returns: false if a record is malformed, although the checksum of the block is right.
    private mutating func handOut(
        _ block: HeapBytes, body: (Record) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        defer { withExtendedLifetime(block) {} }
        guard let lastSlot = block.bytes.slice(block.bytes.count - Self.slotSize, Self.slotSize),
            let layout = Self.layout(lastSlot: lastSlot),
            let view = Block(block.bytes, layout: layout)
        else { return false }
        for slot in 0..<view.count {
            guard let found = view.record(slot) else { return false }
            try body(found.record)
            recordCount += 1
        }
        return true
    }
}
