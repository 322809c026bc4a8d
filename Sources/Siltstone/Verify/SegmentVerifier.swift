/// Checks every byte of a segment. Continues after a problem. If the header, the footer or the metadata are damaged, it
/// only searches for intact blocks, and checks that their records decode.
///
/// Opens a reader of its own, because the store's reader skips blocks that it has verified before. Reads the file by
/// `read`, not through a mapping, so that an I/O error is thrown and does not end the process with SIGBUS. The kernel
/// may serve these reads from its page cache, so damage on the disk below cached pages can go unnoticed. Blocks bypass
/// the block cache. Index pages are cached.
struct SegmentVerifier {
    private let reader: SegmentReader
    private var path: String { reader.path }
    private var problems: [VerificationReport.Problem] = []
    /// The properties that follow from the records.
    private var summary: SegmentSummary
    /// The key of the previous record; nil before the first record, and after a block or record that could not be read.
    private var previousKey: [UInt8]?
    /// The sequence number of the previous record.
    private var previousSequence: SequenceNumber = 0
    /// The number of distinct keys.
    private var keyCount = 0
    /// The number of entries in the intact pages of the hash index.
    private var indexedCount = 0
    /// Indexes of the damaged pages of the hash index.
    private var damagedPages: Set<Int> = []
    /// True if some records could not be read. Totals then cannot be compared.
    private var isPartial = false
    /// The most bytes of the hash index to cache while the records are compared with it. Lookups hit index pages in
    /// random order, so pages of a larger index are evicted and read repeatedly. The exact value was not measured.
    private static let indexCacheBytes = 64 << 20

    /// Checks a segment file.
    /// - Parameters:
    ///   - info: the properties that the file must have; nil to take them from its footer.
    ///   - progress: called with the bytes checked since its last call: after each page of the hash index, after each
    ///     block, and at the end with the bytes of header, footer and metadata. If one of these is damaged, called
    ///     once, with the size of the file.
    ///   - number: the number in the file's name. The other parameters are those of
    ///     ``SegmentReader/init(fileSystem:path:number:store:info:access:cache:pageCache:)``.
    /// - Returns: the problems; empty if the file is intact.
    /// - Throws: ``StoreError`` if the file cannot be read. Does not throw for damage.
    static func verify(
        fileSystem: any FileSystem, path: String, number: UInt64, store: StoreIdentity?, info: SegmentInfo?,
        progress: (Int) -> Void = { _ in }
    ) throws(StoreError) -> [VerificationReport.Problem] {
        let reader: SegmentReader
        do {
            reader = try SegmentReader(
                fileSystem: fileSystem, path: path, number: number, store: store, info: info, access: .read,
                cache: BlockCache(capacity: indexCacheBytes))
        } catch {
            guard error.isDamage else { throw error }
            // Without metadata, the verifier knows only that the segment is a sequence of blocks. Salvage finds out
            // which of them are intact.
            let salvage = try SegmentSalvage.salvage(fileSystem: fileSystem, path: path, number: number) { _ in }
            progress(salvage.bytesRead)
            // Salvage may have met the same damage, which it reports without bytes of records, at the same place.
            let place = error.offset ?? 0
            return [.init(error, file: path)]
                + salvage.lost.filter { $0.count > 0 || $0.offset != place }
                .map { .init(file: path, offset: $0.offset, message: $0.message) }
        }
        var verifier = SegmentVerifier(reader: reader, summary: SegmentSummary(number: reader.info.number))
        try verifier.checkPadding()
        try verifier.checkPages(progress)
        try verifier.checkBlocks(progress)
        verifier.checkTotals()
        progress(FileHeader.size + SegmentFooter.size + reader.layout.footer.metadataBytes)
        return verifier.problems
    }

    private mutating func report(_ message: String, at offset: Int?) {
        problems.append(.init(file: path, offset: offset, message: message))
    }

    /// Makes a read. Records damage as a problem and returns nil.
    /// - Throws: errors that are not damage, such as a failed read.
    private mutating func checking<R>(_ read: @autoclosure () throws(StoreError) -> R) throws(StoreError) -> R? {
        do { return try read() } catch {
            try problems.append(damage: error, in: path)
            return nil
        }
    }

