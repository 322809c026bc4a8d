#if MySQL
import CRUDKit
import Foundation
import SiltstoneTesting
import TableKit
import TableSQL
import Testing
import TestServers

@testable import MySQLTables

/// Tests of MariaDB, on a real server.
@Suite(.onThreads, .enabled(if: MySQLServer.program != nil, Comment(rawValue: MySQLServer.absence)))
struct MySQLTests {}

extension MySQLTests {
    struct Tables {
        /// What MariaDB cannot keep, as Docs/Databases.md says: it stores no NaN, no infinity and no -0.0, and
        /// commits with each change of a table.
        static let exceptions = [
            "AllPrimTypes2: optionals of all types are stored, read back and compared", "-0.0 keeps its sign",
            "NaN and the infinities are kept, and in their place in the order",
            "a transaction takes changes of tables back",
        ]

        @Test(
            "Tables in MariaDB keep every promise of tables",
            arguments: TableConformance<MySQLDatabaseConfiguration>.promises.filter { !exceptions.contains($0) })
        func tables(promise: String) async throws {
            let server = try MySQLServer.shared()
            try await TableConformance {
                try MySQLDatabaseConfiguration(server.url(database: try server.makeDatabase()))
            }.check(promise)
        }
    }

    @Test("close()", .timeLimit(.minutes(10)), arguments: ClosingPromise.allCases)
    func closing(promise: ClosingPromise) async throws {
        let server = try MySQLServer.shared()
        try await ServerClosing(
            configuration: {
                var options = MySQLOptions()
                options.failoverTimeout = .seconds(86_400)
                return try MySQLDatabaseConfiguration(server.url(database: $0), options: options)
            }, repository: { MySQLRepository(configuration: $0, tableName: $1) }, database: try server.makeDatabase()
        ).check(promise)
    }

    struct Repositories {
        private func configuration() throws -> MySQLDatabaseConfiguration {
            let server = try MySQLServer.shared()
            return try MySQLDatabaseConfiguration(server.url(database: try server.makeDatabase()))
        }

        @Test("MySQLRepository conforms") func conforms() async throws {
            let configuration = try configuration()
            try await RepositoryConformance {
                MySQLRepository(configuration: configuration, tableName: $0)
            }.check()
        }

        @Test("MySQLRepository conforms with connections of its own for each, and another format")
        func conformsByString() async throws {
            let server = try MySQLServer.shared()
            let text = server.networkURL(database: try server.makeDatabase())
            try await RepositoryConformance {
                var options = MySQLOptions()
                options.maximumConnections = 2
                return try MySQLRepository(
                    text, tableName: $0, dataTransformer: CompactDataTransformer(), options: options)
            }.check()
        }
    }
}
#endif
