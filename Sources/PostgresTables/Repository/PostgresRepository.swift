#if PostgreSQL
public import CRUDKit
public import TableSQL

// `MySQLRepository` has the same members: both classes are public, and their documentation and options differ.
/// A repository in a table of PostgreSQL.
///
/// ```swift
/// let repository = try PostgresRepository("postgresql://app@localhost/shop", tableName: "Clients")
/// try await repository.create(id: "client", item: Client(name: "Chill Client"))
/// ```
///
/// Acknowledged changes are as durable as the server's settings make them. Each operation is one statement, and a batch
/// is one atomic transaction. The first record creates the table, `repository_` and its name.
///
/// Operations that have changed nothing are repeated after a conflict, after a lost connection, and during a failover
/// for ``PostgresOptions/failoverTimeout``. If the outcome of an operation is unknown, it throws
/// `CRUDRepositoryError.unknownOutcome`.
///
/// Identifiers are ordered by their UTF-8 bytes. The server's index holds identifiers of about 2,600 bytes, longer ones
/// if they can be compressed; beyond that an operation throws.
public final class PostgresRepository: SQLRecordRepository {
    /// The name of the repository.
    public let tableName: String
    /// The format of the items.
    public let dataTransformer: any DataTransformer
    /// The connection to the table.
    public let _records: SQLRecords

    /// Creates a repository with its own connections. The first operation makes the first connection.
    /// - Parameters:
    ///   - connectionString: as for ``PostgresDatabaseConfiguration/init(_:options:)``.
    ///   - tableName: any name. Repositories with different names do not see each other's records.
    ///   - dataTransformer: the format of the items.
    ///   - options: time-outs and limits.
    /// - Throws: `CRUDSQLExeError` with code `argument` if the connection string cannot be parsed.
    public convenience init(
        _ connectionString: String, tableName: String = "",
        dataTransformer: any DataTransformer = JSONDataTransformer(), options: PostgresOptions = PostgresOptions()
    ) throws {
        self.init(
            configuration: try PostgresDatabaseConfiguration(connectionString, options: options), tableName: tableName,
            dataTransformer: dataTransformer)
    }

    /// Creates a repository that shares the connections of a configuration.
    /// - Parameters:
    ///   - configuration: the configuration.
    ///   - tableName: any name. Repositories with different names do not see each other's records.
    ///   - dataTransformer: the format of the items.
    public init(
        configuration: PostgresDatabaseConfiguration, tableName: String = "",
        dataTransformer: any DataTransformer = JSONDataTransformer()
    ) {
        self.tableName = tableName
        self.dataTransformer = dataTransformer
        _records = SQLRecords(configuration.server, RecordTable(tableName), tableName: tableName)
    }
}

extension PostgresRepository {
    /// The name of a repository's table in the catalogue.
    package static func catalogueName(of tableName: String) -> String { RecordTable.name(of: tableName) }
}
#endif
