/// The state of a segment that is being written. A noncopyable structure, whose fields are accessed without a
/// reference; ``SegmentWriter`` is the class around it.
struct SegmentAssembly: ~Copyable {
    private let number: UInt64
    private let blockBytes: Int
    private let headerChecksum: UInt32
    private let path: String
    private var output: SegmentOutput
    private var block: BlockBuilder
    private var blockIndex = BlockIndexBuilder()
    private var index: HashIndexBuilder
    private var summary: SegmentSummary
    /// Compresses blocks; nil if the segment is not compressed.
    private var stored: StoredBlockBuilder?
    /// For each block of a compressed segment, the bytes of its payload as a varint.
    private var blockTable: [UInt8] = []
    private var rangeTombstones: [RangeTombstone] = []
    private var previous = PreviousKey()
    /// Uncompressed bytes of the finished blocks; their logical addresses end here.
    private var finishedBytes = 0

    /// - Parameters:
    ///   - file: new, empty and writable.
    ///   - number: the file's number.
    ///   - store: the store that the file belongs to.
    /// - Throws: ``StoreError`` if the options are invalid or the header cannot be written.
    init(
        file: any File, number: UInt64, store: StoreIdentity, options: SegmentOptions
    ) throws(StoreError) {
        // All throwing calls come first, because a noncopyable value cannot be left partly initialized.
        let options = try options.validated()
        let stored = try Self.storedBlockBuilder(options.compression)
        var header = FileHeader(
            kind: .segment, store: store, number: number, parameter: UInt64(SegmentFormat.unitShift))
        header.incompatibleFeatures = options.blockLayout.features
        if options.compression != .none { header.incompatibleFeatures |= SegmentFormat.compressedFeature }
        var output = SegmentOutput(file, pieces: options.pieces)
        try output.append(header.encoded())

        self.number = number
        self.stored = stored
        self.output = output
        blockBytes = options.blockBytes
        path = file.path
        headerChecksum = header.checksum
        block = BlockBuilder(target: options.blockBytes, layout: options.blockLayout)
        index = HashIndexBuilder(expected: options.expectedRecords)
        summary = SegmentSummary(number: number)
    }

    private static func storedBlockBuilder(_ compression: Compression) throws(StoreError) -> StoredBlockBuilder? {
        guard case .deflate(let level) = compression else { return nil }
        return try StoredBlockBuilder(level: level)
    }

    /// Uncompressed bytes of all blocks so far, at most 4 GiB. Callers use it to decide when to start the next segment.
    var dataBytes: Int { finishedBytes + (block.isEmpty ? 0 : block.length) }

    /// Appends a record. Keys must ascend, and the sequence numbers of one key must descend.
    /// - Throws: ``StoreError/Code/invalidArgument`` if the order, the kind, the sequence number or a pointer's size is
    ///   invalid, ``StoreError/Code/tooLarge`` if the segment is full, or the error of the file.
    mutating func append(_ record: Record) throws(StoreError) {
        let order = previous.compare(record)
        guard order < 0, record.kind != .rangeTombstone, record.sequence <= .greatest,
            record.kind != .pointer || record.value.count == ValuePointer.size
        else { throw misuse() }
        let isOlder = order == PreviousKey.sameKey
        let size = BlockRecord.size(record)
        if block.shouldFinish(before: size) { try finishBlock() }
        guard finishedBytes &+ block.length &+ size &+ SegmentFormat.unit <= SegmentFormat.maximumDataBytes else {
            throw StoreError(.tooLarge, "a segment has at most 4 GiB of records", file: path)
        }
        if block.isEmpty {
            blockIndex.beginBlock(record.key, record.sequence, after: previous.key)
        }
        if !isOlder { index.add(hash: KeyHash.hash(record.key), address: finishedBytes &+ block.nextOffset) }
        block.append(record, size: size, isOlder: isOlder)
        previous.set(record)
        _ = summary.add(record)  // false only for a pointer of the wrong size, which was refused above
    }

    private func misuse() -> StoreError {
        StoreError(
            .invalidArgument,
            "record \(summary.info.recordCount) of the segment is out of order, or has a kind, size or sequence number "
                + "that segments do not hold",
            file: path)
    }

    /// Adds range tombstones, in any order.
    mutating func append(rangeTombstones tombstones: [RangeTombstone]) { rangeTombstones += tombstones }

    private mutating func finishBlock() throws(StoreError) {
        guard !block.isEmpty else { return }
        let bytes = block.finish(segment: number, address: finishedBytes)
        if stored != nil, let built = stored?.build(bytes, segment: number, address: finishedBytes) {
            blockTable.append(varint: UInt64(built.payload))
            try output.append(built.bytes)
        } else {
            try output.append(bytes)
        }
        blockIndex.endBlock(length: bytes.count)
        finishedBytes += bytes.count
    }

    /// Writes hash index, metadata and footer, and syncs the file. Nothing may be appended afterwards.
    /// - Returns: the manifest's entry for the segment.
    mutating func finish() throws(StoreError) -> SegmentInfo {
        try finishBlock()
        var footer = SegmentFooter()
        footer.dataBytes = finishedBytes
        footer.storedBytes = output.offset - footer.dataOffset
        footer.blockCount = blockIndex.blockCount
        footer.windowShift = (blockBytes / 2).trailingZeroBitCount
        try output.pad(to: SegmentFormat.unit)
        footer.indexOffset = output.offset
        let (geometry, pageChecksums) = try index.write(to: &output, dataBytes: finishedBytes)
        footer.indexGeometry = geometry
        footer.metadataOffset = output.offset
        try writeMetadata(pageChecksums: pageChecksums, into: &footer)
        let encoded = footer.encoded(headerChecksum: headerChecksum)
        try output.append(encoded)
        summary.info.fileBytes = output.offset
        summary.info.footerChecksum = encoded.withBytes { $0.integer(at: SegmentFooter.size - 4) ?? 0 }
        try output.finish()
        return summary.info
    }

    private mutating func writeMetadata(pageChecksums: [UInt32], into footer: inout SegmentFooter) throws(StoreError) {
        let ranges = RangeTombstones(rangeTombstones).tombstones
        summary.finish(lastKey: previous.key.map { Array($0) } ?? [], rangeTombstones: ranges)
        var metadata = blockIndex.bytes
        footer.fenceBytes = metadata.count
        metadata += blockTable
        footer.blockTableBytes = blockTable.count
        for checksum in pageChecksums { metadata.append(integer: checksum) }
        footer.pageTableBytes = 4 * pageChecksums.count
        let rangesStart = metadata.count
        for range in ranges {
            metadata.append(varint: range.sequence)
            metadata.append(counted: range.start)
            metadata.append(counted: range.end)
        }
        footer.rangeTombstoneBytes = metadata.count - rangesStart
        let propertiesStart = metadata.count
        summary.info.encodeProperties(into: &metadata)
        footer.propertyBytes = metadata.count - propertiesStart
        footer.metadataChecksum = metadata.withBytes { CRC32.checksum($0) }
        try output.append(metadata)
    }
}
