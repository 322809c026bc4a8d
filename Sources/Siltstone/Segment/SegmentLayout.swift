/// A segment without its blocks and its hash index: the parts that opening reads, checks and keeps in memory.
struct SegmentLayout {
    var header: FileHeader
    var footer: SegmentFooter
    var info: SegmentInfo
    var blockIndex: BlockIndex
    var rangeTombstones: RangeTombstones
    /// File offset of each block of a compressed segment, followed by the end of the last block. Empty if the segment
    /// is not compressed.
    var storedOffsets: [Int]
    /// The metadata sections. Fences and page checksums refer to this memory.
    private var metadata: HeapBytes

    var isCompressed: Bool { header.incompatibleFeatures & SegmentFormat.compressedFeature != 0 }

    var blockLayout: BlockLayout { BlockLayout(features: header.incompatibleFeatures) }

    /// The checksum of a page of the hash index; nil if the page does not exist.
    func checksum(ofPage page: Int) -> UInt32? {
        metadata.bytes.integer(at: footer.fenceBytes + footer.blockTableBytes + 4 * page)
    }

    /// Reads and checks header, footer and metadata.
    /// - Parameters:
    ///   - number: the number in the file's name.
    ///   - store: the store that the file must belong to; nil if it is unknown.
    ///   - expected: the manifest's entry for the segment; nil if it is unknown.
    ///   - length: size of the segment in bytes if more bytes follow it in the file; nil if it is the complete file.
    /// - Throws: ``StoreError``, naming the file and the offset.
    /// - Complexity: O(size of the metadata)
    init(
        _ file: any File, number: UInt64, store: StoreIdentity?, expected: SegmentInfo?, length: Int? = nil
    ) throws(StoreError) {
        let path = file.path
        let fileSize = try storeErrors(file.sizeFully())
        let size = length ?? fileSize
        if let expected, expected.fileBytes != size {
            throw .corrupt(
                "the file has \(size) bytes, the manifest says \(expected.fileBytes)", file: path, offset: size)
        }
        guard size >= FileHeader.size + SegmentFooter.size else {
            throw .corrupt("the file is too short to be a segment", file: path, offset: size)
        }
        let head = try HeapBytes.read(file, offset: 0, count: FileHeader.size)
        header = try FileHeader(
            head.bytes, kind: .segment, store: store, number: number, path: path,
            knownFeatures: SegmentFormat.knownFeatures)
        guard header.parameter == SegmentFormat.unitShift else {
            throw StoreError(
                .unsupportedFormat, "the segment has units of 2^\(header.parameter) bytes, this release reads 2^6",
                file: path, offset: 48)
        }
        let tail = try HeapBytes.read(file, offset: size - SegmentFooter.size, count: SegmentFooter.size)
        footer = try SegmentFooter(Array(tail.bytes), headerChecksum: header.checksum, fileBytes: size, path: path)
        let footerChecksum: UInt32 = tail.bytes.integer(at: SegmentFooter.size - 4) ?? 0
        if let expected, expected.footerChecksum != footerChecksum {
            throw .corrupt(
                "the file is not the one that the manifest means: its footer has another checksum", file: path,
                offset: size - 4)
        }
        metadata = try HeapBytes.read(file, offset: footer.metadataOffset, count: footer.metadataBytes)
        guard CRC32.checksum(metadata.bytes) == footer.metadataChecksum else {
            throw .corrupt("the metadata fail their checksum", file: path, offset: footer.metadataOffset)
        }
        var reader = ByteReader(metadata.bytes)
        guard let fenceSection = reader.take(footer.fenceBytes), let blockTable = reader.take(footer.blockTableBytes),
            reader.take(footer.pageTableBytes) != nil, let ranges = reader.take(footer.rangeTombstoneBytes),
            let blockIndex = BlockIndex(fenceSection, in: metadata, footer: footer),
            let tombstones = Self.rangeTombstones(ranges),
            let offsets = Self.storedOffsets(blockTable, header, footer),
            let info = SegmentInfo(number: header.number, properties: &reader), reader.isAtEnd,
            info.rangeTombstoneCount == tombstones.count, info.isPlausible(dataBytes: footer.dataBytes)
        else { throw .corrupt("the metadata contradict the footer", file: path, offset: footer.metadataOffset) }
        self.blockIndex = blockIndex
        self.info = info
        rangeTombstones = RangeTombstones(tombstones)
        storedOffsets = offsets
        self.info.fileBytes = size
        self.info.footerChecksum = footerChecksum
        if let expected, expected != self.info {
            throw .corrupt(
                "the segment's properties are not those in the manifest", file: path, offset: footer.metadataOffset)
        }
    }

    private static func rangeTombstones(_ section: Bytes) -> [RangeTombstone]? {
        var reader = ByteReader(section)
        var result: [RangeTombstone] = []
        while !reader.isAtEnd {
            guard let sequence = reader.varint(), sequence <= .greatest, let start = reader.counted(),
                let end = reader.counted()
            else { return nil }
            result.append(RangeTombstone(start: Array(start), end: Array(end), sequence: sequence))
        }
        return result
    }

    private static func storedOffsets(_ section: Bytes, _ header: FileHeader, _ footer: SegmentFooter) -> [Int]? {
        if header.incompatibleFeatures & SegmentFormat.compressedFeature == 0 {
            return section.isEmpty && footer.storedBytes == footer.dataBytes ? [] : nil
        }
        var reader = ByteReader(section)
        var offset = footer.dataOffset
        let end = footer.dataOffset + footer.storedBytes
        var result = [offset]
        for _ in 0..<footer.blockCount {
            guard let payload = reader.length(), payload <= end - offset else { return nil }
            offset += StoredBlock.size(payload: payload)
            result.append(offset)
        }
        return offset == end && reader.isAtEnd ? result : nil
    }
}
