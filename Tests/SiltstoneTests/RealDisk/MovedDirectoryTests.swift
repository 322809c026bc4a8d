import CRUDKit
import Foundation
import SiltstoneCRUD
import SiltstoneTables
import Testing

@testable import Siltstone

/// Stores whose directory is moved, removed or replaced while they are open.
struct MovedDirectoryTests {
    /// What happens to the directory of an open store.
    enum Mishap: CaseIterable {
        case moved, removed
        /// A backup takes the path of the directory.
        case replaced
        /// The files in the directory are replaced by those of a backup.
        case refilled
        /// The path is that of another directory with the same files.
        case linked
    }

    /// What has the store open.
    enum FrontEnd: CaseIterable {
        case store, shared, tables, repository
    }

    private struct Item: Codable, Hashable, Sendable {
        var id: Int
        var text: String
    }

    /// A store with 100 rows of a front end, a backup with the first 50, and the shell.
    private final class Fixture {
        let directory: String
        var path: String { directory + "/store" }
        var backup: String { directory + "/backup" }

        init() throws {
            directory = FileManager.default.temporaryDirectory.path + "/siltstone-moved-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }

        deinit { do { try FileManager.default.removeItem(atPath: directory) } catch { Issue.record(error) } }

        func shell(_ command: String) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-e", "-c", "cd '\(directory)'; " + command]
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
        }

        func happen(_ mishap: Mishap) throws {
            switch mishap {
            case .moved: try shell("mv store moved")
            // Background work may remove or make files at the same time.
            case .removed: try shell("while [ -e store ]; do rm -rf store || :; done")
            case .replaced: try shell("mv store moved; cp -r backup store")
            case .refilled: try shell("rm -f store/*; cp backup/* store")
            case .linked: try shell("mv store moved; mkdir store; ln moved/* store")
            }
        }

        /// Copies the store to the backup before something happens.
        func backUp(_ mishap: Mishap) throws {
            try shell("cp -r store backup")
            try happen(mishap)
        }

        /// The files at the path and their contents, but for the note in the lock file.
        func contents() throws -> [String: Data] {
            guard FileManager.default.fileExists(atPath: path) else { return [:] }
            var contents: [String: Data] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != StoreFile.lock.name {
                contents[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
            }
            return contents
        }
    }

    private func value(_ number: Int) -> [UInt8] { Array("value \(number)".utf8) }

    private static func failure(_ body: () throws -> Void) -> StoreError? {
        do { try body() } catch { return error as? StoreError }
        return nil
    }

    @Test(
        "an open store touches no file of the one at its path, and says so", .comesToAnEnd,
        arguments: Mishap.allCases)
    func store(_ mishap: Mishap) throws {
        let fixture = try Fixture()
        // In the log and in a segment.
        var configuration = StoreFixture.small()
        configuration.memTableBytes = 4 << 20
        configuration.durability = .synced
        let first = try KeyValueStore.open(at: fixture.path, configuration: configuration)
        for number in 0..<50 { try first.put(key(number), value(number), durability: .buffered) }
        try first.flush()
        try first.put(key(50), value(50))
        try first.close()
        try fixture.shell("cp -r store backup")

        let store = try KeyValueStore.open(at: fixture.path, configuration: configuration)
        // So much that closing would flush it.
        for number in 60..<80 {
            try store.put(key(number), [UInt8](repeating: 1, count: 20 << 10), durability: .buffered)
        }
        try store.sync()
        try fixture.happen(mishap)
        let before = try fixture.contents()

        let synced = Self.failure { try store.put(key(90), [1]) }
        // Background work may have noticed before.
        #expect(synced?.code == .inputOutput || synced?.code == .refusesWrites)
        #expect(synced?.file == fixture.path)
        #expect(Self.failure { try store.put(key(91), [1]) }?.code == .refusesWrites)
        #expect(Self.failure { try store.flush() }?.code == .refusesWrites)
        #expect(Self.failure { try store.compact() } != nil)
        #expect(try store.get(key(60)) != nil)
        #expect(Self.failure { try store.close() }?.code == .inputOutput)
        let after = try fixture.contents()
        // Other names of the store's own files: a log goes on in the file that it has open.
        #expect(mishap == .linked || after == before)
        #expect(Set(after.keys) == Set(before.keys))

        switch mishap {
        case .removed: #expect(!FileManager.default.fileExists(atPath: fixture.path))
        case .moved: try check(fixture.directory + "/moved", 60..<80)
        case .replaced, .refilled: try check(fixture.path, 0..<51)
        case .linked: try check(fixture.path, 60..<80)
        }
    }

