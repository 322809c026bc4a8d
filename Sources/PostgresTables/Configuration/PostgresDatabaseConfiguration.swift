#if PostgreSQL
public import TableKit
import TableSQL

/// Tables in PostgreSQL, or in a server or cluster that speaks its protocol.
///
/// ```swift
/// let database = Database(configuration: try PostgresDatabaseConfiguration("postgresql://app@db1,db2,db3/shop"))
/// ```
///
/// No connection is made before the first statement. Copies of a configuration share one pool of connections. `Docs/Databases.md`
/// says what differs from other databases.
public struct PostgresDatabaseConfiguration: DatabaseConfigurationProtocol {
    let server: ServerPool<PostgresConnector>

    /// A configuration from a connection string with any of libpq's keywords, TLS and authentication among them.
    ///
    /// Several hosts may be named (`host=a,b,c port=…`). Then connections go to the one that takes writes, and follow it
    /// through a failover.
    /// - Parameters:
    ///   - connectionString: `postgresql://user@host:port/database?keyword=value` or `host=… dbname=… keyword=…`. What it
    ///     does not say, the environment does (`PGHOST`, `PGUSER`, `PGPASSFILE`, …), as for every client of libpq.
    ///   - options: time-outs and limits.
    /// - Throws: `CRUDSQLExeError` with code `argument` where the string cannot be read.
    public init(_ connectionString: String, options: PostgresOptions = PostgresOptions()) throws {
        server = try ServerPool(connectionString, options: options)
    }

    /// A configuration from the parts of a URL. Parts count more than what the URL says of them.
    /// - Throws: `CRUDSQLExeError` with code `argument` where the URL cannot be read.
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

    /// The engine that databases of this configuration and of its copies share.
    public var engine: any TableEngine { server.engine }

    /// Closes the database for this configuration, its copies and the repositories that were made from it: connections that
    /// rest close at once, the others when they come back. Whatever is open ends: a transaction stores nothing and throws,
    /// observations throw. Statements after that throw ``TableKit/TableErrorCode/unavailable``. Again: does nothing.
    public func close() throws { server.engine.close() }

    /// As the synchronous form; neither waits for the server.
    public func close() async throws { server.engine.close() }
}
#endif
