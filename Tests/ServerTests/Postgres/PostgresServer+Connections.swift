#if PostgreSQL
import Foundation
import TableSQL
import TestServers

@testable import PostgresTables

extension PostgresServer {
    func connection(_ options: PostgresOptions = PostgresOptions()) throws -> PostgresConnection {
        try PostgresConnector(connectionString(), options: options).connect()
    }

    /// A database of its own for a test.
    /// - Parameter isPlain: whether its text is ordered by bytes without a collation.
    func makeDatabase(isPlain: Bool = false) throws -> String {
        let name = "test_\(UUID().uuidString.prefix(8).lowercased())"
        let connection = try connection()
        defer { connection.close() }
        _ = try connection.execute(
            SQLStatement(
                "CREATE DATABASE \(name)" + (isPlain ? " TEMPLATE template0 LOCALE 'C'" : ""), isRepeated: false))
        return name
    }
}
#endif