    @Test(
        "buffered writes end at the next edit, and background work touches nothing",
        arguments: [Mishap.replaced, .refilled])
    func buffered(_ mishap: Mishap) throws {
        let fixture = try Fixture()
        var configuration = StoreFixture.small()
        let first = try KeyValueStore.open(at: fixture.path, configuration: configuration)
        for number in 0..<51 { try first.put(key(number), value(number)) }
        try first.close()
        try fixture.shell("cp -r store backup")
        configuration.largeValueBytes = 4 << 10
        let store = try KeyValueStore.open(at: fixture.path, configuration: configuration)
        try store.put(key(100), value(100))
        try fixture.happen(mishap)
        let before = try fixture.contents()
        // Both kinds of files: a log that is full, and large values.
        let error = Self.failure {
            for number in 0..<10_000 { try store.put(key(number), [UInt8](repeating: 1, count: 1 << 10)) }
        }
        // Background work may have noticed first.
        #expect(error?.code == .inputOutput || error?.code == .refusesWrites)
        #expect(Self.failure { try store.put(key(1), [UInt8](repeating: 1, count: 8 << 10)) }?.code == .refusesWrites)
        #expect(Self.failure { try store.close() }?.code == .inputOutput)
        #expect(try fixture.contents() == before)
        try check(fixture.path, 0..<51)
    }

    @Test(
        "no front end hands out the store that was at the path",
        arguments: FrontEnd.allCases, [Mishap.removed, .replaced])
    func frontEnds(_ frontEnd: FrontEnd, _ mishap: Mishap) async throws {
        let fixture = try Fixture()
        switch frontEnd {
        case .store: try useStore(fixture, mishap)
        case .shared: try useShared(fixture, mishap)
        case .tables: try useTables(fixture, mishap)
        case .repository: try await useRepository(fixture, mishap)
        }
        try checkSuccessor(fixture, hasKeys: mishap == .replaced)
    }

    private func useStore(_ fixture: Fixture, _ mishap: Mishap) throws {
        let store = try KeyValueStore.open(at: fixture.path)
        try store.put(key(0), [0])
        try fixture.backUp(mishap)
        #expect(Self.failure { try store.put(key(1), [0]) }?.code == .inputOutput)
        #expect(Self.failure { try store.close() }?.code == .inputOutput)
    }

    private func useShared(_ fixture: Fixture, _ mishap: Mishap) throws {
        let shared = try SharedStore.open(at: fixture.path)
        try shared.store.put(key(0), [0])
        try fixture.backUp(mishap)
        #expect(Self.failure { try SharedStore.open(at: fixture.path).close() }?.code == .inputOutput)
        #expect(Self.failure { try shared.store.put(key(1), [0]) }?.code == .inputOutput)
        #expect(Self.failure { try shared.close() }?.code == .inputOutput)
    }

    private func useTables(_ fixture: Fixture, _ mishap: Mishap) throws {
        let db = Database(configuration: try SiltstoneDatabaseConfiguration(fixture.path))
        let rows = try db.create(Item.self)
        try rows.insert(Item(id: 1, text: "a"))
        try fixture.backUp(mishap)
        #expect(throws: (any Error).self) { try SiltstoneDatabaseConfiguration(fixture.path) }
        #expect(throws: (any Error).self) { try rows.insert(Item(id: 2, text: "b")) }
        #expect(throws: (any Error).self) { try db.close() }
    }

    private func useRepository(_ fixture: Fixture, _ mishap: Mishap) async throws {
        let repository = try SiltstoneRepository(path: fixture.path)
        try await repository.create(id: "a", item: Item(id: 1, text: "a"))
        try fixture.backUp(mishap)
        #expect(throws: (any Error).self) { try SiltstoneRepository(path: fixture.path) }
        await #expect(throws: (any Error).self) {
            try await repository.create(id: "b", item: Item(id: 2, text: "b"))
        }
        withExtendedLifetime(repository) {}
    }

    /// Checks that the path is free once the old store is closed, and that the store there is intact.
    private func checkSuccessor(_ fixture: Fixture, hasKeys: Bool) throws {
        let shared = try SharedStore.open(at: fixture.path)
        #expect(try shared.store.verify().problems.isEmpty)
        let cursor = try shared.store.scan()
        #expect(try (cursor.next() != nil) == hasKeys)
        try shared.close()
    }

    @Test("a store in memory touches no file of another one at its path", .comesToAnEnd)
    func inMemory() throws {
        let files = InMemoryFileSystem()
        let fixture = StoreFixture(files)
        let old = try fixture.open()
        try old.put(key(0), [0])
        try files.rename(fixture.path, to: "/moved")
        let new = try fixture.open()
        for number in 0..<51 { try new.put(key(number), value(number)) }
        let names = try files.entries(of: fixture.path)
        #expect(Self.failure { try old.flush() }?.code == .inputOutput)
        #expect(Self.failure { try old.close() }?.code == .inputOutput)
        #expect(try Set(files.entries(of: fixture.path)) == Set(names))
        #expect(try new.verify().problems.isEmpty)
        try new.close()
    }

    /// Checks that the store at a path is intact, and has exactly these keys.
    private func check(_ path: String, _ keys: Range<Int>) throws {
        let store = try KeyValueStore.open(at: path)
        #expect(try store.verify().problems.isEmpty)
        for number in keys { #expect(try store.get(key(number)) != nil) }
        try store.close()
    }
}
