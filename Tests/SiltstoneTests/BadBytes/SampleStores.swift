@testable import Siltstone

/// Makes sample stores: a few hundred bytes of everything that a store can hold.
struct SampleStores {
    /// How a sample comes to its end.
    enum Ending: Sendable {
        case closed
        /// In the middle of writing to the only log, right behind the first value of a file of values.
        case crashed
        /// With a memtable that was sealed and not flushed, the next log in use, and one more made ahead.
        case crashedBetweenLogs
        /// Right behind the beginning of the next log, with a change behind the last sync in the log before.
        case crashedAtNextLog
    }

    /// What distinguishes one sample from another.
    struct Shape: Sendable {
        var name: String
        var ending: Ending
        var compression = Compression.none
        /// Keys of the oldest segment.
        var keys = 8
        /// Bytes of an ordinary value.
        var valueBytes = 10
        var seed: UInt64 = 1
    }

    /// The samples of the quick form.
    static let shapes = [
        Shape(name: "closed", ending: .closed),
        Shape(name: "closed, compressed", ending: .closed, compression: .deflate(level: 6), valueBytes: 24, seed: 2),
        Shape(name: "crashed", ending: .crashed, seed: 3),
        Shape(
            name: "crashed between logs", ending: .crashedBetweenLogs, compression: .deflate(level: 1), valueBytes: 24,
            seed: 4),
        Shape(name: "crashed at the next log", ending: .crashedAtNextLog, seed: 5),
    ]

    private let shape: Shape
    private let fixture: StoreFixture
    private var random: SeededGenerator
    private var history = RecordedHistory()
    private var earlier: [(files: StoreFiles, changes: Int)] = []

    private init(_ shape: Shape) {
        self.shape = shape
        fixture = StoreFixture(InMemoryFileSystem(greatestFileSize: 16 << 20))
        random = SeededGenerator(shape.seed)
    }

    static func configuration(_ compression: Compression) -> Configuration {
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        configuration.largeValueBytes = 64
        configuration.cacheBytes = 0
        configuration.compression = compression
        configuration.blockBytes = 4 << 10
        return configuration
    }

    /// Makes a sample.
    static func make(_ shape: Shape) throws -> SampleStore {
        var maker = SampleStores(shape)
        let configuration = configuration(shape.compression)
        var store = try maker.fixture.open(configuration)
        try maker.writeDeepLevel(store)
        try maker.writeFlushedRuns(store)
        try maker.writeLog(store)
        try store.close()
        // From here on values go to another file.
        store = try maker.fixture.open(configuration)
        try maker.writeLastValue(store)
        switch shape.ending {
        case .closed: try store.close()
        case .crashed: break
        case .crashedBetweenLogs: try maker.sealAndGoOn(store)
        case .crashedAtNextLog: try maker.syncAndSeal(store)
        }
        return try SampleStore(
            name: shape.name, files: try maker.liveFiles(store), earlier: maker.earlier,
            history: maker.history, isClosed: shape.ending == .closed, configuration: configuration)
    }

    private mutating func value() -> [UInt8] {
        // Half of it repeats, so that there is something to compress.
        let byte = UInt8.random(in: 97...122, using: &random)
        return random.bytes(shape.valueBytes / 2) + [UInt8](repeating: byte, count: shape.valueBytes / 2)
    }

    private mutating func large() -> [UInt8] { random.bytes(64 + random.index(8)) }

    private func key(_ number: Int) -> [UInt8] { Array("k\(number)".utf8) }

    /// The files that count. When the others go is a matter of chance.
    private func liveFiles(_ store: KeyValueStore) throws -> StoreFiles {
        var files = Self.trimmed(try StoreFiles(fixture))
        let live = try store.engine.versions.withManifest { $0?.state.liveFiles ?? [] }
        let names = Set(live.map(\.name)).union(["CURRENT"])
        files.entries = files.entries.filter { names.contains($0.key) || $0.key.hasSuffix(".manifest") }
        return files
    }

    private mutating func remember(_ store: KeyValueStore) throws {
        earlier.append((try liveFiles(store), history.changes.count))
    }

    /// The bottom: records that no longer have a sequence number, some with their values apart.
    private mutating func writeDeepLevel(_ store: KeyValueStore) throws {
        for number in 0..<shape.keys { try history.put(store, key(number), value()) }
        try history.put(store, key(1), value())
        try history.put(store, key(3), large())
        // Each part of the store also has keys that no later part touches: else its loss would not show.
        for number in [20, 24, 25] { try history.put(store, key(number), value()) }
        try history.put(store, key(21), large())
        try remember(store)
        try history.delete(store, key(2))
        try store.compact()
        try remember(store)
    }

    /// Two runs above it, with removals of every kind, and a version that only a snapshot keeps.
    private mutating func writeFlushedRuns(_ store: KeyValueStore) throws {
        try history.put(store, key(0), value())
        try history.put(store, key(2), value())
        let snapshot = store.snapshot()
        try history.put(store, key(0), value())
        try history.deleteRange(store, from: key(4), to: key(6))
        try history.put(store, key(5), value())
        try history.put(store, key(22), value())
        try history.deleteRange(store, from: key(24), to: key(25) + [0])
        try store.flush()
        withExtendedLifetime(snapshot) {}
        try remember(store)
        try history.delete(store, key(1))
        try history.put(store, key(3), value())
        try history.put(store, key(6), large())
        try history.put(store, key(23), large())
        try store.flush()
        try remember(store)
    }

    /// Changes that are in the log only: some synced, some behind the last sync.
    private mutating func writeLog(_ store: KeyValueStore) throws {
        try history.put(store, key(7), value())
        try history.put(store, key(2), large(), .synced)
        try history.write(store, [(key(0), value()), (key(9), value()), (key(3), nil)])
        try history.deleteRange(store, from: key(5), to: key(7))
        try history.put(store, key(4), value())
        try remember(store)
    }

    private mutating func writeLastValue(_ store: KeyValueStore) throws {
        try history.put(store, key(5), value())
        try history.put(store, key(4), large())
        try remember(store)
    }

    /// Writes some changes that a sync covers and one that none does, and begins the next log.
    private mutating func syncAndSeal(_ store: KeyValueStore) throws {
        try history.put(store, key(8), value())
        try history.put(store, key(1), large(), .synced)
        try history.put(store, key(9), value())
        try store.engine.beginNextLog()
        try remember(store)
    }

    /// Seals the memtable with nobody to flush it, and writes to the next log; one more log is made and not used.
    private mutating func sealAndGoOn(_ store: KeyValueStore) throws {
        try store.engine.beginNextLog()
        _ = try store.engine.versions.createLog()
        try history.put(store, key(8), value(), .synced)
        try history.put(store, key(1), large())
        try history.put(store, key(1), value())
        try history.delete(store, key(9))
        try remember(store)
    }

    /// Files of logs without most of the zeros that were reserved behind their frames: a length that a crash may leave.
    static func trimmed(_ files: StoreFiles) -> StoreFiles {
        var files = files
        for name in files.names where name.hasSuffix(".log") {
            guard let bytes = files.bytes(name), let last = bytes.lastIndex(where: { $0 != 0 }) else { continue }
            files.entries[name] = .file(Array(bytes.prefix((last + 32) & ~7)))
        }
        return files
    }
}

extension SampleStores {
    /// What can happen to the files of a sample of a shape.
    static func catalogue(of sample: SampleStore, _ shape: Shape) throws -> DamageCatalogue {
        var other = shape
        other.seed += 1000
        return DamageCatalogue(sample: sample, stranger: try make(other).files)
    }
}
