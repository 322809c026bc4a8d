#if PEER_SQLITE
import CRUDKit
import Foundation
import Testing

@testable import SiltBench

/// SQLite's repository.
struct RepositoryTests {
    @Test("keeps the promises of a repository", arguments: [false, true])
    func promises(isSynced: Bool) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/silt-bench-tests-\(UUID()).sqlite"
        let repository = try SQLiteRepository(
            path: path, tableName: "items", isSynced: isSynced, dataTransformer: JSONDataTransformer())
        try await repository.create(id: "b", item: Customer(1))
        try await repository.create(id: "a", item: Customer(2))
        await #expect(throws: CRUDRepositoryError.recordAlreadyExists(id: "a")) {
            try await repository.create(id: "a", item: Customer(3))
        }
        try await repository.update(id: "a", item: Customer(4))
        let item: Customer = try await repository.read(id: "a")
        #expect(item == Customer(4))
        #expect(try await repository.all(of: Customer.self).map(\.id) == ["a", "b"])
        try await repository.delete(id: "b")
        await #expect(throws: CRUDRepositoryError.recordNotFound(id: "b")) { try await repository.delete(id: "b") }
        await #expect(throws: CRUDRepositoryError.recordAlreadyExists(id: "a")) {
            try await repository.createAll([(id: "c", item: Customer(5)), (id: "a", item: Customer(6))])
        }
        #expect(try await repository.ids() == ["a"])
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
    }
}
#endif
