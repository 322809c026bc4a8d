import Synchronization

/// Reads a segment. Any number of threads may use one reader.
///
/// Everything that it hands out has passed its checksum. In a mapping that is done once for each block and each page
/// of the hash index, at the first touch; what is read is checked as it is read.
final class SegmentReader: Sendable {
    let path: String
    /// What the manifest knows of the segment, or should.
    let info: SegmentInfo
    /// The first key of ``info``, at an address that does not change.
    let firstKey: HeapBytes
    /// The range tombstones that the segment holds.
    let rangeTombstones: RangeTombstones
    let fences: BlockIndex
    let geometry: HashIndexGeometry
    let layout: SegmentLayout
    /// The blocks, where they can be served from a mapping.
    let mappedData: Bytes?
    let mappedIndex: Bytes?
    let dataBytes: Int
    let blockLayout: BlockLayout
    let windowShift: Int
    let verifiedBlocks: AtomicBitmap
    /// The windows in which everything is verified: one look at them spares lookups the way through the fences.
    let verifiedWindows: AtomicBitmap
    let verifiedPages: AtomicBitmap
    let cache: BlockCache?
    let cacheOwner: UInt64
    let source: Source
    let pageCache: PageCache
    /// Reads the pages of a mapping before they are touched; nil without one.
    let fetcher: PageFetcher?
    /// Whether the hash index was asked for, or found in memory.
    let isIndexFetched = Atomic(false)
    /// Pages of it that were found there.
    let presentPages = Atomic(0)
    private let fileSystem: any FileSystem
    private let store: StoreIdentity?

    /// Where bytes come from.
    enum Source: Sendable {
        case mapping(any FileMapping)
        case file(any File)
    }

    /// Opens a segment and checks its size, header, footer and metadata.
    /// - Parameters:
    ///   - path: of the file.
    ///   - number: the number in the file's name.
    ///   - store: the store that it must belong to, where that is known.
    ///   - info: what the manifest says of it, where that is known; everything of it is checked.
    ///   - access: through a mapping, which needs no descriptor, or by reads from a file that stays open.
    ///   - cache: keeps what is read or inflated. Without one, every read goes to the file.
    ///   - pageCache: tells whether the store's files fit into memory.
    /// - Throws: ``StoreError``, naming the file and the offset.
    /// - Complexity: O(size of the metadata), about 3 bytes a thousand of data
    init(
        fileSystem: any FileSystem, path: String, number: UInt64, store: StoreIdentity?, info: SegmentInfo? = nil,
        access: FileAccess = .mapped, cache: BlockCache? = nil, pageCache: PageCache = PageCache(source: { nil })
    ) throws(StoreError) {
        self.pageCache = pageCache
        self.fileSystem = fileSystem
        self.path = path
        self.store = store
        self.cache = cache
        let file = try storeErrors { () throws(FileSystemError) in
            try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.open(path, .read) }
        }
        layout = try SegmentLayout(file, number: number, store: store, expected: info)
        self.info = layout.info
        firstKey = HeapBytes(copying: layout.info.firstKey)
        rangeTombstones = layout.rangeTombstones
        fences = layout.fences
        geometry = layout.footer.index
        dataBytes = layout.footer.dataBytes
        blockLayout = layout.blockLayout
        verifiedBlocks = AtomicBitmap(count: layout.footer.blockCount)
        windowShift = layout.footer.windowShift
        verifiedWindows = AtomicBitmap(count: dataBytes >> windowShift + 1)
        verifiedPages = AtomicBitmap(count: layout.footer.index.pageCount)
        cacheOwner = cache?.newOwner() ?? 0
        switch access {
        case .mapped:
            let length = layout.info.fileBytes
            let mapping = try storeErrors { () throws(FileSystemError) in
                let mapping = try file.map(length: length, writable: false)
                try file.close()
                return mapping
            }
            guard mapping.memory.count >= length,
                let index = mapping.memory.bytes.slice(layout.footer.indexOffset, geometry.byteCount),
                let data = mapping.memory.bytes.slice(layout.footer.dataOffset, layout.isCompressed ? 0 : dataBytes)
            else {
                throw .corrupt("the file is shorter than when it was opened", file: path)
            }
            // Without the index: of random reads the kernel takes no notice when it looks for pages that are in use.
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

    /// Whether records live as long as the reader, so that no pin is needed.
    @inline(__always)
    var isPinless: Bool { mappedData != nil }

    /// Reads every byte of the file anew and checks it: all checksums, the order of records, that index and records
    /// agree, and all counts.
    /// - Parameter progress: called now and then with the bytes checked since the last call.
    /// - Returns: what is wrong; empty where all is well.
    /// - Throws: ``StoreError`` where the file cannot be read at all.
    func verify(progress: (Int) -> Void = { _ in }) throws(StoreError) -> [SegmentProblem] {
        try SegmentVerifier.verify(
            fileSystem: fileSystem, path: path, number: info.number, store: store, info: info, progress: progress)
    }
}
