import CRUDKit
import Foundation

/// A repository of records whose refused batches leave a part, and right without a fault.
struct FaultyRecords: RecordRepository {
    /// What is wrong.
    enum Fault: CaseIterable {
        case createsInPart, deletesInPart, deletesRepeated
    }

    let base: InMemoryRepository
    let fault: Fault?

    var dataTransformer: any DataTransformer { base.dataTransformer }

    func record(id: CRUDRepository.ItemIdentifier) async throws -> Data? { base.record(id: id) }

    func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        base.insertRecord(record, id: id)
    }

    func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        base.replaceRecord(record, id: id)
    }

    func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws { base.putRecord(record, id: id) }

    func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool { base.removeRecord(id: id) }

    func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        if fault != .createsInPart { return base.insertRecords(records) }
        for (id, record) in records where !base.insertRecord(record, id: id) { return id }
        return nil
    }

    func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        if fault != .deletesInPart { return base.removeRecords(ids: ids) }
        for id in ids where !base.removeRecord(id: id) { return id }
        return nil
    }

    func deleteAll(ids: [CRUDRepository.ItemIdentifier]) async throws {
        if let twice = ids.indices.first(where: { ids[..<$0].contains(ids[$0]) }) {
            if fault == .deletesRepeated { _ = base.removeRecord(id: ids[twice]) }
            throw CRUDRepositoryError.recordNotFound(id: ids[twice])
        }
        if let missing = try await removeRecords(ids: ids) { throw CRUDRepositoryError.recordNotFound(id: missing) }
    }

    func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        base.records(after: identifier, limit: limit)
    }

    func ids(after identifier: CRUDRepository.ItemIdentifier?, limit: Int) async throws -> [CRUDRepository
        .ItemIdentifier]
    {
        base.ids(after: identifier, limit: limit)
    }
}
