public import CRUDKit
public import Foundation
import Siltstone

extension SiltstoneRepository {
    /// The bytes under an identifier.
    public func record(id: CRUDRepository.ItemIdentifier) throws -> Data? {
        try store.withValue(keys.key(id)) { value in
            unsafe value.withUnsafeBytes { unsafe Data($0) }
        }
    }

    /// Whether the identifier exists. Does not read the item.
    public func exists(id: CRUDRepository.ItemIdentifier) throws -> Bool {
        try store.contains(keys.key(id))
    }

    /// Stores bytes under a new identifier; returns false if it exists.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await writing { try await store.insert(keys.key(id), record) }
    }

    /// Replaces the bytes under an identifier; returns false if it does not exist.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await writing { try await store.replace(keys.key(id), record) }
    }

    /// Stores bytes under an identifier, new or not.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws {
        try await writing { try await store.put(keys.key(id), record) }
    }

    /// Removes an identifier and its bytes; returns false if it does not exist.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await writing { try await store.remove(keys.key(id)) }
    }

    /// Stores all records or none, in one transaction. Returns an identifier that already exists, or nil.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        try await writing {
            try await store.transaction(attempts: .max) { transaction in
                for (id, record) in records where try !transaction.insert(keys.key(id), record) {
                    transaction.rollback()
                    return id
                }
                return nil
            }
        }
    }

    /// Removes all records or none, in one transaction. Returns an identifier that does not exist, or nil.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        try await writing {
            try await store.transaction(attempts: .max) { transaction in
                for id in ids where try !transaction.remove(keys.key(id)) {
                    transaction.rollback()
                    return id
                }
                return nil
            }
        }
    }

    /// A page of identifiers.
    /// - Complexity: O(*log n* + *limit*).
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) throws -> [CRUDRepository.ItemIdentifier] {
        try page(after: identifier, limit: limit) { id, _ in id }
    }

    /// A page of identifiers and bytes.
    /// - Complexity: O(*log n* + *limit*).
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        try page(after: identifier, limit: limit) { id, value in
            (id, unsafe value.withUnsafeBytes { unsafe Data($0) })
        }
    }

    /// The number of records.
    /// - Complexity: O(*n*): the store scans the keys.
    public func count() throws -> Int {
        try store.count(from: keys.prefix, to: keys.end)
    }

    private func page<R>(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int, _ body: (String, RawSpan) -> R
    ) throws -> [R] {
        var page: [R] = []
        guard limit > 0 else { return page }
        try store.forEach(from: keys.start(after: identifier), to: keys.end, limit: limit) { key, value in
            guard let id = unsafe key.withUnsafeBytes({ unsafe keys.id($0) }) else {
                throw notText(unsafe key.withUnsafeBytes { unsafe Data($0) })
            }
            page.append(body(id, value))
            return true
        }
        return page
    }

    /// The error of a key whose identifier no caller can state. Skipping it would hide it, and the next page could not
    /// start behind it.
    private func notText(_ key: Data) -> StoreError {
        StoreError(
            .corrupt,
            "The repository \(tableName.debugDescription) has a key whose identifier is not UTF-8, which another "
                + "program wrote. Remove it from the store; in Base64, the key is \(key.base64EncodedString()).")
    }

    /// Runs a write.
    /// - Throws: ``CRUDRepositoryError/unknownOutcome(reason:)`` if the disk failed: the change may be found when the
    ///   store is opened again.
    private func writing<R>(_ write: () async throws -> R) async throws -> R {
        do { return try await write() } catch let error as StoreError where error.code == .inputOutput {
            throw CRUDRepositoryError.unknownOutcome(reason: error.description)
        }
    }
}
