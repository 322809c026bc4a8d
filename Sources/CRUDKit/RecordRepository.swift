public import Foundation

/// A repository that stores items as encoded bytes. Implement a few operations on bytes; ``CRUDCollection`` follows
/// from them.
///
/// Items are encoded before the table is touched, so an item that cannot be encoded changes nothing. They are encoded
/// on the caller's task, so their types need not be `Sendable`.
public protocol RecordRepository: CRUDCollection {
    /// The format of the items.
    var dataTransformer: any DataTransformer { get }

    /// The bytes under an identifier; nil if there are none.
    func record(id: CRUDRepository.ItemIdentifier) async throws -> Data?

    /// Stores bytes under a new identifier, atomically.
    /// - Returns: false if the identifier exists. Then nothing has changed.
    func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool

    /// Replaces the bytes under an identifier, atomically.
    /// - Returns: false if the identifier does not exist. Then nothing has changed.
    func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool

    /// Stores bytes under an identifier, new or not.
    func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws

    /// Removes the bytes under an identifier, atomically.
    /// - Returns: false if the identifier does not exist.
    func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool

    /// Stores all records, or none if an identifier exists. No identifier is repeated.
    /// - Returns: an identifier that exists; nil if all were stored.
    func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier?

    /// Removes all records, or none if an identifier does not exist. No identifier is repeated.
    /// - Returns: an identifier that does not exist; nil if all were removed.
    func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier?

    /// A page of identifiers and bytes, ascending by the identifiers' UTF-8 bytes; empty only at the end.
    func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)]
}

extension RecordRepository {
    /// Encodes the item and stores it under a new identifier.
    public func create<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        let record = try await dataTransformer.encode(item)
        guard try await insertRecord(record, id: id) else { throw CRUDRepositoryError.recordAlreadyExists(id: id) }
    }

    /// Fetches the bytes and decodes them.
    public func read<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier) async throws -> T {
        guard let record = try await record(id: id) else { throw CRUDRepositoryError.recordNotFound(id: id) }
        return try await dataTransformer.decode(data: record)
    }

    /// Encodes the item and replaces the bytes under the identifier.
    public func update<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        let record = try await dataTransformer.encode(item)
        guard try await replaceRecord(record, id: id) else { throw CRUDRepositoryError.recordNotFound(id: id) }
    }

    /// Removes the bytes.
    public func delete(id: CRUDRepository.ItemIdentifier) async throws {
        guard try await removeRecord(id: id) else { throw CRUDRepositoryError.recordNotFound(id: id) }
    }

    /// Looks for the bytes without decoding them.
    public func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await record(id: id) != nil
    }

    /// Encodes the item and stores it.
    public func upsert<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        try await putRecord(try await dataTransformer.encode(item), id: id)
    }

    /// Encodes all items, then stores all, or none if an identifier exists or is repeated.
    public func createAll<T: CRUDRepository.Item>(
        _ items: [(id: CRUDRepository.ItemIdentifier, item: T)]
    ) async throws {
        if let twice = firstRepeated(items.lazy.map(\.id)) { throw CRUDRepositoryError.recordAlreadyExists(id: twice) }
        var records: [(id: CRUDRepository.ItemIdentifier, record: Data)] = []
        records.reserveCapacity(items.count)
        for (id, item) in items { records.append((id, try await dataTransformer.encode(item))) }
        if let existing = try await insertRecords(records) {
            throw CRUDRepositoryError.recordAlreadyExists(id: existing)
        }
    }

    /// Removes all bytes, or none if an identifier does not exist or is repeated.
    public func deleteAll(ids: [CRUDRepository.ItemIdentifier]) async throws {
        if let twice = firstRepeated(ids) { throw CRUDRepositoryError.recordNotFound(id: twice) }
        if let missing = try await removeRecords(ids: ids) { throw CRUDRepositoryError.recordNotFound(id: missing) }
    }

    /// Fetches a page of bytes and decodes it.
    public func items<T: CRUDRepository.Item>(
        of type: T.Type, after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, item: T)] {
        let records = try await records(after: identifier, limit: limit)
        var items: [(id: CRUDRepository.ItemIdentifier, item: T)] = []
        items.reserveCapacity(records.count)
        for (id, record) in records { items.append((id, try await dataTransformer.decode(data: record))) }
        return items
    }

    /// The first repeated identifier.
    private func firstRepeated(_ ids: some Sequence<CRUDRepository.ItemIdentifier>) -> CRUDRepository.ItemIdentifier? {
        var seen: Set<ByteExactString> = []
        return ids.first { !seen.insert(ByteExactString($0)).inserted }
    }
}
