public import CRUDKit
public import Foundation
import Siltstone

extension SiltstoneRepository {
    /// The bytes under an identifier.
    public func record(id: CRUDRepository.ItemIdentifier) throws -> Data? {
        try shared.store.withValue(keys.key(id)) { value in
            unsafe value.withUnsafeBytes { unsafe Data($0) }
        }
    }

    /// Whether the store has the identifier's key.
    public func exists(id: CRUDRepository.ItemIdentifier) throws -> Bool {
        try shared.store.contains(keys.key(id))
    }

    /// Stores bytes under a new identifier.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await shared.gate.pass { try await shared.store.insert(keys.key(id), record) }
    }

    /// Replaces the bytes under an identifier.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await shared.gate.pass { try await shared.store.replace(keys.key(id), record) }
    }

    /// Stores bytes under an identifier.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws {
        try await shared.gate.pass { try await shared.store.put(keys.key(id), record) }
    }

    /// Removes the bytes under an identifier.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await shared.gate.pass { try await shared.store.remove(keys.key(id)) }
    }

    /// Stores all of several records, or none, as one batch of the store.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        var batch = WriteBatch()
        for (id, record) in records { batch.put(keys.key(id), record) }
        return try await write(batch, ids: records.map(\.id)) { exists in !exists }
    }

    /// Removes all of several records, or none, as one batch of the store.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        var batch = WriteBatch()
        for id in ids { batch.delete(keys.key(id)) }
        return try await write(batch, ids: ids) { exists in exists }
    }

    /// Writes a batch, if each of its identifiers may be written.
    /// - Returns: the first that may not. Then nothing has changed.
    private func write(
        _ batch: WriteBatch, ids: [CRUDRepository.ItemIdentifier], where condition: (_ exists: Bool) -> Bool
    ) async throws -> CRUDRepository.ItemIdentifier? {
        let store = shared.store
        return try await shared.gate.alone {
            for id in ids where !condition(try contains(id)) { return id }
            try await store.write(batch)
            return nil
        }
    }

    /// The store's synchronous `contains`: a look into memory or a mapping is not worth a suspension.
    private func contains(_ id: CRUDRepository.ItemIdentifier) throws -> Bool {
        try shared.store.contains(keys.key(id))
    }

    /// One page of identifiers.
    /// - Complexity: O(*log n* + *limit*).
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) throws -> [CRUDRepository.ItemIdentifier] {
        try page(after: identifier, limit: limit) { id, _ in id }
    }

    /// One page of identifiers and bytes.
    /// - Complexity: O(*log n* + *limit*).
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        try page(after: identifier, limit: limit) { id, value in
            (id, unsafe value.withUnsafeBytes { unsafe Data($0) })
        }
    }

    /// How many records the table has.
    /// - Complexity: O(*n*): the store counts by walking.
    public func count() throws -> Int {
        var count = 0
        try shared.store.forEach(from: keys.prefix, to: keys.end) { _, _ in
            count += 1
            return true
        }
        return count
    }

    private func page<R>(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int, _ body: (String, RawSpan) -> R
    ) throws -> [R] {
        var page: [R] = []
        guard limit > 0 else { return page }
        try shared.store.forEach(from: keys.start(after: identifier), to: keys.end, limit: limit) { key, value in
            page.append(body(unsafe key.withUnsafeBytes { unsafe keys.id($0) }, value))
            return true
        }
        return page
    }
}
