public import Foundation

/// A repository that forgets: for tests and previews, with the semantics of the ones that do not.
///
/// Items go through the transformer as everywhere else, so that what comes back is what a database would give. Batches
/// are atomic, and pages consistent.
public final class InMemoryRepository: RecordRepository {
    /// The table's name; a table of the same database that differs in one byte is another.
    public let tableName: String
    /// What turns items into bytes and back.
    public let dataTransformer: any DataTransformer
    private let database: InMemoryDatabase
    private let key: ByteExactString

    /// Creates a repository.
    /// - Parameters:
    ///   - tableName: the table in the database.
    ///   - dataTransformer: the format of the items.
    ///   - database: what holds the tables; one of its own without it. Repositories of one database and one table name
    ///     see the same items.
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

    /// Stores bytes under a new identifier.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) -> Bool {
        withTable { table in
            guard table[ByteExactString(id)] == nil else { return false }
            table[ByteExactString(id)] = record
            return true
        }
    }

    /// Replaces the bytes under an identifier.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) -> Bool {
        withTable { table in
            guard table[ByteExactString(id)] != nil else { return false }
            table[ByteExactString(id)] = record
            return true
        }
    }

    /// Stores bytes under an identifier.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) {
        withTable { $0[ByteExactString(id)] = record }
    }

    /// Removes the bytes under an identifier.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) -> Bool {
        withTable { table in
            guard table[ByteExactString(id)] != nil else { return false }
            table[ByteExactString(id)] = nil
            return true
        }
    }

    /// Stores all of several records, or none.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) -> CRUDRepository.ItemIdentifier? {
        withTable { table in
            if let existing = records.first(where: { table[ByteExactString($0.id)] != nil }) { return existing.id }
            for (id, record) in records { table[ByteExactString(id)] = record }
            return nil
        }
    }

    /// Removes all of several records, or none.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) -> CRUDRepository.ItemIdentifier? {
        withTable { table in
            if let missing = ids.first(where: { table[ByteExactString($0)] == nil }) { return missing }
            for id in ids { table[ByteExactString(id)] = nil }
            return nil
        }
    }

    /// One page of identifiers and bytes.
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        withTable { table in
            table.page(after: identifier, limit: limit).compactMap { key in table[key].map { (key.string, $0) } }
        }
    }

    /// One page of identifiers.
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) -> [CRUDRepository.ItemIdentifier] {
        withTable { $0.page(after: identifier, limit: limit).map(\.string) }
    }

    /// How many items there are.
    public func count() -> Int { withTable { $0.count } }
}
