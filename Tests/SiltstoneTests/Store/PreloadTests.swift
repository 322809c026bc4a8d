import Synchronization
import Testing

@testable import Siltstone

/// Segments that are made ready before they take the place of others.
struct PreloadTests {
    private func key(_ number: Int) -> [UInt8] { Array("key \(100_000 + number)".utf8) }

    private static func configuration() -> Configuration {
        var configuration = StoreFixture.small()
        configuration.memTableBytes = 1 << 20
        return configuration
    }

    private static let records = 2400

    private func fill(_ store: KeyValueStore, _ byte: UInt8) throws {
        for number in 0..<Self.records { try store.put(key(number), [UInt8](repeating: byte, count: 200)) }
        try store.flush()
    }

    private func segments(_ store: KeyValueStore, level: Int) -> [SegmentReader] {
        let levels = store.engine.writes.lock.withLock { store.engine.versions.current.levels }
        return level < levels.count ? levels[level].flatMap(\.segments) : []
    }

    /// The part of the blocks that were checked, of none to all but those by which readers are found out.
    private func readiness(_ segment: SegmentReader) -> Double {
        let count = segment.blockIndex.blockCount
        return Double((0..<count).count { segment.verifiedBlocks.isSet($0) }) / Double(count)
    }

    @Test(
        "where a store is read, what is flushed and merged is checked and mapped already; else that is spared",
        arguments: [false, true])
    func ready(isRead: Bool) throws {
        let store = try StoreFixture().open(Self.configuration())
        try fill(store, 0)
        for byte in UInt8(1)..<9 {
            if isRead { #expect(try store.scan().remaining().count == Self.records) }
            #expect(segments(store, level: 0).allSatisfy { $0.isRead == isRead })
            try fill(store, byte)
            // Later on, a merge may have taken what was read.
            guard byte == 1 || !isRead, let newest = segments(store, level: 0).first else { continue }
            #expect(isRead ? readiness(newest) > 0.7 && !newest.isRead : readiness(newest) == 0)
        }
        try waitUntil("runs are merged") { !segments(store, level: 1).isEmpty }
        for segment in segments(store, level: 1) {
            #expect(isRead ? readiness(segment) > 0.7 : readiness(segment) == 0)
        }
        try store.close()
    }

    @Test("one block that was looked at does not make a large segment one that is read")
    func sample() throws {
        let store = try StoreFixture().open(Self.configuration())
        for number in 0..<4000 { try store.put(key(number), [UInt8](repeating: 1, count: 200)) }
        try store.flush()
        let segment = try #require(segments(store, level: 0).max { $0.info.fileBytes < $1.info.fileBytes })
        #expect(segment.blockIndex.blockCount > 100 && !segment.isRead)
        _ = try store.get(segment.info.firstKey)
        #expect(!segment.isRead)
        _ = try store.scan().remaining()
        #expect(segment.isRead)
        try store.close()
    }

    @Test("who merges a segment, looks at it for damage or makes it ready does not pass for a reader of it")
    func merge() throws {
        let store = try StoreFixture().open(Self.configuration())
        try fill(store, 0)
        let segment = try #require(segments(store, level: 0).first)
        let merge = MergingCursor([RunSource(Run(number: 0, segments: [segment]), caching: false)])
        try merge.seek(nil)
        var count = 0
        while try merge.next() != nil { count += 1 }
        #expect(count == Self.records && !segment.isRead)
        #expect(try store.verify().problems.isEmpty && readiness(segment) == 0)
        try segment.preload { false }
        #expect(readiness(segment) > 0.7 && !segment.isRead)
        _ = try store.scan().remaining()
        #expect(readiness(segment) == 1 && segment.isRead)
        try store.close()
    }

    @Test("to make a large segment ready ends where it is told to stop: at its beginning, or between pieces of it")
    func stopped() throws {
        let fileSystem = RecordingFileSystem()
        var configuration = Self.configuration()
        configuration.memTableBytes = 32 << 20
        let store = try StoreFixture(fileSystem).open(configuration)
        for number in 0..<40_000 { try store.put(key(number), [UInt8](repeating: 1, count: 250)) }
        try store.flush()
        let segment = try #require(segments(store, level: 0).first)
        // Three pieces at least.
        try #require(segment.info.fileBytes > 8 << 20)
        let pages = fileSystem.pages
        for pieces in 0..<3 {
            pages.clear()
            var asked = 0
            try segment.preload {
                asked += 1
                return asked > pieces
            }
            #expect(asked == pieces + 1 && pages.prepared.count == pieces && readiness(segment) == 0)
        }
        pages.clear()
        try segment.preload { false }
        #expect(readiness(segment) > 0.7)
        let prepared = pages.prepared
        #expect(prepared.first?.lowerBound == 0 && prepared.last?.upperBound == segment.info.fileBytes)
        for (one, next) in zip(prepared, prepared.dropFirst()) { #expect(one.upperBound == next.lowerBound) }
        try store.close()
    }

    @Test("a segment that does not read as it was written is not put in force, and nothing is lost")
    func damaged() throws {
        let fileSystem = DamagingFileSystem(InMemoryFileSystem())
        let fixture = StoreFixture(fileSystem)
        let store = try fixture.open(Self.configuration())
        try fill(store, 0)
        _ = try store.scan().remaining()
        fileSystem.isDamaging.store(true, ordering: .relaxed)
        #expect(throws: StoreError.self) { try fill(store, 1) }
        #expect(segments(store, level: 0).count == 1)
        #expect(try store.get(key(7)) == [UInt8](repeating: 1, count: 200))
        fileSystem.isDamaging.store(false, ordering: .relaxed)
        try fill(store, 2)
        #expect(try store.get(key(7)) == [UInt8](repeating: 2, count: 200))
        #expect(try store.verify().problems.isEmpty)
        try store.close()
    }
}

/// Flips a bit in what is written to segments, on demand.
private final class DamagingFileSystem: ForwardingFileSystem {
    let base: InMemoryFileSystem
    let isDamaging = Atomic(false)

    init(_ base: InMemoryFileSystem) { self.base = base }

    func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        let file = try base.open(path, mode)
        return path.hasSuffix(".segment") ? DamagingFile(base: file, fileSystem: self) : file
    }
}

private final class DamagingFile: File {
    private let base: any File
    private let fileSystem: DamagingFileSystem

    init(base: any File, fileSystem: DamagingFileSystem) {
        self.base = base
        self.fileSystem = fileSystem
    }

    var path: String { base.path }
    func size() throws(FileSystemError) -> Int { try base.size() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try base.read(into: buffer, at: offset)
    }
    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        try base.map(length: length, writable: writable)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        // In the first block of records.
        let place = 5000
        guard fileSystem.isDamaging.load(ordering: .relaxed), offset <= place, place < offset + bytes.count else {
            return try base.write(bytes, at: offset)
        }
        var damaged = Array(bytes)
        damaged[place - offset] ^= 1
        let buffer = HeapBytes(copying: damaged)
        return try base.write(buffer.bytes.buffer, at: offset)
    }
    func reserve(offset: Int, length: Int) throws(FileSystemError) { try base.reserve(offset: offset, length: length) }
    func truncate(to length: Int) throws(FileSystemError) { try base.truncate(to: length) }
    func sync() throws(FileSystemError) { try base.sync() }
    func close() throws(FileSystemError) { try base.close() }
}
