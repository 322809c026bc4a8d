#if PostgreSQL
public import CRUDKit
public import TableSQL

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
public final class PostgresRepository: SQLRecordRepository {
    /// The table's name.
    public let tableName: String
    /// What turns items into bytes and back.
    public let dataTransformer: any DataTransformer
    /// What reads and writes the table.
    public let _records: SQLRecords
    private let server: ServerPool<PostgresConnector>

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
        _records = SQLRecords(server, RecordTable(tableName), tableName: tableName)
    }

    /// Closes the connections, those that other repositories of the same configuration and its `Database` use among them:
    /// later operations throw `CRUDRepositoryError.databaseError`. Again: does nothing.
    public func close() { server.engine.close() }
}

extension PostgresRepository {
    /// The name that the catalogue has for the table of a repository.
    package static func catalogueName(of tableName: String) -> String { RecordTable.name(of: tableName) }
}
#endif
