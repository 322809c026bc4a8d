import Synchronization

extension SegmentReader {
    /// Whether the store does not fit into memory, so that what a read touches has to be asked for.
    @inline(__always)
    var isTight: Bool { pageCache.isTight }

    /// The mapping of the file; nil where it is read by calls.
    var mapping: (any FileMapping)? { fetcher?.mapping }

    /// Bytes of memory that the reader takes, about: metadata, and what the fences are searched by.
    var memoryBytes: Int { layout.footer.metadataBytes + BlockIndex.bytesPerBlock * fences.blockCount }

    /// Bytes of a block, about; 1 at least.
    var averageBlockBytes: Int { max(1, dataBytes / max(1, fences.blockCount)) }

    /// Bytes of a record, about.
    private var averageRecordBytes: Int { dataBytes / max(1, info.recordCount) }

    /// Asks for a mapped block that is looked at for the first time, before its checksum is.
    func fetch(_ block: Int) {
        fetcher?.fetch(first: fileOffset(of: block), fences.length(of: block))
    }

    /// Asks for the record at an address where it is likely to lie in two pages: a fault reads one.
    func fetchRecord(at address: Int) {
        let offset = layout.footer.dataOffset + address
        let count = min(averageRecordBytes, 64 << 10)
        if PageFetcher.spansPages(offset, count) { fetcher?.fetch(offset, count) }
    }

    /// Asks for those of some blocks that are not in memory.
    /// - Returns: whether all of them are.
    @discardableResult
    func fetchMissing(blocks: Range<Int>) -> Bool {
        let blocks = blocks.clamped(to: 0..<fences.blockCount)
        guard let fetcher, !blocks.isEmpty, let range = fileRange(of: blocks) else { return true }
        return fetcher.fetchMissing(range.lowerBound, range.count)
    }

    /// Where blocks are in the file, in bytes; nil where no mapping serves them.
    private func fileRange(of blocks: Range<Int>) -> Range<Int>? {
        if layout.isCompressed {
            return layout.storedOffsets[blocks.lowerBound]..<layout.storedOffsets[blocks.upperBound]
        }
        let start = layout.footer.dataOffset
        return start + fences.start(of: blocks.lowerBound)..<start + fences.start(of: blocks.upperBound)
    }

    /// Pages of the index that have to be found in memory before no more are looked at.
    private static let convincingPages = 8

    /// Asks for all of the hash index where a page of it is missing that is looked at for the first time: without it every
    /// look-up of a missing key would read a page of its own. Where there is no memory for it, each does.
    func fetchIndex(_ page: Int) {
        guard let fetcher, !isIndexFetched.load(ordering: .relaxed) else { return }
        let mapping = fetcher.mapping
        if mapping.isInMemory(offset: fileOffset(ofPage: page), length: geometry.pageByteCount) {
            // Most pages are like their neighbours, and to ask takes as long as to check a page's checksum.
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

    /// Whether a look-up of a key reads no disk. If it would, the read is begun.
    /// - Parameter hash: of the key.
    func isReady(_ key: Bytes, hash: UInt64) -> Bool {
        guard let fetcher else { return true }
        guard let mappedIndex, geometry.pageCount > 0 else {
            return fences.blockCount == 0 || isReady(fences.search(key, BlockIndex.beforeAllVersions))
        }
        let page = geometry.page(of: hash)
        if !verifiedPages.isSet(page) { fetchIndex(page) }
        guard fetcher.fetchMissing(fileOffset(ofPage: page), geometry.pageByteCount) else { return false }
        var probe = HashIndexProbe(bytes(ofPage: page, in: mappedIndex), hash: hash, geometry: geometry)
        guard let address = probe.next(), address < dataBytes else { return true }
        let block = fences.block(holding: address)
        guard !layout.isCompressed, verifiedBlocks.isSet(block) else { return isReady(block) }
        return fetcher.fetchMissing(layout.footer.dataOffset + address, min(averageRecordBytes, 64 << 10))
    }

    private func isReady(_ block: Int) -> Bool {
        guard let fetcher, let range = fileRange(of: block..<block + 1) else { return true }
        return fetcher.fetchMissing(range.lowerBound, range.count)
    }
}
