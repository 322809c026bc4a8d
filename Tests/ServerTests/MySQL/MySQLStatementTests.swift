#if MySQL
import CRUDKit
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import MySQLTables

extension MySQLTests {
    struct Statements {
        private func withConnection(
            _ options: MySQLOptions = MySQLOptions(), _ body: (MySQLConnection) throws -> Void
        ) throws {
            let server = try MySQLServer.shared()
            let connection = try server.connection(database: try server.makeDatabase(), options)
            defer { connection.close() }
            try body(connection)
        }

        @Test("More statements than the cache holds: each answers as it should, and the server keeps no others")
        func preparedCache() throws {
            var options = MySQLOptions()
            options.preparedStatements = 8
            try withConnection(options) { connection in
                for round in 0..<3 {
                    for number in 0..<20 {
                        let rows = try connection.rows(
                            "SELECT \(number) + ?", [.value(.integer(Int64(round)), .int64)], as: [.int64])
                        #expect(rows == [[.integer(Int64(number + round))]])
                    }
                }
                #expect(connection.preparedCount == 8)
                let closed = try connection.rows(
                    "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'COM_STMT_CLOSE'",
                    as: [.int64], isRepeated: false)
                #expect(closed == [[.integer(52)]])
            }
        }

        @Test("A connection that is lost before its statement runs has changed nothing, and says so")
        func lostBeforeRun() throws {
            let admin = try MySQLServer.shared().connection()
            defer { admin.close() }
            try withConnection { connection in
                try connection.run("CREATE TABLE t (a INT PRIMARY KEY)")
                let number = try connection.rows("SELECT CONNECTION_ID()", as: [.int64])[0][0].int ?? 0
                try admin.run("KILL \(number)")
                try waitUntil("the session is gone") {
                    try admin.rows("SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = \(number)", as: [.int64])
                        .isEmpty
                }
                // A text that is not prepared yet.
                let insert = SQLStatement("INSERT INTO t VALUES (?)", [.value(.integer(1), .int64)], results: [])
                let error = try connectionError { _ = try connection.execute(insert) }
                #expect(error.kind == .connectionLost && !connection.isUsable, "\(error)")
            }
        }

        @Test("A committed change whose result cannot be read is told as stored, and one in a transaction as failed")
        func unreadableResults() throws {
            try withConnection { connection in
                try connection.run("CREATE TABLE t (a SMALLINT)")
                // 300 is no UInt8.
                let insert = SQLStatement("INSERT INTO t VALUES (300) RETURNING a", results: [.uint8])
                let alone = try connectionError { _ = try connection.execute(insert) }
                #expect(alone.kind == .unknownOutcome && alone.isStored && alone.code == .type)
                #expect(alone.tableError.code == .unknownOutcome && alone.tableError.message.contains("is stored"))
                #expect(!alone.tableError.message.contains("is unknown"))
                try connection.run("START TRANSACTION")
                let within = try connectionError { _ = try connection.execute(insert) }
                #expect(within.kind == .statement && within.code == .type)
                try connection.run("ROLLBACK")
                let read = try connectionError { _ = try connection.rows("SELECT a FROM t", as: [.uint8]) }
                #expect(read.kind == .statement && read.code == .type)
                #expect(try connection.rows("SELECT COUNT(*) FROM t", as: [.int64]) == [[.integer(1)]])
            }
        }

        @Test("A prepared statement whose table has changed runs anew") func changedTable() throws {
            try withConnection { connection in
                try connection.run("CREATE TABLE t (a INT PRIMARY KEY)")
                try connection.run("INSERT INTO t VALUES (1)")
                let select = SQLStatement("SELECT a, b FROM t", results: [.int64, .string])
                try connection.run("ALTER TABLE t ADD COLUMN b VARCHAR(10) DEFAULT 'x'")
                #expect(try connection.execute(select).rows == [[.integer(1), .text("x")]])
                try connection.run("ALTER TABLE t MODIFY COLUMN a BIGINT, MODIFY COLUMN b LONGTEXT, ADD COLUMN c INT")
                #expect(try connection.execute(select).rows == [[.integer(1), .text("x")]])
                try connection.run("ALTER TABLE t DROP COLUMN b")
                #expect(try connectionError { _ = try connection.execute(select) }.code == .noColumn)
                let error = try connectionError {
                    _ = try connection.rows("SELECT a, c FROM t", as: [.int64])
                }
                #expect(error.code == .argument && connection.isUsable)
            }
        }

