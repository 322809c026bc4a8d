/// Reads everything from a damaged segment that its checksums validate.
///
/// It needs neither header, footer nor index, because each block's checksum covers the segment's number and the block's
/// position. After damage, it searches for the next block at each possible start. Plain blocks start at multiples of a
/// unit, stored ones at multiples of ``StoredBlock/alignment``.
struct SegmentSalvage {
    /// A part of the file without validated contents.
    struct Loss: Hashable, Sendable {
        var offset: Int
        /// Bytes; 0 if the header, the footer or the metadata are damaged.
        var count: Int
        var message: String
    }

    /// Number of records passed to `body`.
    private(set) var recordCount = 0
    /// The known losses, in the order of the file.
    private(set) var lost: [Loss] = []
    /// Nil if the metadata that hold them are damaged. Keys that they deleted may then come back.
    private(set) var rangeTombstones: [RangeTombstone]?
    private let window: FileWindow
    /// The number in the file's name.
    private let number: UInt64
    /// The end of the last block; the file's size if that is unknown.
    private var end: Int
    /// Whether blocks are stored compressed, according to the header; nil if the header is damaged. Then each offset is
    /// tried for both kinds of blocks.
    private var isCompressed: Bool?

    /// The file's size.
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
        let size = try storeErrors(file.length())
        var result = SegmentSalvage(window: FileWindow(file, size: size), number: number, end: size)
        var layout: SegmentLayout?
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

    /// Searches for a footer before the end of the file, in case something was appended to the segment.
    /// - Returns: the layout of the last valid footer; nil if there is none.
    private func earlierLayout(_ file: any File) throws(StoreError) -> SegmentLayout? {
        let magic = SegmentFooter.magic
        var found: SegmentLayout?
        var start = FileHeader.size
        while start + SegmentFooter.size <= window.size {
            let count = min(1 << 20, window.size - start)
            guard let bytes = try window.bytes(at: start, count: count) else { return found }
            // Collects the candidates first, because reading a layout moves the window.
            let candidates = (0...count - magic.count).filter { offset in
                bytes[offset] == magic[0] && bytes[offset..<offset + magic.count].elementsEqual(magic)
            }
            for offset in candidates {
                let length = start + offset + SegmentFooter.size
                do throws(StoreError) {
                    found = try SegmentLayout(file, number: number, store: nil, expected: nil, length: length)
                } catch { if !error.isDamage { throw error } }  // it only looks like a footer
            }
            start += count - SegmentFooter.size + 1
        }
        return found
    }

    /// Reads the header for ``isCompressed``.
    private func readIsCompressed(_ path: String) throws(StoreError) -> Bool? {
        guard let bytes = try window.bytes(at: 0, count: FileHeader.size) else { return nil }
        do {
            let header = try FileHeader(
                bytes, kind: .segment, store: nil, number: number, path: path,
                knownFeatures: SegmentFormat.knownFeatures)
            return header.incompatibleFeatures & SegmentFormat.compressedFeature != 0
        } catch {
            return nil  // the damage was reported with the layout
        }
    }

    /// Passes the records of all valid blocks to `body`, and records the bytes between the blocks as lost.
    private mutating func walk(_ body: (Record) throws(StoreError) -> Void) throws(StoreError) {
        var offset = FileHeader.size
        var lossStart = offset
        while offset < end {
            guard let valid = try block(at: offset) else {
                offset += StoredBlock.alignment
                continue
            }
            if lossStart < offset { lose(lossStart, offset) }
            if !(try handOut(valid.block, body: body)) { lose(offset, offset + valid.count) }
            offset += valid.count
            lossStart = offset
        }
        // The index and the metadata follow the last block. Without a footer, their position is unknown, so the end is
        // not reported as lost.
        if rangeTombstones != nil, lossStart < end { lose(lossStart, end) }
    }

    private mutating func lose(_ start: Int, _ end: Int) {
        let message = "\(end - start) bytes of records fail their checksum"
        lost.append(Loss(offset: start, count: end - start, message: message))
    }

