import Synchronization

/// Reads a segment. Any number of threads may share one reader.
///
/// Without a mapping, each load is verified against its checksum. In a mapping, user reads and preloading mark the blocks
/// and hash index pages that they have verified. No read verifies these again, although the system may have dropped a
/// page since, and may read it from the disk again.
final class SegmentReader: Sendable {
    let path: String
    /// The manifest's entry for the segment. If the manifest was not consulted, the entry that it should have.
    let info: SegmentInfo
    /// The first key of ``info``, at a fixed address.
    let firstKey: HeapBytes
    /// The range tombstones of the segment.
    let rangeTombstones: RangeTombstones
    let blockIndex: BlockIndex
    let geometry: HashIndexGeometry
    let layout: SegmentLayout
    /// The blocks, if the segment is mapped and not compressed.
    let mappedData: Bytes?
    /// The hash index, if the segment is mapped.
    let mappedIndex: Bytes?
    /// Logical bytes of all blocks.
    let dataBytes: Int
    let blockLayout: BlockLayout
    let windowShift: Int
    /// Mapped blocks that are marked as verified.
    let verifiedBlocks: AtomicBitmap
    /// Windows in which every block is verified. A window is a range of `1 << windowShift` logical addresses. Checking
    /// its bit spares a lookup the search for the block in the block index.
    let verifiedWindows: AtomicBitmap
    let verifiedPages: AtomicBitmap
    let cache: BlockCache?
    /// Identifies this reader in the cache.
    let cacheOwner: UInt64
    let source: Source
    let pageCache: PageCache
    /// Reads the pages of a mapping before they are used; nil without a mapping.
    let fetcher: PageFetcher?
    /// True if the hash index was requested, or is assumed to be in memory.
    let isIndexFetched = Atomic(false)
    /// Number of hash-index pages that were found in memory.
    let presentPages = Atomic(0)
    let fileSystem: any FileSystem
    let store: StoreIdentity?

    /// The source of the bytes.
    enum Source: Sendable {
        case mapping(any FileMapping)
        case file(any File)
    }

    /// Opens a segment and checks its size, header, footer and metadata.
    /// - Parameters:
    ///   - path: path of the file.
    ///   - number: the number in the file's name.
    ///   - store: the store that the file must belong to; nil if it is unknown.
    ///   - info: the manifest's entry; nil if it is unknown. All of its fields are checked.
    ///   - access: through a mapping, which needs no descriptor, or by reads from a file that stays open.
    ///   - cache: caches blocks that were read or inflated. Without one, every read goes to the file.
    ///   - pageCache: reports whether the store's files fit into memory.
    /// - Throws: ``StoreError``, naming the file and the offset.
    /// - Complexity: O(size of the metadata), which is about 3 bytes per thousand bytes of data
    init(
        fileSystem: any FileSystem, path: String, number: UInt64, store: StoreIdentity?, info: SegmentInfo? = nil,
        access: FileAccess = .mapped, cache: BlockCache? = nil, pageCache: PageCache = PageCache(source: { nil })
    ) throws(StoreError) {
        self.pageCache = pageCache
        self.fileSystem = fileSystem
        self.path = path
        self.store = store
        self.cache = cache
        let file = try storeErrors(retrying(fileSystem.open(path, .read)))
        layout = try SegmentLayout(file, number: number, store: store, expected: info)
        self.info = layout.info
        firstKey = HeapBytes(copying: layout.info.firstKey)
        rangeTombstones = layout.rangeTombstones
        blockIndex = layout.blockIndex
        geometry = layout.footer.indexGeometry
        dataBytes = layout.footer.dataBytes
        blockLayout = layout.blockLayout
        verifiedBlocks = AtomicBitmap(count: layout.footer.blockCount)
        windowShift = layout.footer.windowShift
        verifiedWindows = AtomicBitmap(count: dataBytes >> windowShift + 1)
        verifiedPages = AtomicBitmap(count: layout.footer.indexGeometry.pageCount)
        cacheOwner = cache?.newOwner() ?? 0
        switch access {
        case .mapped:
            let length = layout.info.fileBytes
            let mapping = try storeErrors(file.map(length: length, writable: false))
            try storeErrors(file.close())
            guard mapping.memory.count >= length,
                let index = mapping.memory.bytes.slice(layout.footer.indexOffset, geometry.byteCount),
                let data = mapping.memory.bytes.slice(layout.footer.dataOffset, layout.isCompressed ? 0 : dataBytes)
            else {
                throw .corrupt("the file is shorter than when it was opened", file: path)
            }
            // Excludes the hash index. For memory that is advised for random reads, the kernel ignores accesses when it
            // looks for pages in use, and would evict the index.
            mapping.expectRandomReads(offset: 0, length: layout.footer.indexOffset)
            source = .mapping(mapping)
            fetcher = PageFetcher(mapping, length: length, pageCache: pageCache)
            mappedData = layout.isCompressed ? nil : data
            mappedIndex = index
        case .read:
            source = .file(file)
            fetcher = nil
            mappedData = nil
            mappedIndex = nil
        }
    }

    deinit { cache?.remove(owner: cacheOwner) }

    /// True if records are valid as long as the reader, so that they need no pin.
    @inline(__always)
    var isPinless: Bool { mappedData != nil }
}
