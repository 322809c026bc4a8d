#if PostgreSQL
public import CRUDKit
public import Foundation
import TableKit
import TableSQL

/// A repository in a table of PostgreSQL.
///
/// ```swift
/// let repository = try PostgresRepository("postgresql://app@localhost/shop", tableName: "Clients")
/// try await repository.create(id: "client", item: Client(name: "Chill Client"))
/// ```
///
/// What was acknowledged is as durable as the server is set to make it. Each operation is one statement, and a batch is one
/// transaction: all of it or nothing. The table, `repository_` and its name, is made with the first record.
///
/// Operations that have changed nothing are tried again after a conflict, a lost connection, and amid a failover for
/// ``PostgresOptions/failoverTimeout``. Where nobody knows whether an operation took place, it throws
/// `CRUDRepositoryError.databaseError` with a reason that says so.
///
/// Identifiers are in the order of their UTF-8 bytes. The server's index takes identifiers of some 2,600 bytes, longer ones
/// where they can be compressed; beyond that an operation throws.
public final class PostgresRepository: RecordRepository {
    /// The table's name.
    public let tableName: String
    /// What turns items into bytes and back.
    public let dataTransformer: any DataTransformer
    private let server: PostgresServerPool
    private let table: RecordTable

    /// Creates a repository with connections of its own. None is made before the first operation.
    /// - Parameters:
    ///   - connectionString: as for ``PostgresDatabaseConfiguration/init(_:options:)``.
    ///   - tableName: any name. Repositories with different names do not see each other's records.
    ///   - dataTransformer: the format of the items.
    ///   - options: time-outs and limits.
    /// - Throws: `CRUDSQLExeError` with code `argument` where the connection string cannot be read.
    public convenience init(
        _ connectionString: String, tableName: String = "",
        dataTransformer: any DataTransformer = JSONDataTransformer(), options: PostgresOptions = PostgresOptions()
    ) throws {
        self.init(
            configuration: try PostgresDatabaseConfiguration(connectionString, options: options), tableName: tableName,
            dataTransformer: dataTransformer)
    }

    /// Creates a repository over the connections of a configuration.
    /// - Parameters:
    ///   - configuration: whose connections the repository shares.
    ///   - tableName: any name. Repositories with different names do not see each other's records.
    ///   - dataTransformer: the format of the items.
    public init(
        configuration: PostgresDatabaseConfiguration, tableName: String = "",
        dataTransformer: any DataTransformer = JSONDataTransformer()
    ) {
        self.tableName = tableName
        self.dataTransformer = dataTransformer
        server = configuration.server
        table = RecordTable(tableName)
    }

    /// Closes the connections, those that other repositories of the same configuration and its `Database` use among them:
    /// later operations throw `CRUDRepositoryError.databaseError`. Again: does nothing.
    public func close() { server.engine.close() }

    /// Runs an operation. A table that is missing has no records.
    private func run<R: Sendable>(
        whereMissing empty: R, _ body: @escaping @Sendable (PostgresConnection, RecordTable) throws -> R
    ) async throws -> R {
        let table = table
        do { return try await server.retrying { try body($0, table) } } catch let error as SQLConnectionError {
            if error.code == .noTable { return empty }
            throw CRUDRepositoryError.databaseError(reason: error.tableError.message)
        }
    }

    /// As ``run(whereMissing:_:)``, making the table where it is missing.
    private func store<R: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection, RecordTable) throws -> R
    ) async throws -> R {
        let result = try await run(whereMissing: nil) { try Optional(body($0, $1)) }
        if let result { return result }
        try await run(whereMissing: ()) { connection, table in
            // Two who make it at once meet in the server's catalogue, whatever IF NOT EXISTS says.
            do { _ = try connection.execute(table.create) } catch let error as SQLConnectionError
                where error.code == .unique || error.code == .exists
            {}
        }
        guard let result = try await run(whereMissing: nil, { try Optional(body($0, $1)) }) else {
            throw CRUDRepositoryError.databaseError(reason: "The table \(tableName) is deleted while it is used.")
        }
        return result
    }
}

extension PostgresRepository {
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
        try await store { try $0.execute($1.insert(record, id)).changedRows == 1 }
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
            try connection.execute(table.ids(after: identifier, limit: limit)).rows.map { $0[0].identifier }
        }
    }

    /// One page of identifiers and bytes.
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        try await run(whereMissing: []) { connection, table in
            try connection.execute(table.records(after: identifier, limit: limit)).rows.map {
                ($0[0].identifier, Data($0[1].bytes))
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
    /// The identifier whose UTF-8 a column holds.
    var identifier: String { String(decoding: bytes, as: UTF8.self) }
}

extension PostgresRepository {
    /// The name that the catalogue has for the table of a repository.
    package static func catalogueName(of tableName: String) -> String { RecordTable.name(of: tableName) }
}
#endif