    /// Checks that the bytes between the last block and the hash index are zeros.
    private mutating func checkPadding() throws(StoreError) {
        let start = reader.layout.footer.dataOffset + reader.layout.footer.storedBytes
        let count = reader.layout.footer.indexOffset - start
        guard count > 0, case .file(let file) = reader.source else { return }
        let bytes = try checking(HeapBytes.read(file, offset: start, count: count))
        if let bytes, !bytes.bytes.allSatisfy({ $0 == 0 }) {
            report("the padding before the hash index is not zero", at: start)
        }
    }

    /// Checks the pages of the hash index, and counts their entries.
    private mutating func checkPages(_ progress: (Int) -> Void) throws(StoreError) {
        for page in 0..<reader.geometry.pageCount {
            var pin = BlockPin()
            let reader = self.reader  // a copy, because `checking` changes `self` while its argument reads it
            if let bytes = try checking(reader.indexPage(page, pin: &pin)) {
                indexedCount += Self.entries(in: bytes)
            } else {
                damagedPages.insert(page)
            }
            withExtendedLifetime(pin) {}
            progress(reader.geometry.pageByteCount)
        }
    }

    /// The number of entries of a page. A slot is used if its fingerprint is not 0.
    private static func entries(in page: Bytes) -> Int {
        var count = 0
        for bucket in stride(from: 0, to: page.count, by: HashIndexGeometry.bucketBytes) {
            for place in 0..<HashIndexGeometry.entriesPerBucket where page[bucket + place] != 0 { count += 1 }
        }
        return count
    }

    /// Checks all blocks, and the records in them.
    private mutating func checkBlocks(_ progress: (Int) -> Void) throws(StoreError) {
        let reader = self.reader  // a copy, as in `checkPages`
        for number in 0..<reader.blockIndex.blockCount {
            var pin = BlockPin()
            let block = try checking(reader.block(number, pin: &pin, caching: false))
            if let block {
                try check(block, number)
            } else {
                isPartial = true
                previousKey = nil  // order across the gap cannot be checked
            }
            withExtendedLifetime(pin) {}
            progress(
                reader.layout.isCompressed
                    ? reader.layout.storedOffsets[number + 1] - reader.layout.storedOffsets[number]
                    : reader.blockIndex.length(of: number))
        }
    }

    /// Checks the records of a block, its padding and its digests.
    private mutating func check(_ block: Block, _ number: Int) throws(StoreError) {
        let start = reader.blockIndex.start(of: number)
        let fileOffset = reader.fileOffset(of: number)
        var expectedOffset = block.layout.headerSize
        for slot in 0..<block.count {
            guard let found = block.record(slot), block.offset(ofSlot: slot) == expectedOffset else {
                isPartial = true
                previousKey = nil  // unknown from here on, as after a damaged block
                report("record \(slot) of a block is malformed or not where its slot says", at: fileOffset)
                return
            }
            if slot == 0 { checkFence(found.record, number) }
            checkOrder(found, isFirst: number == 0 && slot == 0, at: fileOffset)
            if !found.isOlder {
                keyCount += 1
                try checkIndexed(found.record.key, address: start + expectedOffset, at: fileOffset)
            }
            if !summary.add(found.record) {
                report("the value of a pointer record is not a valid value pointer", at: fileOffset)
            }
            (previousKey, previousSequence) = (Array(found.record.key), found.record.sequence)
            expectedOffset = found.end
        }
        if !block.recordBytes.isZero(expectedOffset..<block.limit) {
            report("a block has bytes after its records that are not zero", at: fileOffset)
        }
        if !block.hasRightDigests() { report("the digests of a block do not match its keys", at: fileOffset) }
    }

