#if PostgreSQL
import CRUDKit
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

extension PostgresTests {
    /// The settings of sessions and transactions, whatever the server's are.
    struct Settings {
        private struct Path: Codable, Sendable, Equatable {
            var id: Int
            var text: String
        }

        private static let structure = TableStructure(
            name: "defaults",
            columns: [
                Column("id", .int64), Column("t", .string, defaultValue: .text("a\\b'c\\")),
                Column("b", .bytes, defaultValue: .bytes([0x61, 0x62, 0x5c])),
            ],
            primaryKey: [0])

        @Test("The hosts of a connection are found without a look at the network") func hosts() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = bind(listener, $0, length)
                    _ = listen(listener, 8)
                    _ = getsockname(listener, $0, &length)
                }
            }
            let port = "\(UInt16(bigEndian: address.sin_port))"
            let values = LoginSettings("host=127.0.0.1,b port=\(port),2 connect_timeout=7 sslmode=disable").expanded()
            #expect(values["host"] == "127.0.0.1,b" && values["port"] == "\(port),2")
            #expect(values["connect_timeout"] == "7" && values["target_session_attrs"] == "any")
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            #expect(poll(&entry, 1, 0) == 0)
        }

        @Test("A database whose literals have escapes is used like others", arguments: [false, true], [256, 0])
        func backslashes(isStrict: Bool, preparedStatements: Int) throws {
            let server = try PostgresServer.shared()
            let name = try server.makeDatabase(isPlain: isStrict)
            let admin = try server.connection()
            defer { admin.close() }
            try admin.run("ALTER DATABASE \(name) SET standard_conforming_strings = off")
            var options = PostgresOptions()
            options.isStrict = isStrict
            options.preparedStatements = preparedStatements
            let configuration = try PostgresDatabaseConfiguration(
                server.connectionString(database: name), options: options)
            let database = Database(configuration: configuration)
            let table = try database.create(Path.self)
            try table.insert([Path(id: 1, text: "a\\b"), Path(id: 2, text: "a%b"), Path(id: 3, text: "ab")])
            #expect(try table.where(\Path.text %=% "\\").all().map(\.id) == [1])
            #expect(try table.where(\Path.text %=% "%").all().map(\.id) == [2])
            #expect(try table.where(\Path.text =% "a").count() == 3)
            // The strict mode sends no defaults.
            if isStrict { return try configuration.close() }
            let session = try configuration.engine.begin(.serial)
            try session.alter(.createTable(Self.structure))
            try session.commit()
            let pool = configuration.server.pool
            try pool.withConnection { connection in
                try connection.run("INSERT INTO defaults (id) VALUES (1)")
                let found = try connection.rows("SELECT t, b FROM defaults", as: [.string, .bytes])
                #expect(found == [[.text("a\\b'c\\"), .bytes([0x61, 0x62, 0x5c])]])
            }
            // The catalogue is read back as it was written.
            let reader = try configuration.engine.beginRead()
            let read = try #require(try reader.table(named: "defaults"))
            #expect(read.structure.columns.map(\.defaultValue) == Self.structure.columns.map(\.defaultValue))
            reader.rollback()
            try configuration.close()
        }

        private func timeouts(_ connection: PostgresConnection) throws -> [[ColumnValue]] {
            try ["statement_timeout", "lock_timeout"].map { try connection.rows("SHOW \($0)", as: [.string])[0] }
        }

        @Test("Behind a pooler each transaction sets the time-outs, and not the session", arguments: [false, true])
        func pooled(isStrict: Bool) throws {
            var options = PostgresOptions()
            options.isStrict = isStrict
            options.preparedStatements = 0
            options.statementTimeout = .seconds(7)
            options.lockTimeout = .milliseconds(1500)
            let connection = try PostgresServer.shared().connection(options)
            defer { connection.close() }
            let (own, servers) = (["7s", "1500ms"].map { [ColumnValue.text($0)] }, try timeouts(connection))
            #expect(servers == [[.text("0")], [.text("0")]])
            for end in ["COMMIT", "ROLLBACK"] {
                connection.executeLater(SQLStatement("BEGIN ISOLATION LEVEL SERIALIZABLE"))
                #expect(try timeouts(connection) == own)
                try connection.run(end)
                #expect(try timeouts(connection) == servers)
            }
            // One that ends with its first round trip.
            connection.executeLater(SQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
            let results = try connection.executeAll([
                SQLStatement("SHOW statement_timeout", results: [.string]), SQLStatement("COMMIT"),
            ])
            #expect(results.count == 2 && results[0].rows == [[.text("7s")]])
            #expect(try timeouts(connection) == servers)
        }

        @Test("Tables and batches of repositories work behind a pooler") func pooledTables() async throws {
            let server = try PostgresServer.shared()
            var options = PostgresOptions()
            options.preparedStatements = 0
            options.observation = .polled
            let configuration = try PostgresDatabaseConfiguration(
                server.connectionString(database: try server.makeDatabase()), options: options)
            let database = Database(configuration: configuration)
            let table = try await database.create(Path.self)
            try await table.insert((1...1200).map { Path(id: $0, text: "") })
            try await database.transaction { () -> Void in
                try await table.insert(Path(id: 2000, text: ""))
                await #expect(throws: CRUDSQLExeError.self) { try await table.insert(Path(id: 1, text: "")) }
                try await table.insert(Path(id: 2001, text: ""))
            }
            #expect(try await table.all().count == 1202)
            let repository = PostgresRepository(configuration: configuration, tableName: "r")
            try await repository.createAll((0..<1500).map { ("c\($0)", $0) })
            #expect(try await repository.count() == 1500)
            try await database.close()
        }
    }
}
#endif
