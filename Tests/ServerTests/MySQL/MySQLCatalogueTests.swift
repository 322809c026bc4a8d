#if MySQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import MySQLTables

extension MySQLTests {
    /// What tables of other programs have, and those of `create` have not.
    struct Catalogues {
        private func withDatabase(
            _ statements: [String], _ body: (Database<MySQLDatabaseConfiguration>) throws -> Void
        ) throws {
            let server = try MySQLServer.shared()
            let name = try server.makeDatabase()
            let connection = try server.connection(database: name)
            defer { connection.close() }
            for text in statements { try connection.run(text) }
            let configuration = try MySQLDatabaseConfiguration(server.url(database: name))
            try body(Database(configuration: configuration))
            try configuration.close()
        }

        private func table(_ name: String, _ database: Database<MySQLDatabaseConfiguration>) throws -> TableInfo {
            try #require(try database.tables().first { $0.structure.name == name })
        }

        private struct Sale: Codable {
            var id: Int
            var price: Int
            var total: Int?
            var at: String?
            var code: String?
            var tag: String?
        }

        /// The columns that a program must give.
        private struct Price: Codable, TableNameProvider {
            static let tableName = "Sale"
            var id: Int
            var price: Int
        }

        @Test("Generated columns and defaults that the server computes are the server's, and it fills them")
        func defaults() throws {
            let statements = [
                "CREATE TABLE Sale (id BIGINT PRIMARY KEY, price INT NOT NULL, total INT AS (price * 2) STORED,"
                    + " at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, code CHAR(36) DEFAULT (UUID()),"
                    + " tag VARCHAR(10) DEFAULT 'new', flag TINYINT(1) DEFAULT 2)"
            ]
            try withDatabase(statements) { database in
                let info = try table("Sale", database)
                let server = info.serverColumns
                #expect(server["total"]?.isGenerated == true)
                #expect(server["at"]?.computedDefault == "current_timestamp()")
                #expect(server["code"]?.computedDefault == "uuid()" && server["tag"] == nil)
                #expect(server["flag"]?.computedDefault == "2")
                let columns = info.structure.columns.filter { $0.defaultValue != nil }
                #expect(columns.map(\.name) == ["tag"] && columns.map(\.defaultValue) == [.text("new")])
                let sales = database.table(Sale.self)
                try sales.insert([1, 2].map { Sale(id: $0, price: 5) }, ignoreKeys: \.total, \.at, \.code, \.tag)
                let rows = try sales.order(by: \.id).all()
                #expect(rows.map(\.total) == [10, 10] && rows.map(\.tag) == ["new", "new"])
                #expect(Set(rows.map(\.code)).count == 2 && rows.allSatisfy { $0.at != nil && $0.code != nil })
                try database.table(Price.self).upsert(Price(id: 1, price: 7))
                let replaced = try #require(try sales.find(1))
                #expect(replaced.total == 14 && replaced.code != nil && replaced.code != rows[0].code)
            }
        }

        private struct Upper: Codable, Equatable, TableNameProvider {
            static let tableName = "Parent"
            var id: Int
            var name: String
        }

        /// Its name differs in case, and its columns are others.
        private struct Lower: Codable, TableNameProvider {
            static let tableName = "parent"
            var id: Int
            var name: String
            var extra: Int
        }

        private struct Kid: Codable {
            var id: Int
            @ForeignKey(Upper.self) var parent: Int

            init(id: Int, parent: Int) {
                self.id = id
                self.parent = parent
            }
        }

        @Test("Tables whose names differ only in case or accents are not taken for each other") func similarNames()
            throws
        {
            try withDatabase(["CREATE TABLE `kase` (id BIGINT PRIMARY KEY, a INT)", "CREATE TABLE `käse` (b INT)"]) {
                db in
                try db.create(Upper.self)
                try db.create(Lower.self)
                try db.create(Kid.self)
                try db.table(Upper.self).insert(Upper(id: 1, name: "a"))
                try db.table(Upper.self).upsert(Upper(id: 1, name: "b"))
                #expect(try db.table(Upper.self).find(1) == Upper(id: 1, name: "b"))
                try db.create(Lower.self, policy: .dropTable)
                // The reference to the other table is still there.
                let error = #expect(throws: CRUDSQLExeError.self) {
                    try db.table(Kid.self).insert(Kid(id: 1, parent: 99))
                }
                #expect(error?.code == .foreignKey)
                #expect(try table("kase", db).structure.columns.map(\.name) == ["id", "a"])
                #expect(try table("käse", db).structure.columns.map(\.name) == ["b"])
            }
        }

