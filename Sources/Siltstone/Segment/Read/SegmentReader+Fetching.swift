import Synchronization

extension SegmentReader {
    /// True if the store does not fit into memory. The reader then requests pages from the disk before it reads them.
    @inline(__always)
    var isTight: Bool { pageCache.isTight }

    /// The mapping of the file; nil if the file is read by system calls.
    var mapping: (any FileMapping)? { fetcher?.mapping }

    /// Approximate bytes of memory that the reader takes: the metadata and the block index.
    var memoryBytes: Int { layout.footer.metadataBytes + BlockIndex.bytesPerBlock * blockIndex.blockCount }

    /// Average bytes of a block; at least 1.
    var averageBlockBytes: Int { max(1, dataBytes / max(1, blockIndex.blockCount)) }

    /// Average bytes of a record.
    private var averageRecordBytes: Int { dataBytes / max(1, info.recordCount) }

    /// Requests a mapped block from the disk, before its checksum is verified for the first time.
    func fetch(_ block: Int) {
        fetcher?.fetchAtFirstUse(fileOffset(of: block), blockIndex.length(of: block))
    }

    /// Requests the record at an address if it is likely to span two pages. A page fault would read only one of them.
    func fetchRecord(at address: Int) {
        let offset = layout.footer.dataOffset + address
        let count = min(averageRecordBytes, 64 << 10)
        if PageFetcher.spansPages(offset, count) { fetcher?.fetch(offset, count) }
    }

    /// Requests those of the blocks that are not in memory.
    /// - Returns: true if all are in memory.
    @discardableResult
    func fetchMissing(blocks: Range<Int>) -> Bool {
        let blocks = blocks.clamped(to: 0..<blockIndex.blockCount)
        guard let fetcher, !blocks.isEmpty else { return true }
        let start = fileOffset(of: blocks.lowerBound)
        return fetcher.fetchMissing(start, fileOffset(of: blocks.upperBound) - start)
    }

    /// After this many index pages were found in memory, the reader assumes that all are.
    private static let convincingPages = 8

    /// Requests the complete hash index when a page is first read and is not in memory. Otherwise every lookup of a
    /// missing key would read a page of its own. If there is no memory for the index, every lookup does read its own
    /// page.
    func fetchIndex(_ page: Int) {
        guard let fetcher, !isIndexFetched.load(ordering: .relaxed) else { return }
        let mapping = fetcher.mapping
        if mapping.isInMemory(offset: fileOffset(ofPage: page), length: geometry.pageByteCount) {
            // Pages are usually in memory together with their neighbours. Checking residency takes as long as verifying
            // a page's checksum.
            let found = presentPages.wrappingAdd(1, ordering: .relaxed).newValue
            if found >= Self.convincingPages { isIndexFetched.store(true, ordering: .relaxed) }
            return
        }
        isIndexFetched.store(true, ordering: .relaxed)
        if pageCache.isIndexTight {
            fetcher.mapping.expectRandomReads(offset: layout.footer.indexOffset, length: geometry.byteCount)
        } else {
            fetcher.fetch(layout.footer.indexOffset, geometry.byteCount)
        }
    }

    /// True if a lookup of a key needs no disk read. Otherwise starts the read.
    /// - Parameter hash: hash of the key.
    func isReady(_ key: Bytes, hash: UInt64) -> Bool {
        guard let fetcher else { return true }
        guard let mappedIndex, geometry.pageCount > 0 else {
            let block = blockIndex.search(key, BlockIndex.beforeAllVersions)
            return fetchMissing(blocks: block..<block + 1)
        }
        let page = geometry.page(of: hash)
        if !verifiedPages.isSet(page) { fetchIndex(page) }
        guard fetcher.fetchMissing(fileOffset(ofPage: page), geometry.pageByteCount) else { return false }
        var probe = HashIndexProbe(bytes(ofPage: page, in: mappedIndex), hash: hash, geometry: geometry)
        guard let address = probe.next(), address < dataBytes else { return true }
        let block = blockIndex.block(holding: address)
        guard !layout.isCompressed, verifiedBlocks.isSet(block) else { return fetchMissing(blocks: block..<block + 1) }
        return fetcher.fetchMissing(layout.footer.dataOffset + address, min(averageRecordBytes, 64 << 10))
    }
}
