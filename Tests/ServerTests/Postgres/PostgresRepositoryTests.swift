#if PostgreSQL
import CRUDKit
import Foundation
import SiltstoneTesting
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

extension PostgresTests {
    struct Tables {
        /// What PostgreSQL cannot keep, as Docs/Databases.md says: text holds no null character.
        static let exceptions = ["text may have U+0000"]

        @Test(
            "Tables in PostgreSQL keep every promise of tables",
            arguments: TableConformance<PostgresDatabaseConfiguration>.promises.filter { !exceptions.contains($0) })
        func tables(promise: String) async throws {
            let server = try PostgresServer.shared()
            try await TableConformance {
                try PostgresDatabaseConfiguration(server.connectionString(database: try server.makeDatabase()))
            }.check(promise)
        }

        @Test(
            "The promises are kept with nothing that other servers of PostgreSQL's protocol lack",
            arguments: TableConformance<PostgresDatabaseConfiguration>.promises.filter { !exceptions.contains($0) })
        func strictTables(promise: String) async throws {
            let server = try PostgresServer.shared()
            try await TableConformance {
                var options = PostgresOptions()
                options.isStrict = true
                return try PostgresDatabaseConfiguration(
                    server.connectionString(database: try server.makeDatabase(isPlain: true)), options: options)
            }.check(promise)
        }
    }

    @Test("close()", .timeLimit(.minutes(10)), arguments: ClosingPromise.allCases)
    func closing(promise: ClosingPromise) async throws {
        let server = try PostgresServer.shared()
        try await ServerClosing(
            configuration: {
                var options = PostgresOptions()
                options.failoverTimeout = .seconds(86_400)
                return try PostgresDatabaseConfiguration(server.connectionString(database: $0), options: options)
            }, repository: { PostgresRepository(configuration: $0, tableName: $1) }, database: try server.makeDatabase()
        ).check(promise)
    }

    struct Repositories {
        private func configuration() throws -> PostgresDatabaseConfiguration {
            let server = try PostgresServer.shared()
            return try PostgresDatabaseConfiguration(server.connectionString(database: try server.makeDatabase()))
        }

        @Test("PostgresRepository conforms") func conforms() async throws {
            let configuration = try configuration()
            try await RepositoryConformance {
                PostgresRepository(configuration: configuration, tableName: $0)
            }.check()
        }

        @Test("PostgresRepository conforms with connections of its own for each, and another format")
        func conformsByString() async throws {
            let server = try PostgresServer.shared()
            let text = server.networkString(database: try server.makeDatabase())
            try await RepositoryConformance {
                var options = PostgresOptions()
                options.maximumConnections = 2
                options.isStrict = true
                return try PostgresRepository(
                    text, tableName: $0, dataTransformer: CompactDataTransformer(), options: options)
            }.check()
        }

        @Test("A batch of more than one statement is all or nothing") func largeBatch() async throws {
            let repository = PostgresRepository(configuration: try configuration(), tableName: "batch")
            let items = (0..<3500).map { (id: "id\($0)", item: $0) }
            try await repository.create(id: "id3400", item: -1)
            await #expect(throws: CRUDRepositoryError.recordAlreadyExists(id: "id3400")) {
                try await repository.createAll(items)
            }
            #expect(try await repository.count() == 1)
            try await repository.delete(id: "id3400")
            try await repository.createAll(items)
            #expect(try await repository.count() == 3500)
            await #expect(throws: CRUDRepositoryError.recordNotFound(id: "none")) {
                try await repository.deleteAll(ids: items.map(\.id) + ["none"])
            }
            #expect(try await repository.count() == 3500)
            try await repository.deleteAll(ids: items.map(\.id))
            #expect(try await repository.count() == 0)
        }

        @Test("An identifier that the index cannot hold is refused with a reason") func longIdentifier() async throws {
            let repository = PostgresRepository(configuration: try configuration(), tableName: "long")
            var generator = SystemRandomNumberGenerator()
            let id = String((0..<9000).map { _ in "abcdefghijklmnop0123456789+/".randomElement(using: &generator)! })
            await #expect(throws: CRUDRepositoryError.self) { try await repository.create(id: id, item: 1) }
            try await repository.create(id: "short", item: 1)
            #expect(try await repository.ids() == ["short"])
        }

        @Test("A table that another program drops is missing, and made again by the next record") func dropped()
            async throws
        {
            let configuration = try configuration()
            let repository = PostgresRepository(configuration: configuration, tableName: "t")
            #expect(try await repository.count() == 0)
            try await repository.create(id: "a", item: 1)
            try await configuration.server.pool.withConnection { connection in
                try connection.run("DROP TABLE \"repository_t\"")
            }
            #expect(try await repository.exists(id: "a") == false)
            try await repository.create(id: "a", item: 2)
            #expect(try await repository.count() == 1)
        }

        @Test("Operations survive connections that the server ends") func endedConnections() async throws {
            let configuration = try configuration()
            let repository = PostgresRepository(configuration: configuration, tableName: "t")
            try await repository.create(id: "a", item: 1)
            for round in 0..<5 {
                try await configuration.server.pool.withConnection { connection in
                    try connection.run(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND pid <> pg_backend_pid()")
                }
                let value: Int = try await repository.read(id: "a")
                #expect(value == 1, "round \(round)")
            }
        }
    }
}
#endif
