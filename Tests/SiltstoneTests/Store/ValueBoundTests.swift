import SiltstoneTesting
import Synchronization
import Testing

@testable import Siltstone

/// The bytes of value files: garbage is bounded however small the changes are that refer to it, and goes by itself.
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

    @Test(
        "one key that is rewritten takes four value files at most, however it is written", .comesToAnEnd,
        arguments: Way.allCases)
    func oneKey(_ way: Way) throws {
        let fixture = StoreFixture()
        let store = try fixture.open(Self.configuration())
        var most = 0
        for number in 0..<300 {
            try Self.write(store, key(1), number, way)
            most = max(most, try Self.valueBytes(in: fixture))
        }
        #expect(store.statistics.flushes > 10)
        // Four files, and what thirteen values to a file exceed it by, each on two sides of a flush.
        #expect(most <= 5 * Self.fileBytes)
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

    @Test("a closed store has no value file to which nothing refers", .comesToAnEnd)
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

    @Test(
        "garbage in files to which segments refer stays below a quarter of the live bytes, also in the last file",
        .comesToAnEnd)
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

    @Test("what is kept for a snapshot is told, and goes after its release", .comesToAnEnd)
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

    @Test("a change of the version asks no value file for its size", .comesToAnEnd)
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
