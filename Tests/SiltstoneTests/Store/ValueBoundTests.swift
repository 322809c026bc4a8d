import SiltstoneTesting
import Synchronization
import Testing

@testable import Siltstone

/// The bytes of value files: garbage is bounded however small the changes are that refer to it, and goes by itself.
@Suite("Bounds of value files", .comesToAnEnd)
struct ValueBoundTests {
    private static let fileBytes = 256 << 10
    private static let valueBytes = 20_000

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.durability = .buffered
        configuration.valueFileBytes = fileBytes
        // When a store is idle is a matter of chance.
        configuration.tidiesWhenIdle = false
        return configuration
    }

    private static func value(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: valueBytes)
    }

    /// Bytes of all files of a kind that have a name.
    private static func bytes(of suffix: String, in fixture: StoreFixture) throws -> Int {
        try fixture.names(ending: suffix).reduce(0) { sum, name in
            sum + (try fixture.fileSystem.attributes(of: fixture.file(name))?.size ?? 0)
        }
    }

    private static func valueBytes(in fixture: StoreFixture) throws -> Int { try bytes(of: ".values", in: fixture) }

    enum Way: CaseIterable, Sendable { case put, batch, transaction }

    private static func write(_ store: KeyValueStore, _ key: [UInt8], _ number: Int, _ way: Way) throws {
        switch way {
        case .put: try store.put(key, value(number))
        case .batch:
            var batch = WriteBatch()
            batch.put(key, value(number))
            batch.put([0], [UInt8(truncatingIfNeeded: number)])
            try store.write(batch)
        case .transaction: try store.transaction { try $0.put(key, value(number)) }
        }
    }

    @Test("one key that is rewritten takes four value files at most, however it is written", arguments: Way.allCases)
    func oneKey(_ way: Way) throws {
        let fixture = StoreFixture()
        let store = try fixture.open(Self.configuration())
        var most = 0
        for number in 0..<300 {
            try Self.write(store, key(1), number, way)
            most = max(most, try Self.valueBytes(in: fixture))
        }
        #expect(store.statistics.flushes > 10)
        #expect(most <= 4 * Self.fileBytes)
        #expect(try store.get(key(1)) == Self.value(299))
        #expect(try store.verify().problems.isEmpty)
        try store.close()
    }

    @Test(
        "programs that rewrite a part of a value file, and are closed or die, leave no more", arguments: [true, false])
    func sessions(isClosed: Bool) throws {
        let fixture = StoreFixture()
        for session in 0..<40 {
            let store = try fixture.openWhenFree(Self.configuration())
            for number in 0..<5 { try store.put(key(1), Self.value(session + number)) }
            if isClosed { try store.close() }
            let used = try Self.valueBytes(in: fixture)
            #expect(used <= 4 * Self.fileBytes)
        }
        let store = try fixture.openWhenFree(Self.configuration())
        #expect(try store.get(key(1)) == Self.value(39 + 4))
        #expect(try store.verify().problems.isEmpty)
        try store.close()
    }

    @Test("a closed store has no value file to which nothing refers")
    func closed() throws {
        let fixture = StoreFixture()
        var configuration = Self.configuration()
        configuration.valueFileBytes = 4 << 20
        let store = try fixture.open(configuration)
        // Few bytes in the memtable.
        for number in 0..<20 { try store.put(key(1), Self.value(number)) }
        try store.delete(key(1))
        try store.close()
        #expect(try fixture.names(ending: ".values").isEmpty)
    }

    @Test("garbage in files to which segments refer stays below a quarter of the live bytes, also in the last file")
    func deadValues() throws {
        let fixture = StoreFixture()
        let store = try fixture.open(Self.configuration())
        // Less than a file: the file that takes new values holds all of it.
        for number in 0..<5 { try store.put(key(number % 2), Self.value(number)) }
        try store.flush()
        let two = 2 * (Self.valueBytes + 64)
        try waitUntil("the file is emptied") { try Self.valueBytes(in: fixture) <= two * 5 / 4 }
        var random = SeededGenerator(5)
        for number in 0..<400 { try store.put(key(random.index(40)), Self.value(number)) }
        try store.flush()
        let live = 40 * (Self.valueBytes + 64)
        try waitUntil("garbage is collected") { try Self.valueBytes(in: fixture) <= live * 5 / 4 }
        #expect(try store.allEntries().count == 40)
        #expect(try store.verify().problems.isEmpty)
        try store.close()
    }

    @Test("what is kept for a snapshot is told, and goes after its release")
    func snapshots() throws {
        let fixture = StoreFixture()
        let store = try fixture.open(Self.configuration())
        let live = 10 * ValueRecord.size(key: key(0).count, value: Self.valueBytes)
        for number in 0..<10 { try store.put(key(number), Self.value(1)) }
        let snapshot = store.snapshot()
        for round in 2..<5 {
            for number in 0..<10 { try store.put(key(number), Self.value(round)) }
        }
        try store.compact()
        #expect(store.statistics.snapshotValueBytes == live)
        #expect(try snapshot.get(key(3)) == Self.value(1))
        snapshot.release()
        try waitUntil("its values go") { try Self.valueBytes(in: fixture) <= live * 5 / 4 }
        #expect(store.statistics.snapshotValueBytes == 0)
        #expect(try store.get(key(3)) == Self.value(4))
        try store.close()
    }

    // MARK: A small disk

    /// A store on a disk of a certain size.
    private static func smallDisk(_ limit: Int) -> (disk: FaultInjectingFileSystem, fixture: StoreFixture) {
        let memory = InMemoryFileSystem()
        let disk = FaultInjectingFileSystem(memory, keepsLog: false)
        let fixture = StoreFixture(disk)
        disk.setRule { call in
            guard call.operation == .write || call.operation == .reserve else { return nil }
            do {
                let used = try bytes(of: "", in: StoreFixture(memory))
                let size = try memory.attributes(of: call.path)?.size ?? 0
                return used + max(0, call.offset + call.length - size) > limit ? .noSpace : nil
            } catch { return nil }
        }
        return (disk, fixture)
    }

    /// Rewrites one key until the disk is full.
    private static func fill(_ store: KeyValueStore) throws -> Int {
        for number in 0..<1_000 {
            do { try store.put(key(1), value(number)) } catch {
                #expect(error.code == .noSpace)
                return number
            }
        }
        Issue.record("the disk is never full")
        return 0
    }

    @Test("a full disk is freed of dead values by itself, and later writes succeed", arguments: LogWriting.allCases)
    func fullDisk(_ writing: LogWriting) throws {
        let (_, fixture) = Self.smallDisk(1 << 20)
        var configuration = Self.configuration()
        // The disk is full before the memtable is.
        configuration.valueFileBytes = 64 << 20
        configuration.logWriting = writing
        let store = try fixture.open(configuration)
        for round in 0..<3 {
            let last = try Self.fill(store)
            #expect(last > 10)
            #expect(try store.get(key(1)) == Self.value(last - 1))
            try waitUntil("there is room again") {
                StoreError.Code.of { try store.put(key(1), Self.value(round)) } == nil
            }
            #expect(try store.get(key(1)) == Self.value(round))
        }
        #expect(try store.verify().problems.isEmpty)
        try store.close()
    }

    @Test("a full disk is freed of dead values by closing and opening", arguments: [true, false])
    func fullDiskOpened(isClosed: Bool) throws {
        let (_, fixture) = Self.smallDisk(1 << 20)
        var configuration = Self.configuration()
        configuration.valueFileBytes = 64 << 20
        var last = 0
        do {
            let store = try fixture.open(configuration)
            last = try Self.fill(store)
            if isClosed { try store.close() }
        }
        let store = try fixture.openWhenFree(configuration)
        #expect(try store.get(key(1)) == Self.value(last - 1))
        try waitUntil("there is room again") { StoreError.Code.of { try store.put(key(1), Self.value(7)) } == nil }
        try waitUntil("the garbage is gone") { try Self.valueBytes(in: fixture) < 10 * Self.valueBytes }
        #expect(try store.get(key(1)) == Self.value(7))
        try store.close()
    }

    // MARK: Opening

    /// Bytes of values, without headers, that an opening reads.
    private static func readBytes(opening contents: [String: [UInt8]]) throws -> Int {
        let disk = FaultInjectingFileSystem()
        var configuration = configuration()
        configuration.access = .read
        let fixture = try StoreFixture(contents: contents, on: disk)
        let store = try fixture.open(configuration)
        let reads = disk.log.filter { $0.operation == .read && $0.path.hasSuffix(".values") && $0.offset > 0 }
        #expect(try store.get(key(9)) == value(9))
        try store.close()
        return reads.reduce(0) { $0 + $1.length }
    }

    @Test("an opening reads only the values that are not known to be synced, and none after a clean close")
    func opening() throws {
        let fixture = StoreFixture()
        let store = try fixture.open(Self.configuration())
        for number in 0..<10 { try store.put(key(number), Self.value(number), durability: .synced) }
        // The last sync is known only to the next frame.
        #expect(try Self.readBytes(opening: try fixture.copy().contents()) < 2 * Self.valueBytes)
        // Its log is kept: a memtable of so few values is not worth a flush.
        try store.close()
        #expect(try Self.readBytes(opening: try fixture.contents()) == 0)
    }

    @Test("a change of the version asks no value file for its size")
    func sizes() throws {
        let disk = FaultInjectingFileSystem()
        let store = try StoreFixture(disk).open(Self.configuration())
        for number in 0..<40 { try store.put(key(number), Self.value(number)) }
        #expect(store.statistics.valueFiles > 2)
        let before = disk.callCount
        try store.flush()
        let calls = disk.log.dropFirst(before)
        #expect(!calls.contains { $0.operation == .size && $0.path.hasSuffix(".values") })
        try store.close()
    }
}
