import CRUDKit
import Foundation
import Siltstone
import SiltstoneTesting
import Testing

@testable import SiltstoneCRUD

struct SiltstoneRepositoryTests {
    @Test("SiltstoneRepository conforms, on a store in memory") func conformsInMemory() async throws {
        let store = try KeyValueStore.inMemory()
        try await RepositoryConformance { SiltstoneRepository(store: store, tableName: $0) }.check()
    }

    @Test("SiltstoneRepository conforms, on a store opened by path for each repository")
    func conformsByPath() async throws {
        try await withTemporaryDirectory { url in
            let path = url.appendingPathComponent("app.silt").path
            // Holds the store open: without it, every last repository to go would close it.
            let holder = try SiltstoneRepository(path: path)
            try await RepositoryConformance {
                try SiltstoneRepository(path: path, tableName: $0, dataTransformer: CompactDataTransformer())
            }.check()
            withExtendedLifetime(holder) {}
        }
    }

    @Test("Repositories of one path share one store, by whatever name they call it") func pathsAreShared() async throws
    {
        try await withTemporaryDirectory { url in
            let path = url.appendingPathComponent("app.silt").path
            let first = try SiltstoneRepository(path: path, tableName: "a")
            let second = try SiltstoneRepository(path: url.path + "/./app.silt/", tableName: "b")
            #expect(first.store === second.store)
        }
    }

    @Test("The store is closed with the last repository, and can be opened again") func storeIsClosed() async throws {
        try await withTemporaryDirectory { url in
            let path = url.appendingPathComponent("app.silt").path
            for _ in 0..<3 {
                var first: SiltstoneRepository? = try SiltstoneRepository(path: path)
                let second = try SiltstoneRepository(path: path)
                first = nil
                _ = first
                _ = try await second.exists(id: "a")  // still open
            }
            let store = try await KeyValueStore.open(at: path)  // would be locked
            try await store.close()
        }
    }

    @Test("A store opened by others is locked for a path, and not closed by a repository") func foreignStore()
        async throws
    {
        try await withTemporaryDirectory { url in
            let path = url.appendingPathComponent("app.silt").path
            let store = try await KeyValueStore.open(at: path)
            #expect(throws: StoreError.self) { try SiltstoneRepository(path: path) }
            do {
                let repository = SiltstoneRepository(store: store)
                try await repository.create(id: "a", item: 1)
            }
            #expect(try await store.contains(Array("\0\u{1}a".utf8)))
            try await store.close()
        }
    }

    @Test("close() closes the store with its last repository, though all are still referred to") func closing()
        async throws
    {
        try await withTemporaryDirectory { url in
            let path = url.appendingPathComponent("app.silt").path
            let first = try SiltstoneRepository(path: path)
            let second = try SiltstoneRepository(path: path)
            try await first.create(id: "a", item: 1)
            try await first.close()
            try await first.close()
            #expect(try await second.read(id: "a") == 1)  // still open
            try await second.close()
            let store = try await KeyValueStore.open(at: path)  // would be locked
            try await SiltstoneRepository(store: store).close()
            #expect(try await store.contains(Array("\0\u{1}a".utf8)))  // its owner closes it
            try await store.close()
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("A change that a failing disk may have stored has an unknown outcome; later ones are refused")
    func failedSync() async throws {
        let disk = SimulatedFileSystem()
        for change in 0..<4 {
            var configuration = Configuration()
            configuration.fileSystem = disk
            let store = try await KeyValueStore.open(at: "/store\(change)", configuration: configuration)
            let repository = SiltstoneRepository(store: store)
            try await repository.upsert(id: "a", item: 0)
            disk.failSyncs { _ in true }
            await #expect {
                switch change {
                case 0: try await repository.create(id: "b", item: 1)
                case 1: try await repository.update(id: "a", item: 1)
                case 2: try await repository.deleteAll(ids: ["a"])
                default: try await repository.createAll([(id: "b", item: 1), (id: "c", item: 2)])
                }
            } throws: { error in
                if case CRUDRepositoryError.unknownOutcome = error { true } else { false }
            }
            await #expect {
                try await repository.create(id: "d", item: 1)
            } throws: { ($0 as? StoreError)?.code == .refusesWrites }
            disk.failSyncs(where: nil)
            try await store.close()
        }
    }

