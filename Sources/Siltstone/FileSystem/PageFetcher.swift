/// Reads pages of a mapped file from the disk before they are touched.
///
/// A page fault reads one page, or megabytes around it, and waits; which of the two the kernel is told once for the
/// mapping. The fetcher asks for what will be used, in one read of the disk.
final class PageFetcher: Sendable {
    /// Logarithm of the bytes that are read together where the whole store fits into memory.
    private static let chunkShift = 20

    let mapping: any FileMapping
    private let pageCache: PageCache
    private let length: Int
    /// The chunks that were asked for.
    private let chunks: AtomicBitmap

    init(_ mapping: any FileMapping, length: Int, pageCache: PageCache) {
        self.mapping = mapping
        self.pageCache = pageCache
        self.length = length
        chunks = AtomicBitmap(count: length >> Self.chunkShift + 1)
    }

    /// Asks for a range that is looked at for the first time.
    ///
    /// Where the store fits into memory and the range is missing, that is the chunk around it, and the next one of a walk:
    /// soon all of the file will be read, and 1 MiB takes about as long as ten single pages.
    func fetch(first offset: Int, _ count: Int) {
        if pageCache.isTight { return fetch(offset, count) }
        let first = offset >> Self.chunkShift
        let last = (offset + max(1, count) - 1) >> Self.chunkShift
        for chunk in first...last where !chunks.isSet(chunk) {
            chunks.set(chunk)
            // Of the range alone: to look at a chunk takes as long as to check the checksum of a few blocks.
            if isInMemory(offset, count) { continue }
            let (before, after) = (isAsked(chunk - 1), isAsked(chunk + 1))
            fetch(chunk: chunk)
            if before, !after { fetch(chunk: chunk + 1) }
            if after, !before { fetch(chunk: chunk - 1) }
        }
    }

    private func isAsked(_ chunk: Int) -> Bool {
        chunk >= 0 && chunk << Self.chunkShift < length && chunks.isSet(chunk)
    }

    private func fetch(chunk: Int) {
        guard chunk >= 0, chunk << Self.chunkShift < length else { return }
        chunks.set(chunk)
        fetch(chunk << Self.chunkShift, 1 << Self.chunkShift)
    }

    /// Asks for a range. Takes 0.6 µs where it is in memory.
    func fetch(_ offset: Int, _ count: Int) {
        pageCache.noteMiss()
        mapping.beginReading(offset: offset, length: min(count, length - offset))
    }

    /// Asks for a range, and tells whether all of it was in memory: to find that out takes less than to ask for many pages.
    @discardableResult
    func fetchMissing(_ offset: Int, _ count: Int) -> Bool {
        if isInMemory(offset, count) { return true }
        fetch(offset, count)
        return false
    }

    private func isInMemory(_ offset: Int, _ count: Int) -> Bool {
        mapping.isInMemory(offset: offset, length: min(count, length - offset))
    }

    /// Whether a range lies in two pages or more, which would be two reads of the disk.
    @inline(__always)
    static func spansPages(_ offset: Int, _ count: Int) -> Bool {
        offset / Platform.pageSize != (offset + max(1, count) - 1) / Platform.pageSize
    }
}
