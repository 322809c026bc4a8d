import CRUDKit
import Foundation
import SiltstoneTesting
import Testing

struct RepositoryConformanceTests {
    static let transformers: [any DataTransformer] = [
        JSONDataTransformer(), XMLDataTransformer(), BinaryPropertyListDataTransformer(), CompactDataTransformer(),
    ]

    @Test("InMemoryRepository conforms with every transformer", arguments: 0..<transformers.count)
    func inMemory(_ index: Int) async throws {
        let database = InMemoryDatabase()
        try await RepositoryConformance {
            InMemoryRepository(tableName: $0, dataTransformer: Self.transformers[index], database: database)
        }.check()
    }

    @Test("FileSystemRepository conforms") func fileSystem() async throws {
        try await withTemporaryDirectory { directory in
            try await RepositoryConformance { table in
                let name = table.utf8.map { String($0, radix: 16) }.joined(separator: "-").suffix(200)
                let url = directory.appendingPathComponent("\(table.utf8.count)-\(name)", isDirectory: true)
                return FileSystemRepository(directoryURL: url)
            }.check()
        }
    }

    @Test("UserDefaultsRepository conforms") func userDefaults() async throws {
        let suite = "CRUDKitTests.\(UUID().uuidString)"
        defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
        try await RepositoryConformance { table in
            UserDefaultsRepository(tableName: table, defaults: try #require(UserDefaults(suiteName: suite)))
        }.check()
    }

    @Test("A repository with nothing but the four operations conforms by way of the derived ones")
    func derived() async throws {
        let database = InMemoryDatabase()
        try await RepositoryConformance { FourOperations(InMemoryRepository(tableName: $0, database: database)) }
            .check()
    }

    @Test("A collection with nothing but pages of identifiers conforms by way of the defaults")
    func defaults() async throws {
        let database = InMemoryDatabase()
        try await RepositoryConformance { PagedOperations(InMemoryRepository(tableName: $0, database: database)) }
            .check()
    }
}

/// The least that an adapter implements.
private struct FourOperations: CRUDRepository {
    let base: InMemoryRepository
    init(_ base: InMemoryRepository) { self.base = base }

    func create<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        try await base.create(id: id, item: item)
    }
    func read<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier) async throws -> T {
        try await base.read(id: id)
    }
    func update<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        try await base.update(id: id, item: item)
    }
    func delete(id: CRUDRepository.ItemIdentifier) async throws { try await base.delete(id: id) }
}

/// The least that an adapter of a collection implements.
private struct PagedOperations: CRUDCollection {
    let base: InMemoryRepository
    init(_ base: InMemoryRepository) { self.base = base }

    func create<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        try await base.create(id: id, item: item)
    }
    func read<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier) async throws -> T {
        try await base.read(id: id)
    }
    func update<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        try await base.update(id: id, item: item)
    }
    func delete(id: CRUDRepository.ItemIdentifier) async throws { try await base.delete(id: id) }
    func ids(after identifier: CRUDRepository.ItemIdentifier?, limit: Int) async throws -> [CRUDRepository
        .ItemIdentifier]
    {
        base.ids(after: identifier, limit: limit)
    }
}

/// Runs `body` with a directory that is empty, and removes it.
func withTemporaryDirectory<R>(_ body: (URL) async throws -> R) async throws -> R {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("CRUDKitTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer {
        do { try FileManager.default.removeItem(at: url) } catch { Issue.record(error) }
    }
    return try await body(url)
}
