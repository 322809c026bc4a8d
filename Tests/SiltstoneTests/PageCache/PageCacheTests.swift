import Synchronization
import Testing

@testable import Siltstone

/// Whether files fit into memory.
struct PageCacheTests {
    @Test("files that grow near the memory there is do not fit, and only do again where there is clearly room")
    func thresholds() {
        let cache = PageCache { 800 }
        #expect(!cache.measure(fileBytes: 700, indexBytes: 0) && !cache.isTight)
        #expect(cache.measure(fileBytes: 701, indexBytes: 0) && cache.isTight)
        #expect(!cache.measure(fileBytes: 650, indexBytes: 0) && cache.isTight)
        #expect(cache.measure(fileBytes: 600, indexBytes: 0) && !cache.isTight)
        #expect(!cache.measure(fileBytes: 650, indexBytes: 0) && !cache.isTight)
    }

    @Test("indexes fit as long as they take half of it")
    func indexes() {
        let cache = PageCache { 800 }
        cache.measure(fileBytes: 5000, indexBytes: 400)
        #expect(cache.isTight && !cache.isIndexTight)
        cache.measure(fileBytes: 5000, indexBytes: 401)
        #expect(cache.isIndexTight)
    }

    @Test("where the system tells nothing, all fits")
    func unknown() {
        let cache = PageCache { nil }
        #expect(!cache.measure(fileBytes: .max, indexBytes: .max) && !cache.isTight && !cache.isIndexTight)
    }

    @Test("the first missing page has memory measured, and then one in a thousand")
    func misses() {
        let count = Atomic(0)
        let cache = PageCache { nil }
        cache.whenRequested { count.add(1, ordering: .relaxed) }
        #expect(count.load(ordering: .relaxed) == 0)
        cache.noteRequest()
        #expect(count.load(ordering: .relaxed) == 1)
        for _ in 0..<1023 { cache.noteRequest() }
        #expect(count.load(ordering: .relaxed) == 1)
        cache.noteRequest()
        #expect(count.load(ordering: .relaxed) == 2)
    }

    @Test("who asks to be told of missing pages only after some were missing is told at once")
    func earlierMisses() {
        let count = Atomic(0)
        let cache = PageCache { nil }
        cache.noteRequest()
        cache.whenRequested { count.add(1, ordering: .relaxed) }
        #expect(count.load(ordering: .relaxed) == 1)
        for _ in 0..<1023 { cache.noteRequest() }
        #expect(count.load(ordering: .relaxed) == 1)
        cache.noteRequest()
        #expect(count.load(ordering: .relaxed) == 2)
    }
}

/// What is asked of the disk before it is touched.
struct PageFetcherTests {
    private static let mebibyte = 1 << 20

    /// A fetcher over 8 MiB.
    private func fetcher(available: Int?, present: Bool) throws -> (PageFetcher, PageRecord) {
        let file = try InMemoryFileSystem().open("/file", .createNew)
        let record = PageRecord()
        record.arePresent.store(present, ordering: .relaxed)
        let mapping = RecordingMapping(try file.map(length: 8 * Self.mebibyte, writable: false), record)
        let cache = PageCache { available }
        cache.measure(fileBytes: 8 * Self.mebibyte, indexBytes: 0)
        return (PageFetcher(mapping, length: mapping.bytes.count, pageCache: cache), record)
    }

    @Test("where all fits, the first look at a place reads the chunk around it, once")
    func chunk() throws {
        let (fetcher, record) = try fetcher(available: nil, present: false)
        fetcher.fetchAtFirstUse(3 * Self.mebibyte + 5000, 4096)
        #expect(record.begun == [3 * Self.mebibyte..<4 * Self.mebibyte])
        fetcher.fetchAtFirstUse(3 * Self.mebibyte + 100_000, 4096)
        #expect(record.begun.count == 1)
    }

    @Test("a scan from chunk to chunk has the next one read ahead, in either direction")
    func walk() throws {
        let (fetcher, record) = try fetcher(available: nil, present: false)
        for chunk in 0..<8 { fetcher.fetchAtFirstUse(chunk * Self.mebibyte, 4096) }
        #expect(record.begun.map(\.lowerBound) == (0..<8).map { $0 * Self.mebibyte })
        let (back, ways) = try self.fetcher(available: nil, present: false)
        for chunk in (0..<8).reversed() { back.fetchAtFirstUse(chunk * Self.mebibyte, 4096) }
        #expect(ways.begun.map(\.lowerBound) == (0..<8).reversed().map { $0 * Self.mebibyte })
    }

    @Test("a value longer than a chunk is read whole, and what is in memory not at all")
    func long() throws {
        let (fetcher, record) = try fetcher(available: nil, present: false)
        fetcher.fetchAtFirstUse(Self.mebibyte - 10, 2 * Self.mebibyte)
        #expect(Set(record.begun.map(\.lowerBound)).isSuperset(of: [0, Self.mebibyte, 2 * Self.mebibyte]))
        let (warm, none) = try self.fetcher(available: nil, present: true)
        warm.fetchAtFirstUse(0, 8 * Self.mebibyte)
        #expect(none.begun.isEmpty)
    }

    @Test("where not all fits, nothing is read but what is asked for")
    func tight() throws {
        let (fetcher, record) = try fetcher(available: Self.mebibyte, present: false)
        fetcher.fetchAtFirstUse(5000, 4096)
        #expect(record.begun == [5000..<9096])
        #expect(!fetcher.fetchMissing(8 * Self.mebibyte - 10, 4096))
        #expect(record.begun.last == 8 * Self.mebibyte - 10..<8 * Self.mebibyte)
    }

    @Test("a range within one page is one read, which a fault makes as well")
    func pages() {
        let page = Platform.pageSize
        #expect(!PageFetcher.spansPages(page, page) && PageFetcher.spansPages(page - 1, 2))
        #expect(!PageFetcher.spansPages(page - 1, 1) && !PageFetcher.spansPages(page - 1, 0))
    }
}
