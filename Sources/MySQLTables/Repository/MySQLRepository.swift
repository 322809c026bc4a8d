#if MySQL
public import CRUDKit
public import Foundation
import TableKit
import TableSQL

/// A repository in a table of MariaDB.
///
/// ```swift
/// let repository = try MySQLRepository("mysql://app@localhost/shop", tableName: "Clients")
/// try await repository.create(id: "client", item: Client(name: "Chill Client"))
/// ```
///
/// What was acknowledged is as durable as the server is set to make it. Each operation is one statement, and a batch is one
/// transaction: all of it or nothing. The table, `repository_` and its name, is made with the first record.
///
/// Operations that have changed nothing are tried again after a conflict, a lost connection, and amid a failover for
/// ``MySQLOptions/failoverTimeout``. Where nobody knows whether an operation took place, it throws
/// `CRUDRepositoryError.databaseError` with a reason that says so.
///
/// Identifiers are in the order of their UTF-8 bytes.
public final class MySQLRepository: RecordRepository {
    /// The table's name.
    public let tableName: String
    /// What turns items into bytes and back.
    public let dataTransformer: any DataTransformer
    private let server: MySQLServerPool
    private let table: RecordTable

    /// Creates a repository with connections of its own. None is made before the first operation.
    /// - Parameters:
    ///   - url: as for ``MySQLDatabaseConfiguration/init(_:options:)``.
    ///   - tableName: any name. Repositories with different names do not see each other's records.
    ///   - dataTransformer: the format of the items.
    ///   - options: time-outs and limits.
    /// - Throws: `CRUDSQLExeError` with code `argument` where the URL cannot be read.
    public convenience init(
        _ url: String, tableName: String = "",
        dataTransformer: any DataTransformer = JSONDataTransformer(), options: MySQLOptions = MySQLOptions()
    ) throws {
        self.init(
            configuration: try MySQLDatabaseConfiguration(url, options: options), tableName: tableName,
            dataTransformer: dataTransformer)
    }

    /// Creates a repository over the connections of a configuration.
    /// - Parameters:
    ///   - configuration: whose connections the repository shares.
    ///   - tableName: any name. Repositories with different names do not see each other's records.
    ///   - dataTransformer: the format of the items.
    public init(
        configuration: MySQLDatabaseConfiguration, tableName: String = "",
        dataTransformer: any DataTransformer = JSONDataTransformer()
    ) {
        self.tableName = tableName
        self.dataTransformer = dataTransformer
        server = configuration.server
        table = RecordTable(tableName)
    }

    /// Runs an operation. A table that is missing has no records.
    private func run<R: Sendable>(
        whereMissing empty: R, _ body: @escaping @Sendable (MySQLConnection, RecordTable) throws -> R
    ) async throws -> R {
        let table = table
        do { return try await server.retrying { try body($0, table) } } catch let error as SQLConnectionError {
            if error.code == .noTable { return empty }
            throw CRUDRepositoryError.databaseError(reason: error.tableError.message)
        }
    }

    /// As ``run(whereMissing:_:)``, making the table where it is missing.
    private func store<R: Sendable>(
        _ body: @escaping @Sendable (MySQLConnection, RecordTable) throws -> R
    ) async throws -> R {
        let result = try await run(whereMissing: nil) { try Optional(body($0, $1)) }
        if let result { return result }
        try await run(whereMissing: ()) { connection, table in
            _ = try connection.execute(table.create)
        }
        guard let result = try await run(whereMissing: nil, { try Optional(body($0, $1)) }) else {
            throw CRUDRepositoryError.databaseError(reason: "The table \(tableName) is deleted while it is used.")
        }
        return result
    }
}

extension MySQLRepository {
    /// The bytes under an identifier.
    public func record(id: CRUDRepository.ItemIdentifier) async throws -> Data? {
        try await run(whereMissing: nil) { connection, table in
            try connection.execute(table.select(id)).rows.first.map { Data($0[0].bytes) }
        }
    }

    /// Whether the table has the identifier; the item is not read.
    public func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await run(whereMissing: false) { try !$0.execute($1.exists(id)).rows.isEmpty }
    }

    /// Stores bytes under a new identifier.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await store { connection, table in
            do { return try connection.execute(table.insert(record, id)).changedRows == 1 } catch let error
                as SQLConnectionError where error.code == .unique
            { return false }
        }
    }

    /// Replaces the bytes under an identifier.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await run(whereMissing: false) { try $0.execute($1.update(record, id)).changedRows == 1 }
    }

    /// Stores bytes under an identifier.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws {
        try await store { _ = try $0.execute($1.upsert(record, id)) }
    }

    /// Removes the bytes under an identifier.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await run(whereMissing: false) { try $0.execute($1.delete(id)).changedRows == 1 }
    }

    /// Stores all of several records, or none, in one transaction.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        // In the order of bytes, so that two batches wait for each other's identifiers in one order.
        let records = records.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        return try await store { try RecordBatch.insert(records, $0, $1) }
    }

    /// Removes all of several records, or none, in one transaction.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        let ids = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return try await run(whereMissing: ids.first) { try RecordBatch.remove(ids, $0, $1) }
    }

    /// One page of identifiers.
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [CRUDRepository.ItemIdentifier] {
        try await run(whereMissing: []) { connection, table in
            try RecordPage.read(after: identifier, limit: limit, withItems: false, connection, table).map {
                String(decoding: $0.id, as: UTF8.self)
            }
        }
    }

    /// One page of identifiers and bytes.
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        try await run(whereMissing: []) { connection, table in
            try RecordPage.read(after: identifier, limit: limit, withItems: true, connection, table).map {
                (String(decoding: $0.id, as: UTF8.self), Data($0.item))
            }
        }
    }

    /// How many records the table has.
    /// - Complexity: O(*n*): the server counts by walking.
    public func count() async throws -> Int {
        try await run(whereMissing: 0) { connection, table in
            guard case .integer(let count)? = try connection.execute(table.count).rows.first?.first else { return 0 }
            return Int(count)
        }
    }
}

extension ColumnValue {
    /// The bytes of a column of bytes.
    var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}

extension MySQLRepository {
    /// The name that the catalogue has for the table of a repository.
    package static func catalogueName(of tableName: String) -> String { RecordTable.name(of: tableName) }
}
#endif