        static let hostile = [
            "'", "''", "\"", "\\", "\\'", "`", "``", "'; DROP TABLE victim; -- ", "?", "*/", "/*!50000 x */", "-- ",
            "#", "\u{2019}", "'\u{301}", "`\u{301}", "\\x00", "%", "_", "\n", "\u{ff07}", "\u{bf}'", "a'b\"c`d\\e",
        ]

        @Test("No string as a parameter is read as SQL", arguments: hostile + ["\0", "a\0'b"])
        func injection(_ text: String) throws {
            try withConnection { connection in
                try connection.run(
                    "CREATE TABLE victim (n INT AUTO_INCREMENT PRIMARY KEY, a LONGTEXT, b LONGBLOB) CHARACTER SET utf8mb4"
                )
                let insert = SQLStatement(
                    "INSERT INTO victim (a, b) VALUES (?, ?)",
                    [.value(.text(text), .string), .value(.bytes(Array(text.utf8)), .bytes)])
                for _ in 0..<3 { _ = try connection.execute(insert) }
                let dialect = MySQLDialect()
                // As a literal, too.
                let literal = try dialect.literal(.text(text), .string)
                let bytes = try dialect.literal(.bytes(Array(text.utf8)), .bytes)
                let found = try connection.rows(
                    "SELECT a, b FROM victim WHERE a = ? AND a IN (\(literal)) AND b IN (\(bytes))",
                    [.value(.text(text), .string)], as: [.string, .bytes])
                #expect(found.count == 3)
                for row in found {
                    #expect(areIdentical(row[0], .text(text)) && row[1] == .bytes(Array(text.utf8)))
                }
                try connection.run("BEGIN")
                let rows = try connection.open(
                    SQLStatement(
                        "SELECT a FROM victim WHERE a = ?", [.value(.text(text), .string)], results: [.string]),
                    batchRows: 2)
                #expect(try rows.next()?.count == 2)
                #expect(try rows.next()?.count == 1)
                #expect(try rows.next() == nil)
                try connection.run("COMMIT")
            }
        }

        @Test(
            "Names of tables, columns and indexes, and defaults, come back as they were given",
            arguments: hostile + [""])
        func names(_ text: String) throws {
            let server = try MySQLServer.shared()
            let configuration = try MySQLDatabaseConfiguration(server.url(database: try server.makeDatabase()))
            let name = "n" + text + "x"
            let session = try configuration.engine.begin(.serial)
            let structure = TableStructure(
                name: name,
                columns: [
                    Column("id", .int64), Column(name, .string, isOptional: true, defaultValue: .text(text)),
                    Column("victim", .int64, isOptional: true),
                ], primaryKey: [0])
            try session.alter(.createTable(structure))
            try session.alter(.createIndex(IndexDefinition(table: name, columns: [name], name: name)))
            try session.alter(.renameColumn(table: name, name, to: name + "2"))
            try session.commit()
            let found = try Database(configuration: configuration).tables()
            #expect(found.map(\.structure.name) == [name])
            #expect(found.first?.structure.columns.map(\.name) == ["id", name + "2", "victim"])
            #expect(found.first?.structure.columns[1].defaultValue == .text(text))
            #expect(found.first?.indexes.map(\.definition.name) == [name])
        }

        private struct Word: Codable, Equatable {
            var id: Int
            var text: String
        }

        @Test("Texts in patterns, conditions and lists are no SQL, and match as they are", arguments: hostile)
        func patterns(_ text: String) throws {
            let server = try MySQLServer.shared()
            let configuration = try MySQLDatabaseConfiguration(server.url(database: try server.makeDatabase()))
            let table = try Database(configuration: configuration).create(Word.self)
            try table.insert([Word(id: 1, text: "a" + text + "b"), Word(id: 2, text: "other")])
            #expect(try table.where(\Word.text %=% text).all().map(\.id) == [1])
            #expect(try table.where(\Word.text =% "A\(text)").all().map(\.id) == [1])
            #expect(try table.where(\Word.text == "a\(text)b").all().map(\.id) == [1])
            let many = (0..<300).map { "\(text)\($0)" } + ["a\(text)b"]
            #expect(try table.where(\Word.text ~ many).all().map(\.id) == [1])
        }

