#if PostgreSQL
import TableKit
import TestServers

@testable import PostgresTables

extension PostgresServer {
    /// Runs `body` on tables in a database of its own, and with a connection to it.
    /// - Parameter statements: run before the tables are opened.
    static func withDatabase(
        isStrict: Bool = false, after statements: [String] = [],
        _ body: (Database<PostgresDatabaseConfiguration>, PostgresConnection) throws -> Void
    ) throws {
        let server = try shared()
        let string = server.connectionString(database: try server.makeDatabase(isPlain: isStrict))
        var options = PostgresOptions()
        options.isStrict = isStrict
        let connection = try PostgresConnector(string, options: PostgresOptions()).connect()
        defer { connection.close() }
        for text in statements { try connection.run(text) }
        let configuration = try PostgresDatabaseConfiguration(string, options: options)
        try body(Database(configuration: configuration), connection)
        try configuration.close()
    }
}
#endif
