/// The last 128 bytes of a segment: the positions and sizes of all other parts (`Docs/Format.md`, "Footer").
struct SegmentFooter: Hashable, Sendable {
    /// Bytes of the footer.
    static let size = 128
    static let magic = Array("SILTFOOT".utf8)

    /// Offset of the first block in the file.
    var dataOffset = FileHeader.size
    /// Size of all blocks before compression, in bytes. A logical address is an offset in these bytes.
    var dataBytes = 0
    /// Bytes that the blocks take in the file.
    var storedBytes = 0
    var blockCount = 0
    /// Base-2 logarithm of the window size. A window is a range of logical addresses in which at most one block starts,
    /// so a table with one entry for each window finds the block of an address.
    var windowShift = 0
    /// Offset of the hash index in the file.
    var indexOffset = 0
    var indexGeometry = HashIndexGeometry.none
    var metadataOffset = 0
    /// Lengths of the sections of the metadata, in their order.
    var fenceBytes = 0
    var blockTableBytes = 0
    var pageTableBytes = 0
    var rangeTombstoneBytes = 0
    var propertyBytes = 0
    var metadataChecksum: UInt32 = 0
}

extension SegmentFooter {
    private var sections: [Int] { [fenceBytes, blockTableBytes, pageTableBytes, rangeTombstoneBytes, propertyBytes] }
    var metadataBytes: Int { sections.reduce(0, +) }

    /// The encoded footer.
    /// - Parameter headerChecksum: checksum of the file's header. The footer's checksum covers it, which binds the
    ///   footer to this file.
    func encoded(headerChecksum: UInt32) -> [UInt8] {
        var bytes = Self.magic
        for field in [dataOffset, dataBytes, storedBytes, indexOffset] { bytes.append(integer: UInt64(field)) }
        bytes.append(integer: UInt32(indexGeometry.pageCount))
        bytes.append(integer: UInt32(indexGeometry.bucketsPerPage))
        bytes.append(UInt8(indexGeometry.addressBits))
        bytes.append(UInt8(windowShift))
        bytes.append(contentsOf: [UInt8](repeating: 0, count: 6))
        for field in [metadataOffset] + sections { bytes.append(integer: UInt64(field)) }
        bytes.append(integer: UInt32(blockCount))
        bytes.append(integer: metadataChecksum)
        bytes.append(contentsOf: [UInt8](repeating: 0, count: 12))
        bytes.append(integer: Self.checksum(bytes, headerChecksum: headerChecksum))
        return bytes
    }

    private static func checksum(_ bytes: some Collection<UInt8>, headerChecksum: UInt32) -> UInt32 {
        var covered: [UInt8] = []
        covered.append(integer: headerChecksum)
        covered.append(contentsOf: bytes.prefix(size - 4))
        return covered.withBytes { CRC32.checksum($0) }
    }

    /// Decodes a footer. Checks its checksum, and that the sections it names follow each other without
    /// overlap, and without a gap but the padding before the index.
    /// - Parameters:
    ///   - bytes: the last ``size`` bytes of the segment.
    ///   - fileBytes: size of the segment, in bytes.
    /// - Throws: ``StoreError/Code/corrupt``, naming `path`.
    init(_ bytes: [UInt8], headerChecksum: UInt32, fileBytes: Int, path: String) throws(StoreError) {
        let offset = fileBytes - Self.size
        guard bytes.count == Self.size, bytes.starts(with: Self.magic) else {
            throw .corrupt("the segment does not end with a footer: it may be cut off", file: path, offset: offset)
        }
        let stored: UInt32? = bytes.withBytes { $0.integer(at: Self.size - 4) }
        guard stored == Self.checksum(bytes, headerChecksum: headerChecksum) else {
            throw .corrupt("the footer fails its checksum", file: path, offset: offset)
        }
        guard let footer = bytes.withBytes({ Self.parse($0) }), footer.isConsistent(fileBytes: fileBytes) else {
            throw .corrupt("the footer contradicts itself or the file's size", file: path, offset: offset)
        }
        self = footer
    }

    private static func parse(_ bytes: Bytes) -> SegmentFooter? {
        var reader = ByteReader(bytes)
        _ = reader.take(magic.count)
        func int(_ reader: inout ByteReader) -> Int? { reader.integer(UInt64.self).flatMap { Int(exactly: $0) } }
        guard let dataOffset = int(&reader), let dataBytes = int(&reader), let storedBytes = int(&reader),
            let indexOffset = int(&reader), let pages = reader.integer(UInt32.self),
            let buckets = reader.integer(UInt32.self), let addressBits = reader.integer(UInt8.self),
            let windowShift = reader.integer(UInt8.self), reader.take(6) != nil, let metadataOffset = int(&reader),
            let fences = int(&reader), let blockTable = int(&reader), let pageTable = int(&reader),
            let ranges = int(&reader), let properties = int(&reader), let blocks = reader.integer(UInt32.self),
            let metadataChecksum = reader.integer(UInt32.self)
        else { return nil }
        let indexGeometry = HashIndexGeometry(
            pageCount: Int(pages), bucketsPerPage: Int(buckets), addressBits: Int(addressBits))
        return SegmentFooter(
            dataOffset: dataOffset, dataBytes: dataBytes, storedBytes: storedBytes, blockCount: Int(blocks),
            windowShift: Int(windowShift), indexOffset: indexOffset, indexGeometry: indexGeometry,
            metadataOffset: metadataOffset, fenceBytes: fences, blockTableBytes: blockTable, pageTableBytes: pageTable,
            rangeTombstoneBytes: ranges, propertyBytes: properties, metadataChecksum: metadataChecksum)
    }

    /// True if offsets, sizes and geometry are consistent. ``BlockIndex`` checks the number of blocks. The sizes are
    /// bounded first, so that no sum can overflow.
    private func isConsistent(fileBytes: Int) -> Bool {
        let sizes = [dataOffset, storedBytes, indexOffset, metadataOffset] + sections
        guard sizes.allSatisfy({ $0 <= fileBytes }), dataBytes <= SegmentFormat.maximumDataBytes,
            // Opening allocates tables in proportion to `dataBytes` before it has read a block.
            dataBytes <= storedBytes * Deflate.greatestRatio, (6...16).contains(windowShift), indexGeometry.isValid
        else { return false }
        return dataOffset == FileHeader.size
            && indexOffset == SegmentFormat.roundUp(dataOffset + storedBytes)
            && metadataOffset == indexOffset + indexGeometry.byteCount
            && pageTableBytes == 4 * indexGeometry.pageCount
            && metadataOffset + metadataBytes + Self.size == fileBytes
    }
}
