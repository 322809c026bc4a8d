/// Default implementations by the four operations. A ``CRUDCollection`` usually has better ones.
extension CRUDRepository {
    /// Whether an item of any type exists under an identifier.
    public func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        do {
            let _: AnyItem = try await read(id: id)
            return true
        } catch CRUDRepositoryError.recordNotFound {
            return false
        }
    }

    /// Stores an item under an identifier, new or not.
    public func upsert<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        while true {
            do { return try await update(id: id, item: item) } catch CRUDRepositoryError.recordNotFound {}
            // Another task may create the item here and delete it again afterwards, hence the loop. Each repetition
            // means that another task made progress.
            do { return try await create(id: id, item: item) } catch CRUDRepositoryError.recordAlreadyExists {}
            try Task.checkCancellation()
        }
    }

    /// Creates items one after the other, up to the first failure. Keeps those before it.
    public func createAll<T: CRUDRepository.Item>(
        _ items: [(id: CRUDRepository.ItemIdentifier, item: T)]
    ) async throws {
        for (id, item) in items { try await create(id: id, item: item) }
    }

    /// Deletes items one after the other, up to the first failure. Does not restore those before it.
    public func deleteAll(ids: [CRUDRepository.ItemIdentifier]) async throws {
        for id in ids { try await delete(id: id) }
    }
}

/// An item that decodes from anything and keeps nothing.
private struct AnyItem: Codable {
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) {}
}
