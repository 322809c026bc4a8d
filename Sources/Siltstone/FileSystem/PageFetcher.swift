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
    /// Where the store fits into memory that is the chunk around it, and the next one of a walk: soon all of the file will
    /// be read, and 1 MiB takes about as long as ten single pages.
    func fetch(first offset: Int, _ count: Int) {
        if pageCache.isTight { return fetch(offset, count) }
        let first = offset >> Self.chunkShift
        let last = (offset + max(1, count) - 1) >> Self.chunkShift
        for chunk in first...last where !chunks.isSet(chunk) {
            fetch(chunk: chunk)
            if chunk > 0, chunks.isSet(chunk - 1) { fetch(chunk: chunk + 1) }
            if (chunk + 1) << Self.chunkShift < length, chunks.isSet(chunk + 1) { fetch(chunk: chunk - 1) }
        }
    }

    private func fetch(chunk: Int) {
        guard chunk >= 0, chunk << Self.chunkShift < length, !chunks.isSet(chunk) else { return }
        chunks.set(chunk)
        fetchMissing(chunk << Self.chunkShift, 1 << Self.chunkShift)
    }

    /// Asks for a range. Takes 0.6 µs where it is in memory.
    func fetch(_ offset: Int, _ count: Int) {
        mapping.beginReading(offset: offset, length: min(count, length - offset))
    }

    /// Asks for a range that is likely to be in memory: to find that out takes less than to ask for many pages.
    func fetchMissing(_ offset: Int, _ count: Int) {
        let count = min(count, length - offset)
        if count > 0, !mapping.isInMemory(offset: offset, length: count) {
            mapping.beginReading(offset: offset, length: count)
        }
    }

    /// Asks for a range, and tells whether all of it was in memory.
    func isReady(_ offset: Int, _ count: Int) -> Bool {
        let count = min(count, length - offset)
        if mapping.isInMemory(offset: offset, length: count) { return true }
        mapping.beginReading(offset: offset, length: count)
        return false
    }

    /// Whether a range lies in two pages or more, which would be two reads of the disk.
    @inline(__always)
    static func spansPages(_ offset: Int, _ count: Int) -> Bool {
        offset / Platform.pageSize != (offset + max(1, count) - 1) / Platform.pageSize
    }
}
