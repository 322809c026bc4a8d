import CRUDKit
import Foundation
import Testing

private struct Client: Codable {
    var name: String
}

/// The programs that an application would write: with each database and each format, they differ in one expression.
struct ClientProgramTests {
    @Test("One item can be created, read, updated and deleted, and an array stored under an identifier")
    func program() async throws {
        try await withTemporaryDirectory { url in
            for transformer in RepositoryConformanceTests.transformers {
                let files = FileSystemRepository(directoryURL: url.appendingPathComponent("\(type(of: transformer))"))
                try await run(on: files)
                try await run(
                    on: FileSystemRepository(
                        directoryURL: url.appendingPathComponent("records"), dataTransformer: transformer))
                try await run(on: InMemoryRepository(tableName: "Clients Database", dataTransformer: transformer))
            }
        }
    }

    private func run(on repository: some CRUDRepository) async throws {
        let clientRecordIdentifier = "client"
        try await repository.create(id: clientRecordIdentifier, item: Client(name: "Chill Client"))
        var clientRecord: Client = try await repository.read(id: clientRecordIdentifier)
        #expect(clientRecord.name == "Chill Client")
        clientRecord.name = "Busy Client"
        try await repository.update(id: clientRecordIdentifier, item: clientRecord)
        let updatedClient: Client = try await repository.read(id: clientRecordIdentifier)
        #expect(updatedClient.name == "Busy Client")
        try await repository.delete(id: clientRecordIdentifier)
        do {
            let removed: Client = try await repository.read(id: clientRecordIdentifier)
            Issue.record("read \(removed) after delete")
        } catch {
            #expect(error.localizedDescription == "There is no record under the identifier \"client\".")
        }

        try await repository.create(id: "clientArray", item: [Client(name: "Chill Client")])
        let savedArray: [Client] = try await repository.read(id: "clientArray")
        #expect(savedArray.first?.name == "Chill Client")
        try await repository.delete(id: "clientArray")
    }

    @Test("A class without Sendable is a repository, and may store what is not Sendable")
    func plainClass() async throws {
        final class Name: Codable { var text = "text" }
        let repository = DictionaryRepository()
        let name = Name()
        try await repository.create(id: "name", item: name)
        name.text = "other"
        try await repository.upsert(id: "name", item: name)
        let stored: Name = try await repository.read(id: "name")
        #expect(stored.text == "other")
        #expect(try await repository.exists(id: "name"))
    }
}

/// An adapter as people write them first.
private class DictionaryRepository: CRUDRepository {
    let dataTransformer: any DataTransformer = JSONDataTransformer()
    private var records: [String: Data] = [:]

    func create<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        guard records[id] == nil else { throw CRUDRepositoryError.recordAlreadyExists(id: id) }
        records[id] = try await dataTransformer.encode(item)
    }

    func read<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier) async throws -> T {
        guard let data = records[id] else { throw CRUDRepositoryError.recordNotFound(id: id) }
        return try await dataTransformer.decode(data: data)
    }

    func update<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        guard records[id] != nil else { throw CRUDRepositoryError.recordNotFound(id: id) }
        records[id] = try await dataTransformer.encode(item)
    }

    func delete(id: CRUDRepository.ItemIdentifier) async throws {
        guard records.removeValue(forKey: id) != nil else { throw CRUDRepositoryError.recordNotFound(id: id) }
    }
}