        @Test("A statement with a null character, or larger than the server takes, is refused before it is sent")
        func refusedBefore() throws {
            try withConnection { connection in
                try connection.run("CREATE TABLE t (a INT PRIMARY KEY)")
                let error = try connectionError { try connection.run("DELETE FROM t\0 WHERE a = 2") }
                #expect(error.code == .syntax)
                let large = SQLStatement(
                    "SELECT LENGTH(?)", [.value(.bytes([UInt8](repeating: 1, count: 17_000_000)), .bytes)],
                    results: [.int64])
                #expect(try connectionError { _ = try connection.execute(large) }.code == .argument)
                let cases: [(ColumnValue, ColumnType)] = [
                    (.integer(70_000), .int16), (.integer(-1), .uint64), (.text("a"), .int64), (.bytes([1]), .string),
                    (.real(.nan), .double), (.real(.infinity), .double),
                ]
                for (value, type) in cases {
                    let error = try connectionError {
                        _ = try connection.rows("SELECT ?", [.value(value, type)], as: [type])
                    }
                    #expect(error.code == .type, "\(error)")
                }
                #expect(connection.isUsable)
            }
        }

        @Test("A large value comes back") func large() throws {
            try withConnection { connection in
                let bytes = [UInt8](repeating: 7, count: 15_000_000)
                let rows = try connection.rows("SELECT ?", [.value(.bytes(bytes), .bytes)], as: [.bytes])
                #expect(rows == [[.bytes(bytes)]])
            }
        }

        @Test("Errors are told by their numbers, with table, column and key") func errors() throws {
            try withConnection { connection in
                try connection.run("CREATE TABLE p (id INT PRIMARY KEY, n INT NOT NULL)")
                try connection.run("CREATE TABLE c (q INT, CONSTRAINT x FOREIGN KEY (q) REFERENCES p (id))")
                try connection.run("INSERT INTO p VALUES (1, 1)")
                try connection.run("INSERT INTO c VALUES (1)")
                let cases: [(String, TableErrorCode, String)] = [
                    ("INSERT INTO p VALUES (1, 1)", .unique, "1062"), ("INSERT INTO c VALUES (5)", .foreignKey, "1452"),
                    ("DELETE FROM p", .foreignKey, "1451"), ("INSERT INTO p VALUES (2, NULL)", .notNull, "1048"),
                    ("INSERT INTO p (id) VALUES (2)", .notNull, "1364"), ("SELECT * FROM none", .noTable, "1146"),
                    ("SELECT none FROM p", .noColumn, "1054"), ("CREATE TABLE p (a INT)", .exists, "1050"),
                    ("ALTER TABLE p ADD COLUMN n INT", .exists, "1060"), ("SELEC 1", .syntax, "1064"),
                    ("INSERT INTO p VALUES ('a', 1)", .type, "1366"),
                    ("ALTER TABLE p DROP INDEX none", .noIndex, "1091"),
                    ("INSERT INTO p VALUES (99999999999, 1)", .type, "1264"),
                ]
                for (text, code, number) in cases {
                    let error = try connectionError { try connection.run(text) }
                    #expect(
                        error.code == code && error.serverCode == number && error.kind == .statement,
                        "\(text): \(error)")
                }
                let error = try connectionError { try connection.run("INSERT INTO p VALUES (1, 1)") }
                #expect(error.column == "PRIMARY" && error.key == "1")
                let null = try connectionError { try connection.run("INSERT INTO p VALUES (2, NULL)") }
                #expect(null.column == "n")
                let key = try connectionError { try connection.run("INSERT INTO c VALUES (5)") }
                #expect(key.table == "c" && key.column == "q")
            }
        }

        @Test("A cursor goes on beside other statements and other cursors of the same text") func cursors() throws {
            try withConnection { connection in
                try connection.run("CREATE TABLE t (a INT PRIMARY KEY)")
                try connection.run("BEGIN")
                let query = { (end: Int64) in
                    SQLStatement(
                        "SELECT seq FROM seq_1_to_1000 WHERE seq <= ?", [.value(.integer(end), .int64)],
                        results: [.int64])
                }
                let first = try connection.open(query(25), batchRows: 10)
                let second = try connection.open(query(10), batchRows: 10)
                #expect(try first.next()?.count == 10)
                try connection.run("INSERT INTO t VALUES (1)")
                #expect(try second.next()?.count == 10)
                #expect(try first.next()?.last == [.integer(20)])
                #expect(try second.next() == nil)
                second.close()
                #expect(try first.next()?.count == 5)
                #expect(try first.next() == nil)
                let given = try connection.open(query(1000), batchRows: 10)
                given.close()
                given.close()
                #expect(try given.next() == nil)
                #expect(try connection.rows("SELECT a FROM t", as: [.int64]) == [[.integer(1)]])
                try connection.run("COMMIT")
            }
        }
    }
}
#endif