    @Test("A key under the repository's prefix that is not UTF-8 is an error of every listing, and not an endless one")
    func foreignKey() async throws {
        let store = try KeyValueStore.inMemory()
        let repository = SiltstoneRepository(store: store, tableName: "Clients")
        let other = SiltstoneRepository(store: store, tableName: "Others")
        for number in 0..<3 { try await repository.create(id: "id\(number)", item: number) }
        try await other.create(id: "a", item: 1)
        try await store.put(Array("Clients\0\u{1}".utf8) + [0xff], Data("4".utf8))
        #expect(try await repository.read(id: "id1") == 1)
        #expect(try repository.ids(after: nil, limit: 3) == ["id0", "id1", "id2"])
        await #expect {
            try await repository.ids()
        } throws: { ($0 as? StoreError)?.code == .corrupt }
        await #expect {
            for try await _ in repository.items(of: Int.self) {}
        } throws: { ($0 as? StoreError)?.code == .corrupt }
        #expect(try await other.ids() == ["a"])
    }

    @Test("An identifier that is too long for the store is refused before anything changes") func longIdentifiers()
        async throws
    {
        let repository = SiltstoneRepository(store: try KeyValueStore.inMemory(), tableName: "Clients")
        let longest = String(repeating: "x", count: Limits.keyBytes - "Clients".utf8.count - 2)
        try await repository.create(id: longest, item: 1)
        #expect(try await repository.read(id: longest) == 1)
        await #expect {
            try await repository.createAll([(id: "a", item: 2), (id: longest + "x", item: 2)])
        } throws: { ($0 as? StoreError)?.code == .tooLarge }
        #expect(try await repository.ids() == [longest])
    }

    @Test("Batches are all or nothing, beside single creates of the same identifiers") func batches() async throws {
        let store = try KeyValueStore.inMemory()
        let ids = (0..<20).map { "id\($0)" }
        for round in 0..<20 {
            let table = "round\(round)"
            let winners = try await withThrowingTaskGroup(of: Int.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        let repository = SiltstoneRepository(store: store, tableName: table)
                        do {
                            if task.isMultiple(of: 2) {
                                try await repository.createAll(ids.map { (id: $0, item: task) })
                                return ids.count
                            }
                            try await repository.create(id: ids[task], item: task)
                            return 1
                        } catch CRUDRepositoryError.recordAlreadyExists { return 0 }
                    }
                }
                return try await group.reduce(0, +)
            }
            // Each success stored its records, and no record was stored by two.
            #expect(try await SiltstoneRepository(store: store, tableName: table).count() == winners)
        }
    }

    @Test("Keys are in the order of tables, then of identifiers, and can be told apart") func keyOrder() {
        let strings = [
            "", "\0", "\0\0", "\0\u{1}", "\0a", "\u{1}", "a", "a\0", "a\0\u{1}", "a\0b", "a\u{1}", "ab", "b", "é",
            "\u{ffff}",
        ]
        let names = strings.flatMap { table in strings.map { (table: table, id: $0) } }
        let keys = names.map { TableKeys(tableName: $0.table).key($0.id) }
        #expect(Set(keys).count == keys.count)
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(left.lexicographicallyPrecedes(right)) }
        for (name, key) in zip(names, keys) {
            let table = TableKeys(tableName: name.table)
            #expect(key.starts(with: table.prefix) && key.lexicographicallyPrecedes(table.end))
            #expect(key.withUnsafeBytes { table.id($0) } == name.id)
        }
    }

    @Test("A store's error reads well as text") func errorText() {
        let error: any Error = StoreError(.corrupt, "A block fails its checksum.", file: "000003.segment", offset: 64)
        #expect(error.localizedDescription.contains("000003.segment"))
    }
}

/// Runs `body` with a directory that is empty, and removes it.
func withTemporaryDirectory<R>(_ body: (URL) async throws -> R) async throws -> R {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("SiltstoneCRUDTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer {
        do { try FileManager.default.removeItem(at: url) } catch { Issue.record(error) }
    }
    return try await body(url)
}
