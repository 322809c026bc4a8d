public import CRUDKit
public import Foundation
import TableKit

/// A repository in a table of a server: each operation is one statement, and a batch is one transaction, some thousand records
/// a statement.
public protocol SQLRecordRepository: RecordRepository {
    /// What reads and writes the table.
    var _records: SQLRecords { get }
}

extension SQLRecordRepository {
    /// The bytes under an identifier.
    public func record(id: CRUDRepository.ItemIdentifier) async throws -> Data? {
        try await _records.run(whereMissing: nil) { connection, table in
            try connection.execute(table.select(id)).rows.first.map { Data($0[0].bytes) }
        }
    }

    /// Whether the table has the identifier; the item is not read.
    public func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await _records.run(whereMissing: false) { try !$0.execute($1.exists(id)).rows.isEmpty }
    }

    /// Stores bytes under a new identifier.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await _records.store { try $1.insert(record, id, $0) }
    }

    /// Replaces the bytes under an identifier.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await _records.changes { $0.update(record, id) }
    }

    /// Stores bytes under an identifier.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws {
        try await _records.store { _ = try $0.execute($1.upsert(record, id)) }
    }

    /// Removes the bytes under an identifier.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await _records.changes { $0.delete(id) }
    }

    /// Stores all of several records, or none, in one transaction.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        // In the order of bytes, so that two batches wait for each other's identifiers in one order.
        let records = records.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        return try await _records.store { connection, table in
            try connection.inOneTransaction(records[...], bytes: { $0.id.utf8.count + $0.record.count }) {
                try table.insert($0, connection)
            }
        }
    }

    /// Removes all of several records, or none, in one transaction.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        let ids = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return try await _records.run(whereMissing: ids.first) { connection, table in
            try connection.inOneTransaction(ids[...], bytes: { $0.utf8.count }) { part in
                let removed = Set(try connection.execute(table.delete(part)).rows.map { $0[0].bytes })
                return removed.count == part.count ? nil : part.first { !removed.contains(Array($0.utf8)) }
            }
        }
    }

    /// One page of identifiers.
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [CRUDRepository.ItemIdentifier] {
        try await _records.page(after: identifier, limit: limit, withItems: false).map(\.id)
    }

    /// One page of identifiers and bytes.
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        try await _records.page(after: identifier, limit: limit, withItems: true)
    }

    /// How many records the table has.
    /// - Complexity: O(*n*): the server counts by walking.
    public func count() async throws -> Int {
        try await _records.run(whereMissing: 0) { connection, table in
            guard case .integer(let count)? = try connection.execute(table.count).rows.first?.first else { return 0 }
            return Int(count)
        }
    }
}
