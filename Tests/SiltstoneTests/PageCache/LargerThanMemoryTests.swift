import Synchronization
import Testing

@testable import Siltstone

/// Stores larger than memory.
struct LargerThanMemoryTests {
    private static let count = 3000

    private func value(_ number: Int, _ revision: UInt8 = 0) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number) ^ revision, count: 100 + number % 50)
    }

    /// No memory is left for files.
    private func configuration() -> Configuration {
        var configuration = StoreFixture.small()
        configuration.availableMemory = { 0 }
        return configuration
    }

    private func fill(_ store: KeyValueStore) throws {
        for number in 0..<Self.count { try store.put(key(number), value(number)) }
        try store.compact()
    }

    private func segments(_ store: KeyValueStore) -> [SegmentReader] {
        store.engine.writes.lock.withLock { store.engine.versions.current.allSegments }
    }

    @Test("everything is read as in one that fits", .comesToAnEnd, arguments: [Compression.none, .deflate(level: 1)])
    func reads(_ compression: Compression) throws {
        var configuration = configuration()
        configuration.compression = compression
        configuration.largeValueBytes = 140
        let store = try StoreFixture().open(configuration)
        try fill(store)
        #expect(store.engine.directory.pageCache.isTight)
        let snapshot = store.snapshot()
        for number in stride(from: 0, to: Self.count, by: 3) { try store.put(key(number), value(number, 1)) }
        try store.flush()
        let wanted = (0..<Self.count).map { value($0, $0.isMultiple(of: 3) ? 1 : 0) }
        for number in 0..<Self.count {
            #expect(try store.get(key(number)) == wanted[number])
            #expect(try snapshot.get(key(number)) == value(number))
        }
        #expect(try store.get(key(Self.count)) == nil && !store.contains(key(Self.count)))
        let keys = (0...Self.count).map { key($0) }
        #expect(try store.get(all: keys) == wanted + [nil])
        #expect(try store.scan().remaining().map(\.value) == wanted)
        #expect(try store.scan(reverse: true).remaining().map(\.value) == wanted.reversed())
        #expect(try store.verify().problems.isEmpty)
        try store.close()
    }

    @Test("tasks read everything as in one that fits", .comesToAnEnd)
    func readsInTasks() async throws {
        let store = try StoreFixture().open(configuration())
        try fill(store)
        #expect(store.engine.directory.pageCache.isTight)
        #expect(try await store.get(key(7)) == value(7))
        #expect(try await store.contains(key(8)))
        #expect(try await store.get(key(Self.count)) == nil)
        let keys = (0...Self.count).map { key($0) }
        #expect(try await store.get(all: keys) == (0..<Self.count).map { value($0) } + [nil])
        try await store.close()
    }

    @Test("views change their way to read as memory comes and goes, and reads stay right", .comesToAnEnd)
    func changes() throws {
        var configuration = configuration()
        let shared = SharedFigure()
        configuration.availableMemory = { shared.value }
        let store = try StoreFixture().open(configuration)
        try fill(store)
        #expect(store.engine.directory.pageCache.isTight)
        shared.value = 1 << 40
        // Figures count for a quarter of a second: until then nothing changes.
        var polling = Polling()
        while store.engine.directory.pageCache.isTight {
            store.engine.background.measureMemorySoon()
            polling.pause()
        }
        Polling.wait { store.engine.reads.superVersions.current().plan.isQuick }
        for number in 0..<Self.count { #expect(try store.get(key(number)) == value(number)) }
        try store.close()
    }

    @Test("what is flushed and merged is not made ready ahead of its readers", .comesToAnEnd)
    func noPreloading() throws {
        let fileSystem = RecordingFileSystem()
        let store = try StoreFixture(fileSystem).open(configuration())
        try fill(store)
        _ = try store.scan().remaining()
        try fill(store)
        _ = try store.scan().remaining()
        #expect(fileSystem.pages.prepared.isEmpty)
        try store.close()
    }

    @Test(
        "a look-up whose pages are missing is begun and left to a thread that may wait; one that finds them is not",
        .comesToAnEnd)
    func ready() async throws {
        let fileSystem = RecordingFileSystem()
        let store = try StoreFixture(fileSystem).open(configuration())
        try fill(store)
        let engine = store.engine
        let pages = fileSystem.pages
        func isReady(_ number: Int) -> Bool {
            key(number).withBytes { engine.reads.superVersions.current().isReady($0, visible: .greatest) }
        }
        #expect(isReady(5))
        pages.arePresent.store(false, ordering: .relaxed)
        pages.clear()
        #expect(!isReady(5) && !pages.begun.isEmpty)
        pages.clear()
        #expect(try await store.get(all: [key(5), key(6)]) == [value(5), value(6)])
        #expect(!pages.begun.isEmpty)
        #expect(try await store.get(key(5)) == value(5))
        // Memory is asked first.
        try await store.put(key(5), value(5, 1))
        #expect(isReady(5))
        try await store.close()
    }

    @Test(
        "a scan asks for every block once, in windows that grow, and never for what it does not come to by much",
        .comesToAnEnd)
    func windows() throws {
        let fileSystem = RecordingFileSystem()
        var configuration = configuration()
        configuration.segmentBytes = 64 << 20
        configuration.memTableBytes = 16 << 20
        let store = try StoreFixture(fileSystem).open(configuration)
        for number in 0..<40_000 { try store.put(key(number), value(number)) }
        try store.compact()
        _ = try store.scan().remaining().count  // all blocks have passed their checksums
        let segment = try #require(segments(store).first)
        let (pages, data) = (fileSystem.pages, segment.layout.footer.dataOffset)
        pages.arePresent.store(false, ordering: .relaxed)
        for isForward in [true, false] {
            pages.clear()
            #expect(try store.scan(reverse: !isForward).remaining().count == 40_000)
            let asked = isForward ? pages.begun : pages.begun.reversed()
            #expect(asked.first?.lowerBound == data && asked.last?.upperBound == data + segment.dataBytes)
            for (one, next) in zip(asked, asked.dropFirst()) { #expect(one.upperBound == next.lowerBound) }
            let lengths = pages.begun.map(\.count)
            #expect(try #require(lengths.first) < 64 << 10 && #require(lengths.max()) > 900 << 10)
        }
        pages.clear()
        #expect(try store.scan(from: key(20_000), limit: 10).remaining().count == 10)
        #expect(pages.begun.reduce(0) { $0 + $1.count } <= 64 << 10)
        try store.close()
    }
}

/// A number that a test changes.
private final class SharedFigure: Sendable {
    private let figure = Atomic(0)
    var value: Int {
        get { figure.load(ordering: .relaxed) }
        set { figure.store(newValue, ordering: .relaxed) }
    }
}