    /// The block that starts at `offset`, plain or stored, and its bytes in the file; nil if no valid block starts
    /// there.
    private func block(at offset: Int) throws(StoreError) -> (block: HeapBytes, count: Int)? {
        if isCompressed != true, let plain = try plainBlock(at: offset) { return plain }
        return isCompressed != false ? try storedBlock(at: offset) : nil
    }

    /// See ``block(at:)``, for a block in compressed form.
    private func storedBlock(at offset: Int) throws(StoreError) -> (block: HeapBytes, count: Int)? {
        guard let header = try window.bytes(at: offset, count: StoredBlock.headerSize),
            let claim = StoredBlock(header: header)
        else { return nil }
        let size = StoredBlock.size(payload: claim.payload)
        guard size <= end - offset, let bytes = try window.bytes(at: offset, count: size),
            let stored = StoredBlock(bytes, segment: number), let block = stored.expand(bytes),
            Block.checksum(block.bytes, segment: number, address: stored.address) == block.bytes.integer(at: 0)
        else { return nil }
        return (block, size)
    }

    /// See ``block(at:)``, for a block of a segment that is not compressed.
    private func plainBlock(at offset: Int) throws(StoreError) -> (block: HeapBytes, count: Int)? {
        let address = offset - FileHeader.size
        guard address % SegmentFormat.unit == 0,
            let length = try plainLength(at: offset), length <= end - offset,
            // A cheap check before the checksum. It rejects nearly all offsets at which no block starts.
            let lastSlot = try window.bytes(at: offset + length - 2, count: 2), Self.layout(lastSlot: lastSlot) != nil,
            let bytes = try window.bytes(at: offset, count: length),
            Block.checksum(bytes, segment: number, address: address) == bytes.integer(at: 0)
        else { return nil }
        let block = HeapBytes(count: length)
        block.buffer.copyMemory(from: bytes)
        return (block, length)
    }

    /// The layout of a block, from its last slot. That slot is the first record's, so it contains the size of the
    /// header. The file's header also has the layout, but is not needed.
    private static func layout(lastSlot: Bytes) -> BlockLayout? {
        guard let offset: UInt16 = lastSlot.integer(at: 0) else { return nil }
        return BlockLayout.allCases.first { $0.headerSize == Int(offset) }
    }

    /// The length of a possible block, in bytes; nil if no block can start here.
    private func plainLength(at offset: Int) throws(StoreError) -> Int? {
        guard let header = try window.bytes(at: offset, count: 8), let count: UInt16 = header.integer(at: 4), count > 0
        else { return nil }
        if let units = Block.units(header) { return units << SegmentFormat.unitShift }
        // The block is too long for the header's field. Such a block has few records, so its length is computed from
        // them.
        for layout in BlockLayout.allCases {
            guard let length = try longLength(at: offset, count: Int(count), layout) else { continue }
            let lastSlot = try window.bytes(at: offset + length - 2, count: 2)
            if let lastSlot, Self.layout(lastSlot: lastSlot) == layout { return length }
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
        return SegmentFormat.roundUp(used + layout.tailSize * count)
    }

    /// Bytes of the record at an offset; nil if there can be none.
    private func recordSize(at offset: Int) throws(StoreError) -> Int? {
        // The kind, and three varints of at most ten bytes each.
        guard let head = try window.bytes(at: offset, count: 1 + 3 * 10) else { return nil }
        var reader = ByteReader(head)
        guard let kind = reader.integer(UInt8.self), (1...3).contains(kind & ~BlockRecord.olderFlag),
            let key = reader.length(), let value = reader.length(), reader.varint() != nil,
            key <= SegmentFormat.maximumDataBytes, value <= SegmentFormat.maximumDataBytes
        else { return nil }
        return reader.offset + key + value
    }

    /// Passes the records of a block to `body`.
    /// - Returns: false if a record is malformed although the checksum is correct.
    private mutating func handOut(
        _ block: HeapBytes, body: (Record) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        defer { withExtendedLifetime(block) {} }
        guard let lastSlot = block.bytes.slice(block.bytes.count - 2, 2),
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
