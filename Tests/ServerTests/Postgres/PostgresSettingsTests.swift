#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

extension PostgresTests {
    /// The settings of sessions and transactions, whatever the server's are.
    @Suite struct Settings {
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
    }
}
#endif
