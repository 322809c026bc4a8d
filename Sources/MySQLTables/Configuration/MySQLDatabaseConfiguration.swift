#if MySQL
public import TableKit
import TableSQL

/// Tables in MariaDB, or in a Galera cluster.
///
/// ```swift
/// let database = Database(configuration: try MySQLDatabaseConfiguration("mysql://app:secret@db1,db2,db3/shop"))
/// ```
///
/// No connection is made before the first statement. Copies of a configuration share one pool of connections. `Docs/Databases.md`
/// says what differs from other databases.
public struct MySQLDatabaseConfiguration: DatabaseConfigurationProtocol {
    let server: ServerPool<MySQLConnector>

    /// A configuration from a connection URL.
    ///
    /// Several hosts may be named. Then connections go to one that takes writes and is in step with its cluster.
    /// - Parameters:
    ///   - url: `mysql://user:password@host:port,host:port/database?keyword=value`, parts percent-encoded where they hold
    ///     signs of URLs. The keywords are `socket`, `user`, `password`, `ssl-mode` (`disabled`, `preferred`, `required`,
    ///     `verify-identity`), `ssl-ca`, `ssl-capath`, `ssl-cert`, `ssl-key`, `ssl-cipher`, `ssl-crl`, `tls-version`, `tls-fp`.
    ///   - options: time-outs and limits.
    /// - Throws: `CRUDSQLExeError` with code `argument` where the URL cannot be read or names no database.
    public init(_ url: String, options: MySQLOptions = MySQLOptions()) throws {
        server = try Self.pool(try Self.login(url), options)
    }

    /// A configuration from the parts of a URL. Parts count more than what the URL says of them.
    /// - Throws: `CRUDSQLExeError` with code `argument` where the URL cannot be read, or no part names a database.
    public init(
        url: String?, name: String?, host: String?, port: Int?, user: String?, pass: String?
    ) throws {
        var login = try Self.login(url ?? "")
        login.database = name ?? login.database
        login.user = user ?? login.user
        login.password = pass ?? login.password
        if host != nil || port != nil {
            guard let number = UInt32(exactly: port ?? 0), number <= UInt16.max else {
                throw MySQLLogin.refusal("No port: \(port ?? 0)").tableError
            }
            login.addresses = [MySQLAddress(host: host ?? login.addresses.first?.host ?? "localhost", port: number)]
        }
        server = try Self.pool(login, MySQLOptions(), isNamedByURL: name == nil && url != nil)
    }

    /// A configuration that encrypts connections.
    /// - Parameter tls: counts more than what the URL says of it.
    /// - Throws: `CRUDSQLExeError` with code `argument` where the URL cannot be read or names no database.
    public init(_ url: String, tls: MySQLTLS, options: MySQLOptions = MySQLOptions()) throws {
        var login = try Self.login(url)
        login.tls = tls
        server = try Self.pool(login, options)
    }

    /// - Throws: `CRUDSQLExeError` if the login names no database: no statement would find a table.
    private static func pool(
        _ login: MySQLLogin, _ options: MySQLOptions, isNamedByURL: Bool = true
    ) throws -> ServerPool<MySQLConnector> {
        if login.database?.isEmpty ?? true {
            // In a URL, a sign in the password may have hidden it.
            let error =
                isNamedByURL
                ? MySQLLogin.refusal("The URL names no database: mysql://user@host/database")
                : SQLConnectionError(.noConnection, code: .argument, "The name of the database is missing or empty")
            throw error.tableError
        }
        return ServerPool(login, options: options)
    }

    private static func login(_ url: String) throws -> MySQLLogin {
        do { return try MySQLLogin(url) } catch let error as SQLConnectionError { throw error.tableError }
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
