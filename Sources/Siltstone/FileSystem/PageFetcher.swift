/// Reads pages of a mapped file from the disk before they are accessed.
///
/// A page fault waits while it reads one page, or megabytes around it: madvise(2) chooses one of the two for the whole
/// mapping. The fetcher requests the bytes that will be used, in one read of the disk.
///
/// Any thread may use it. Two threads may request the same chunk at once, which costs only a call.
final class PageFetcher: Sendable {
    /// Binary logarithm of the bytes of a chunk, which is read at once if the complete store fits into memory.
    private static let chunkShift = 20

    let mapping: any FileMapping
    private let pageCache: PageCache
    /// Bytes of the file.
    private let length: Int
    /// The chunks that were requested, or found in memory at their first use. Never cleared: page faults read the pages
    /// that the kernel evicts later.
    private let chunks: AtomicBitmap

    init(_ mapping: any FileMapping, length: Int, pageCache: PageCache) {
        self.mapping = mapping
        self.pageCache = pageCache
        self.length = length
        chunks = AtomicBitmap(count: length >> Self.chunkShift + 1)
    }

    /// Requests a range at its first use.
    ///
    /// If the store fits into memory and the range is missing, the fetcher requests the complete chunk around it,
    /// because the complete file will be read soon, and 1 MiB takes about as long as ten single pages. If one neighbor
    /// of the chunk was used before, as in a scan, it requests the other one as well.
    func fetchAtFirstUse(_ offset: Int, _ count: Int) {
        if pageCache.isTight { return fetch(offset, count) }
        let first = offset >> Self.chunkShift
        let last = (offset + max(1, count) - 1) >> Self.chunkShift
        for chunk in first...last where !chunks.isSet(chunk) {
            chunks.set(chunk)
            // Only the range is checked, because checking a chunk takes as long as the checksums of a few blocks.
            if isInMemory(offset, count) { continue }
            let (before, after) = (wasUsed(chunk - 1), wasUsed(chunk + 1))
            fetchChunk(chunk)
            if before, !after { fetchChunk(chunk + 1) }
            if after, !before { fetchChunk(chunk - 1) }
        }
    }

    /// Returns true if a chunk was used or requested before; false for a chunk outside of the file.
    private func wasUsed(_ chunk: Int) -> Bool {
        chunk >= 0 && chunk << Self.chunkShift < length && chunks.isSet(chunk)
    }

    private func fetchChunk(_ chunk: Int) {
        guard chunk >= 0, chunk << Self.chunkShift < length else { return }
        chunks.set(chunk)
        fetch(chunk << Self.chunkShift, 1 << Self.chunkShift)
    }

    /// Requests a range, whether it is in memory or not. If it is, the call takes 0.6 µs.
    func fetch(_ offset: Int, _ count: Int) {
        pageCache.noteRequest()
        mapping.beginReading(offset: offset, length: min(count, length - offset))
    }

    /// Requests a range unless it is in memory. The check takes less time than a request for many pages.
    /// - Returns: true if all of it was in memory.
    @discardableResult
    func fetchMissing(_ offset: Int, _ count: Int) -> Bool {
        if isInMemory(offset, count) { return true }
        fetch(offset, count)
        return false
    }

    private func isInMemory(_ offset: Int, _ count: Int) -> Bool {
        mapping.isInMemory(offset: offset, length: min(count, length - offset))
    }

    /// Returns true if a range overlaps two pages or more, which would be two reads of the disk.
    @inline(__always)
    static func spansPages(_ offset: Int, _ count: Int) -> Bool {
        offset / Platform.pageSize != (offset + max(1, count) - 1) / Platform.pageSize
    }
}
