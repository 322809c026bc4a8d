/// What every repository can do because of the four operations. A ``CRUDCollection`` usually does it better.
extension CRUDRepository {
    /// Whether there is an item under an identifier, of whatever type.
    public func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        do {
            let _: AnyItem = try await read(id: id)
            return true
        } catch CRUDRepositoryError.recordNotFound {
            return false
        }
    }

    /// Stores an item under an identifier, whether or not that is in use.
    public func upsert<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        while true {
            do { return try await update(id: id, item: item) } catch CRUDRepositoryError.recordNotFound {}
            // Another task may create the item here, and delete it again after that: hence a loop. Each turn is lost
            // only because someone else got on.
            do { return try await create(id: id, item: item) } catch CRUDRepositoryError.recordAlreadyExists {}
            try Task.checkCancellation()
        }
    }

    /// Creates items one after the other, and stops at the first that fails: those before it stay.
    public func createAll<T: CRUDRepository.Item>(
        _ items: [(id: CRUDRepository.ItemIdentifier, item: T)]
    ) async throws {
        for (id, item) in items { try await create(id: id, item: item) }
    }

    /// Deletes items one after the other, and stops at the first that fails: those before it are gone.
    public func deleteAll(ids: [CRUDRepository.ItemIdentifier]) async throws {
        for id in ids { try await delete(id: id) }
    }
}

/// Decodes from anything, and keeps nothing.
private struct AnyItem: Codable {
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) {}
}
