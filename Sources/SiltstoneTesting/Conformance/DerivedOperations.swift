import CRUDKit

/// Calls the operations beyond the four. Uses a `CRUDCollection`'s own implementations, where a call on a
/// `CRUDRepository` would use the default ones.
struct DerivedOperations {
    let repository: any CRUDRepository & Sendable

    func exists(id: String) async throws -> Bool {
        if let collection = repository as? any CRUDCollection { return try await collection.exists(id: id) }
        return try await repository.exists(id: id)
    }

    func upsert<T: CRUDRepository.Item>(id: String, item: T) async throws {
        if let collection = repository as? any CRUDCollection { return try await collection.upsert(id: id, item: item) }
        try await repository.upsert(id: id, item: item)
    }

    func createAll<T: CRUDRepository.Item>(_ items: [(id: String, item: T)]) async throws {
        if let collection = repository as? any CRUDCollection { return try await collection.createAll(items) }
        try await repository.createAll(items)
    }

    func deleteAll(ids: [String]) async throws {
        if let collection = repository as? any CRUDCollection { return try await collection.deleteAll(ids: ids) }
        try await repository.deleteAll(ids: ids)
    }
}
