extension SegmentReader {
    /// Returns a block after verifying its checksum.
    /// - Parameters:
    ///   - block: from 0 up to, but not including, the number of blocks.
    ///   - pin: keeps the block valid. Left unchanged if the block is valid as long as the reader.
    ///   - caching: true if the read leaves a trace for others: an unmapped block goes into the cache, a mapped one is
    ///     marked as verified. Merges pass false. They would evict everything else from the cache, and ``isRead`` would
    ///     count them as user reads.
    @inline(__always)
    func block(_ block: Int, pin: inout BlockPin, caching: Bool = true) throws(StoreError) -> Block {
        if let mappedData {
            try touch(block, mappedData, noting: caching)
            guard let view = Block(bytes(of: block, in: mappedData), layout: blockLayout) else {
                throw malformed(block)
            }
            return view
        }
        return try loadedBlock(block, pin: &pin, caching: caching)
    }

    /// Prefetches both ends of a mapped block, where a search starts: the header with the first record, and the digests
    /// and slots. The header tells where these start, but the prefetch does not wait for it.
    @inline(__always)
    func prefetch(_ block: Int) {
        guard let mappedData else { return }
        let tail = 512
        let bytes = bytes(of: block, in: mappedData)
        Prefetch.line(bytes)
        Prefetch.lines(bytes, at: max(0, bytes.count &- tail), count: min(tail, bytes.count))
    }

    @inline(__always)
    private func bytes(of block: Int, in mappedData: Bytes) -> Bytes {
        mappedData.uncheckedSlice(blockIndex.start(of: block), blockIndex.length(of: block))
    }

    /// Verifies the checksum of a mapped block if it is not marked as verified.
    /// - Parameter noting: true to mark the block as verified.
    @inline(__always)
    func touch(_ block: Int, _ mappedData: Bytes, noting: Bool = true) throws(StoreError) {
        if _slowPath(!verifiedBlocks.isSet(block)) { try verifyMapped(block, mappedData, noting) }
    }

    @inline(never)
    private func verifyMapped(_ block: Int, _ mappedData: Bytes, _ noting: Bool) throws(StoreError) {
        fetch(block)
        try check(bytes(of: block, in: mappedData), block)
        if noting { verifiedBlocks.set(block) }
    }

    private func check(_ bytes: Bytes, _ block: Int) throws(StoreError) {
        let checksum = Block.checksum(bytes, segment: info.number, address: blockIndex.start(of: block))
        guard checksum == bytes.integer(at: 0) else {
            throw .corrupt("a block fails its checksum", file: path, offset: fileOffset(of: block))
        }
    }

    /// File offset of a block.
    func fileOffset(of block: Int) -> Int {
        layout.isCompressed ? layout.storedOffsets[block] : layout.footer.dataOffset + blockIndex.start(of: block)
    }

    /// The error for a block or record that violates the format although its checksum is correct.
    @inline(never)
    func malformed(_ block: Int) -> StoreError {
        .corrupt("a block is malformed", file: path, offset: fileOffset(of: block))
    }

    @inline(never)
    private func loadedBlock(_ block: Int, pin: inout BlockPin, caching: Bool) throws(StoreError) -> Block {
        let bytes = try cached(blockIndex.start(of: block), &pin, caching: caching, load(block))
        guard let view = Block(bytes, layout: blockLayout) else { throw malformed(block) }
        return view
    }

    /// Finds bytes in the cache, or loads them.
    /// - Parameter offset: identifies the bytes in the cache.
    private func cached(
        _ offset: Int, _ pin: inout BlockPin, caching: Bool = true,
        _ load: @autoclosure () throws(StoreError) -> HeapBytes
    ) throws(StoreError) -> Bytes {
        let key = BlockCache.Key(owner: cacheOwner, offset: offset)
        if let found = cache?.find(key) {
            pin.owner = found
            return found.bytes
        }
        let loaded = try load()
        if caching { cache?.insert(loaded, for: key) }
        pin.owner = loaded
        return loaded.bytes
    }

    private func load(_ block: Int) throws(StoreError) -> HeapBytes {
        guard layout.isCompressed else {
            let bytes = try read(offset: fileOffset(of: block), count: blockIndex.length(of: block))
            try check(bytes.bytes, block)
            return bytes
        }
        let offset = layout.storedOffsets[block]
        let bytes = try read(offset: offset, count: layout.storedOffsets[block + 1] - offset)
        guard let stored = StoredBlock(bytes.bytes, segment: info.number) else {
            throw .corrupt("a compressed block fails its checksum", file: path, offset: offset)
        }
        guard stored.address == blockIndex.start(of: block), stored.length == blockIndex.length(of: block),
            let expanded = try stored.expand(bytes.bytes)
        else { throw malformed(block) }
        try check(expanded.bytes, block)
        return expanded
    }

    /// Copies a part of the file. Copies from a mapping too, because the caller keeps the bytes or is about to inflate
    /// them.
    private func read(offset: Int, count: Int) throws(StoreError) -> HeapBytes {
        switch source {
        case .file(let file):
            return try HeapBytes.read(file, offset: offset, count: count)
        case .mapping(let mapping):
            let copy = HeapBytes(count: count)
            guard let part = mapping.memory.bytes.slice(offset, count) else {
                throw .corrupt("the file is shorter than its footer says", file: path, offset: offset)
            }
            fetcher?.fetchAtFirstUse(offset, count)
            copy.buffer.copyMemory(from: part)
            return copy
        }
    }

    // MARK: Pages of the hash index

    /// Returns a page of the hash index after verifying its checksum.
    @inline(__always)
    func indexPage(_ page: Int, pin: inout BlockPin) throws(StoreError) -> Bytes {
        if let mappedIndex {
            if _slowPath(!verifiedPages.isSet(page)) { try verifyMapped(page: page, mappedIndex) }
            return bytes(ofPage: page, in: mappedIndex)
        }
        return try loadedPage(page, pin: &pin)
    }

    /// Verifies the checksum of a mapped page, and marks the page as verified.
    @inline(never)
    func verifyMapped(page: Int, _ mappedIndex: Bytes) throws(StoreError) {
        fetchIndex(page)
        try check(bytes(ofPage: page, in: mappedIndex), page: page)
        verifiedPages.set(page)
    }

    @inline(__always)
    func bytes(ofPage page: Int, in mappedIndex: Bytes) -> Bytes {
        mappedIndex.uncheckedSlice(page &* geometry.pageByteCount, geometry.pageByteCount)
    }

    private func check(_ bytes: Bytes, page: Int) throws(StoreError) {
        guard CRC32.checksum(bytes) == layout.checksum(ofPage: page) else {
            throw .corrupt("a page of the hash index fails its checksum", file: path, offset: fileOffset(ofPage: page))
        }
    }

    /// File offset of a page of the hash index.
    func fileOffset(ofPage page: Int) -> Int { layout.footer.indexOffset + page * geometry.pageByteCount }

    @inline(never)
    private func loadedPage(_ page: Int, pin: inout BlockPin) throws(StoreError) -> Bytes {
        // Blocks have the cache offsets from 0 up. Pages have the negative ones.
        try cached(-1 - page, &pin, load(page: page))
    }

    private func load(page: Int) throws(StoreError) -> HeapBytes {
        let bytes = try read(offset: fileOffset(ofPage: page), count: geometry.pageByteCount)
        try check(bytes.bytes, page: page)
        return bytes
    }
}
