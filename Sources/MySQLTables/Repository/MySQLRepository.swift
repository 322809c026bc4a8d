#if MySQL
public import CRUDKit
public import TableSQL

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
public final class MySQLRepository: SQLRecordRepository {
    /// The table's name.
    public let tableName: String
    /// What turns items into bytes and back.
    public let dataTransformer: any DataTransformer
    /// What reads and writes the table.
    public let _records: SQLRecords

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
        _records = SQLRecords(configuration.server, RecordTable(tableName), tableName: tableName)
    }
}

extension MySQLRepository {
    /// The name that the catalogue has for the table of a repository.
    package static func catalogueName(of tableName: String) -> String { RecordTable.name(of: tableName) }
}
#endif
