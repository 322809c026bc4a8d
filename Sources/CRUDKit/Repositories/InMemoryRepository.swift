public import Foundation

/// A repository in memory, for tests and previews, with the semantics of persistent ones.
///
/// Items pass through the transformer, as in every other repository, so that reads return what a database would.
/// Batches are atomic, and each page is consistent.
public final class InMemoryRepository: RecordRepository {
    /// The name of the table, compared by its bytes.
    public let tableName: String
    /// The format of the items.
    public let dataTransformer: any DataTransformer
    private let database: InMemoryDatabase
    private let key: ByteExactString

    /// Creates a repository.
    /// - Parameters:
    ///   - tableName: the table in the database.
    ///   - dataTransformer: the format of the items.
    ///   - database: the database of the table; by default a new one. Repositories with the same database and table
    ///     name share their items.
    public init(
        tableName: String = "", dataTransformer: any DataTransformer = JSONDataTransformer(),
        database: InMemoryDatabase = InMemoryDatabase()
    ) {
        self.tableName = tableName
        self.dataTransformer = dataTransformer
        self.database = database
        key = ByteExactString(tableName)
    }

    private func withTable<R>(_ body: (inout InMemoryTable) -> R) -> R { database.withTable(key, body) }
}

extension InMemoryRepository {
    /// The bytes under an identifier.
    public func record(id: CRUDRepository.ItemIdentifier) -> Data? {
        withTable { $0[ByteExactString(id)] }
    }

    /// Stores bytes under a new identifier; returns false if it exists.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) -> Bool {
        withTable { table in
            guard table[ByteExactString(id)] == nil else { return false }
            table[ByteExactString(id)] = record
            return true
        }
    }

    /// Replaces the bytes under an identifier; returns false if it does not exist.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) -> Bool {
        withTable { table in
            guard table[ByteExactString(id)] != nil else { return false }
            table[ByteExactString(id)] = record
            return true
        }
    }

    /// Stores bytes under an identifier, new or not.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) {
        withTable { $0[ByteExactString(id)] = record }
    }

    /// Removes an identifier and its bytes; returns false if it does not exist.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) -> Bool {
        withTable { table in
            guard table[ByteExactString(id)] != nil else { return false }
            table[ByteExactString(id)] = nil
            return true
        }
    }

    /// Stores all records, or none if an identifier exists. Returns that identifier, or nil.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) -> CRUDRepository.ItemIdentifier? {
        withTable { table in
            if let existing = records.first(where: { table[ByteExactString($0.id)] != nil }) { return existing.id }
            for (id, record) in records { table[ByteExactString(id)] = record }
            return nil
        }
    }

    /// Removes all records, or none if an identifier does not exist. Returns that identifier, or nil.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) -> CRUDRepository.ItemIdentifier? {
        withTable { table in
            if let missing = ids.first(where: { table[ByteExactString($0)] == nil }) { return missing }
            for id in ids { table[ByteExactString(id)] = nil }
            return nil
        }
    }

    /// A page of identifiers and bytes.
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        withTable { table in
            table.page(after: identifier, limit: limit).compactMap { key in table[key].map { (key.string, $0) } }
        }
    }

    /// A page of identifiers.
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) -> [CRUDRepository.ItemIdentifier] {
        withTable { $0.page(after: identifier, limit: limit).map(\.string) }
    }

    /// The number of items.
    public func count() -> Int { withTable { $0.count } }
}
