public import CRUDKit
public import Foundation
import TableKit

/// A repository in a server's table. Each operation is one statement. A batch is one transaction, with up to a thousand
/// records in a statement.
public protocol SQLRecordRepository: RecordRepository {
    /// The connection to the table.
    var _records: SQLRecords { get }
}

extension SQLRecordRepository {
    /// Closes the connections, those that other repositories of the same configuration and its `Database` use among them:
    /// those that rest at once, the others when they come back. Later operations throw `CRUDRepositoryError.databaseError`.
    /// Again: does nothing.
    public func close() { _records.close() }

    /// The bytes under an identifier.
    public func record(id: CRUDRepository.ItemIdentifier) async throws -> Data? {
        try await _records.run(whereMissing: nil) { connection, table in
            try connection.execute(table.select(id)).rows.first.map { Data($0[0].bytes) }
        }
    }

    /// Whether the identifier exists. Does not read the item.
    public func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await _records.run(whereMissing: false) { try !$0.execute($1.exists(id)).rows.isEmpty }
    }

    /// Stores bytes under a new identifier; returns false if it exists.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await _records.store { try $1.insert(record, id, $0) }
    }

    /// Replaces the bytes under an identifier; returns false if it does not exist.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await _records.changes { $0.update(record, id) }
    }

    /// Stores bytes under an identifier, new or not.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws {
        try await _records.store { _ = try $0.execute($1.upsert(record, id)) }
    }

    /// Removes an identifier and its bytes; returns false if it does not exist.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await _records.changes { $0.delete(id) }
    }

    /// Stores all records or none, in one transaction. Returns an identifier that already exists, or nil.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        // Sorted by bytes, so that concurrent batches lock identifiers in one order.
        let records = records.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        return try await _records.store { connection, table in
            try connection.inOneTransaction(records[...], bytes: { $0.id.utf8.count + $0.record.count }) {
                try table.insert($0, connection)
            }
        }
    }

    /// Removes all records or none, in one transaction. Returns an identifier that does not exist, or nil.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        let ids = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return try await _records.run(whereMissing: ids.first) { connection, table in
            try connection.inOneTransaction(ids[...], bytes: { $0.utf8.count }) { part in
                let removed = Set(try connection.execute(table.delete(part)).rows.map { $0[0].bytes })
                return removed.count == part.count ? nil : part.first { !removed.contains(Array($0.utf8)) }
            }
        }
    }

    /// A page of identifiers.
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [CRUDRepository.ItemIdentifier] {
        try await _records.page(after: identifier, limit: limit, withItems: false).map(\.id)
    }

    /// A page of identifiers and bytes.
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        try await _records.page(after: identifier, limit: limit, withItems: true)
    }

    /// The number of records.
    /// - Complexity: O(*n*): the server scans the table.
    public func count() async throws -> Int {
        try await _records.run(whereMissing: 0) { connection, table in
            guard case .integer(let count)? = try connection.execute(table.count).rows.first?.first else { return 0 }
            return Int(count)
        }
    }
}