        @Test("A system-versioned table is a table") func versioned() throws {
            let statements = [
                "CREATE TABLE v (id BIGINT PRIMARY KEY, name VARCHAR(10)) WITH SYSTEM VERSIONING",
                "INSERT INTO v VALUES (1, 'a')", "UPDATE v SET name = 'b'",
            ]
            try withDatabase(statements) { db in
                let structure = try table("v", db).structure
                #expect(structure.columns.map(\.name) == ["id", "name"] && structure.primaryKey == [0])
                #expect(try db.sql("SELECT name FROM v", Named.self).map(\.name) == ["b"])
            }
        }

        private struct Named: Codable { var name: String }

        private struct Entry: Codable, Equatable {
            var id: Int
            var name: String
            var text: String
        }

        @Test("Indexes of the starts of texts and of their words are none of columns, and their conflicts are told")
        func indexes() throws {
            let statements = [
                "CREATE TABLE Entry (id BIGINT PRIMARY KEY, name VARCHAR(100) NOT NULL, text LONGTEXT NOT NULL,"
                    + " UNIQUE KEY start (name(3)), KEY short (text(10)), FULLTEXT KEY words (text))"
            ]
            try withDatabase(statements) { database in
                #expect(try table("Entry", database).indexes.isEmpty)
                let entries = database.table(Entry.self)
                let kept = [Entry(id: 1, name: "abc1", text: ""), Entry(id: 2, name: "xyz", text: "")]
                try entries.insert(kept)
                // ON DUPLICATE KEY UPDATE would change the row of the other name.
                let error = #expect(throws: CRUDSQLExeError.self) {
                    try entries.upsert(Entry(id: 3, name: "abc2", text: "new"))
                }
                #expect(error?.code == .unique)
                #expect(try entries.order(by: \.id).all() == kept)
                try entries.index(\.text)
                try entries.index(\.text)
                #expect(try table("Entry", database).indexes.map(\.definition.columns) == [["text"]])
            }
        }

        @Test("The catalogue tells which decimal numbers a real cannot hold") func decimals() throws {
            let statements = [
                "CREATE TABLE d (id BIGINT PRIMARY KEY, a DECIMAL(30,10), b DECIMAL(15,4), c DOUBLE, d DECIMAL(16))"
            ]
            try withDatabase(statements) { database in
                let server = try table("d", database).serverColumns
                #expect(server.keys.sorted() == ["a", "d"] && server.values.allSatisfy { !$0.isExact })
                #expect(server["a"]?.typeName == "decimal(30,10)")
            }
        }

        private struct Raw: Codable {
            var id: Int
            var text: String?
        }

        @Test("Bytes that are no text are refused by table and column, and not read as other text") func texts()
            throws
        {
            let statements = [
                "CREATE TABLE Raw (id BIGINT PRIMARY KEY, text POINT)",
                "INSERT INTO Raw VALUES (1, POINT(-1.5, 1e300)), (2, NULL)",
            ]
            try withDatabase(statements) { database in
                let table = database.table(Raw.self)
                let reads: [() throws -> Void] = [
                    { _ = try table.find(1) }, { _ = try table.all() }, { _ = try table.limit(1).all() },
                ]
                // The plan of the first look-up makes the second one copy the row.
                for read in reads + [reads[0]] {
                    let error = #expect(throws: CRUDSQLExeError.self) { try read() }
                    #expect(error?.code == .type && error?.table == "Raw" && error?.column == "text")
                }
                let other = try #require(try table.find(2))
                #expect(other.text == nil)
            }
        }
    }
}
#endif