    /// Checks the fence of a block: it follows the previous block's keys, and is not larger than the block's first key.
    /// If the block continues the key of the previous block, the fence is that key plus the sequence number of the
    /// block's first record.
    private mutating func checkFence(_ record: Record, _ number: Int) {
        let fence = reader.blockIndex.fence(of: number)
        let order = compareKeys(fence.key, record.key)
        let isContinued = fence.sequence != BlockIndex.beforeAllVersions
        let isRight = isContinued ? order == 0 && fence.sequence == record.sequence : order <= 0
        // Unknown for the first block, and after damage.
        let follows = previousKey.map { key in key.withBytes { compareKeys($0, fence.key) } }
        let isPlaced = isContinued ? number > 0 && (follows ?? 0) == 0 : number == 0 || (follows ?? -1) < 0
        if !isRight || !isPlaced {
            report("the fence of block \(number) does not match its records", at: reader.layout.footer.metadataOffset)
        }
    }

    /// Checks that a record follows the previous one, and is marked as older exactly if both have the same key.
    /// - Parameter isFirst: true for the segment's first record.
    private mutating func checkOrder(_ found: BlockRecord, isFirst: Bool, at offset: Int) {
        guard let key = previousKey else {
            if isFirst, found.isOlder { report("the first record is marked as an older version", at: offset) }
            return
        }
        let order = key.withBytes { compareKeys($0, found.record.key) }
        let isRight =
            order < 0 ? !found.isOlder : order == 0 && found.isOlder && previousSequence > found.record.sequence
        if !isRight { report("records are out of order", at: offset) }
    }

    /// Checks that the hash index maps a key to its newest record. Skips keys whose index page is damaged.
    /// - Parameters:
    ///   - address: offset of the record in the uncompressed blocks.
    ///   - offset: of the block in the file, for the report.
    private mutating func checkIndexed(_ key: Bytes, address: Int, at offset: Int) throws(StoreError) {
        let hash = KeyHash.hash(key)
        let page = reader.geometry.page(of: hash)
        guard reader.geometry.pageCount > 0, !damagedPages.contains(page) else { return }
        var pin = BlockPin()
        let reader = self.reader  // a copy, as in `checkPages`
        guard let bytes = try checking(reader.indexPage(page, pin: &pin)) else { return }
        defer { withExtendedLifetime(pin) {} }
        var probe = HashIndexProbe(bytes, hash: hash, geometry: reader.geometry)
        while let candidate = probe.next() {
            if candidate == address { return }
        }
        report("the hash index does not lead to the record at address \(address)", at: offset)
    }

    /// Compares the stored properties, and the number of index entries, with those that follow from the records.
    private mutating func checkTotals() {
        guard !isPartial else { return }
        summary.finish(lastKey: previousKey ?? [], rangeTombstones: reader.rangeTombstones.tombstones)
        // These two describe the file, not the records. If the caller has passed `info`, the reader has compared them
        // with it.
        summary.info.fileBytes = reader.info.fileBytes
        summary.info.footerChecksum = reader.info.footerChecksum
        if summary.info != reader.info {
            report("the properties do not match the records", at: reader.layout.footer.metadataOffset)
        }
        if damagedPages.isEmpty, reader.geometry.pageCount > 0, indexedCount != keyCount {
            report(
                "the hash index has \(indexedCount) entries for \(keyCount) keys", at: reader.layout.footer.indexOffset
            )
        }
    }
}

extension VerificationReport.Problem {
    init(_ error: StoreError, file: String) {
        self.init(file: error.file ?? file, offset: error.offset, message: error.message)
    }
}

extension [VerificationReport.Problem] {
    /// Appends the problem that an error reports.
    /// - Throws: errors that are not damage, such as a failed read.
    mutating func append(damage error: StoreError, in file: String) throws(StoreError) {
        guard error.isDamage else { throw error }
        append(.init(error, file: file))
    }
}

extension SegmentReader {
    /// Reads and checks the file again: all checksums, the order of records, the agreement of index and records, and
    /// all counts. If the header, the footer or the metadata are damaged, checks only the blocks (``SegmentVerifier``).
    /// - Parameter progress: called as by ``SegmentVerifier/verify(fileSystem:path:number:store:info:progress:)``.
    /// - Returns: the problems; empty if the file is intact.
    /// - Throws: ``StoreError`` if the file cannot be read.
    func verify(progress: (Int) -> Void = { _ in }) throws(StoreError) -> [VerificationReport.Problem] {
        try SegmentVerifier.verify(
            fileSystem: fileSystem, path: path, number: info.number, store: store, info: info, progress: progress)
    }
}
