public import Foundation

/// A repository that keeps items as encoded bytes: implement a few operations on bytes, and the whole of
/// ``CRUDCollection`` follows.
///
/// An item is encoded before the table is touched, so that one that cannot be encoded changes nothing, and on the task
/// of the caller, so that its type need not be `Sendable`.
public protocol RecordRepository: CRUDCollection {
    /// What turns items into bytes and back.
    var dataTransformer: any DataTransformer { get }

    /// The bytes under an identifier; nil where there are none.
    func record(id: CRUDRepository.ItemIdentifier) async throws -> Data?

    /// Stores bytes under an identifier that is not in use; as one step, whoever else does the same.
    /// - Returns: false where the identifier is in use. Then nothing has changed.
    func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool

    /// Puts bytes in the place of those that are stored; as one step.
    /// - Returns: false where the identifier is not in use. Then nothing has changed.
    func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool

    /// Stores bytes under an identifier, whether or not it is in use.
    func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws

    /// Removes the bytes under an identifier; as one step.
    /// - Returns: false where the identifier is not in use.
    func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool

    /// Stores all of several records, or none of them where an identifier is in use. No identifier comes twice.
    /// - Returns: an identifier that is in use; nil where all were stored.
    func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier?

    /// Removes all of several records, or none of them where an identifier is not in use. No identifier comes twice.
    /// - Returns: an identifier that is not in use; nil where all were removed.
    func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier?

    /// One page of identifiers and bytes, ascending by the identifiers' UTF-8 bytes; empty only at the end.
    func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)]
}

extension RecordRepository {
    /// Encodes the item and stores it where the identifier is not in use.
    public func create<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        let record = try await dataTransformer.encode(item)
        guard try await insertRecord(record, id: id) else { throw CRUDRepositoryError.recordAlreadyExists(id: id) }
    }

    /// Fetches the bytes and decodes them.
    public func read<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier) async throws -> T {
        guard let record = try await record(id: id) else { throw CRUDRepositoryError.recordNotFound(id: id) }
        return try await dataTransformer.decode(data: record)
    }

    /// Encodes the item and stores it where the identifier is in use.
    public func update<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        let record = try await dataTransformer.encode(item)
        guard try await replaceRecord(record, id: id) else { throw CRUDRepositoryError.recordNotFound(id: id) }
    }

    /// Removes the bytes.
    public func delete(id: CRUDRepository.ItemIdentifier) async throws {
        guard try await removeRecord(id: id) else { throw CRUDRepositoryError.recordNotFound(id: id) }
    }

    /// Looks for the bytes, without decoding them.
    public func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await record(id: id) != nil
    }

    /// Encodes the item and stores it.
    public func upsert<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        try await putRecord(try await dataTransformer.encode(item), id: id)
    }

    /// Encodes all items first, then stores them all, or none where an identifier is in use or comes twice.
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

    /// Removes the bytes of all, or of none where an identifier is not in use or comes twice.
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

    /// The first identifier that came before.
    private func firstRepeated(_ ids: some Sequence<CRUDRepository.ItemIdentifier>) -> CRUDRepository.ItemIdentifier? {
        var seen: Set<ByteExactString> = []
        return ids.first { !seen.insert(ByteExactString($0)).inserted }
    }
}
