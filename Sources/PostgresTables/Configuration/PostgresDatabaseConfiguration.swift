#if PostgreSQL
public import TableKit
import TableSQL

/// Tables in PostgreSQL, or in a server or cluster with its protocol.
///
/// ```swift
/// let database = Database(configuration: try PostgresDatabaseConfiguration("postgresql://app@db1,db2,db3/shop"))
/// ```
///
/// The first statement makes the first connection. Copies of a configuration share one connection pool. See
/// `Docs/Databases.md` for differences from other databases.
public struct PostgresDatabaseConfiguration: DatabaseConfigurationProtocol {
    let server: ServerPool<PostgresConnector>

    /// A configuration from a connection string with libpq's keywords, including TLS and authentication.
    ///
    /// If the string names several hosts (`host=a,b,c port=…`), connections go to the one that accepts writes and
    /// follow it through a failover.
    /// - Parameters:
    ///   - connectionString: `postgresql://user@host:port/database?keyword=value` or `host=… dbname=… keyword=…`.
    ///     Missing keywords come from the environment (`PGHOST`, `PGUSER`, `PGPASSFILE`, …), as in every client of
    ///     libpq.
    ///   - options: time-outs and limits.
    /// - Throws: `CRUDSQLExeError` with code `argument` if the string cannot be parsed.
    public init(_ connectionString: String, options: PostgresOptions = PostgresOptions()) throws {
        server = try ServerPool(connectionString, options: options)
    }

    /// A configuration from the parts of a URL. The parts override the URL.
    /// - Throws: `CRUDSQLExeError` with code `argument` if the URL cannot be parsed.
    public init(
        url: String?, name: String?, host: String?, port: Int?, user: String?, pass: String?
    ) throws {
        let parts = [
            ("dbname", name), ("host", host), ("port", port.map(String.init)), ("user", user), ("password", pass),
        ]
        server = try ServerPool(
            url ?? "", overrides: parts.compactMap { keyword, value in value.map { (keyword, $0) } },
            options: PostgresOptions())
    }

    /// The engine that databases of this configuration and its copies share.
    public var engine: any TableEngine { server.engine }

    /// Closes the database for this configuration, its copies and their repositories. Idle connections close at once,
    /// the others on their release. Open transactions store nothing and throw, observations throw, and later statements
    /// throw ``TableKit/TableErrorCode/unavailable``. Idempotent.
    public func close() throws { server.engine.close() }

    /// Like the synchronous form; neither waits for the server.
    public func close() async throws { server.engine.close() }
}
#endif
