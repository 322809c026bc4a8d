#if MySQL
import Foundation
import TableSQL
import TestServers

@testable import MySQLTables

extension MySQLServer {
    func connector(
        database: String? = "mysql", _ options: MySQLOptions = MySQLOptions()
    ) throws -> MySQLConnector {
        MySQLConnector(try MySQLLogin(url(database: database)), options: options)
    }

    func connection(
        database: String? = "mysql", _ options: MySQLOptions = MySQLOptions()
    ) throws -> MySQLConnection {
        try connector(database: database, options).connect()
    }

    /// A database of its own for a test.
    func makeDatabase() throws -> String {
        let name = "test_\(UUID().uuidString.prefix(8).lowercased())"
        let connection = try connection()
        defer { connection.close() }
        try connection.run("CREATE DATABASE \(name)")
        return name
    }
}
#endif
