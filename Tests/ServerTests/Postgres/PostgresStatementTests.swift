#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

extension PostgresTests {
    struct Statements {
        private func withConnection(
            _ options: PostgresOptions = PostgresOptions(), _ body: (PostgresConnection) throws -> Void
        ) throws {
            let connection = try PostgresServer.shared().connection(options)
            defer { connection.close() }
            try body(connection)
        }

        @Test("A pipeline stops at the first failure, and what came before it in no transaction is taken back")
        func pipelineStops() throws {
            try withConnection { connection in
                try connection.run("CREATE TEMPORARY TABLE t (a integer PRIMARY KEY)")
                let insert = { (value: Int64) in
                    SQLStatement("INSERT INTO t VALUES ($1::bigint)", [.value(.integer(value), .int64)])
                }
                let results = try connection.executeAll((0..<500).map { insert($0) })
                #expect(results.count == 500 && results.allSatisfy { $0.changedRows == 1 })
                let error = try connectionError {
                    _ = try connection.executeAll([insert(1000), insert(7), insert(1001)])
                }
                #expect(error.code == .unique && error.kind == .statement)
                #expect(try connection.rows("SELECT count(*) FROM t", as: [.int64]) == [[.integer(500)]])
                // In a transaction, what came before the failure waits for its rollback.
                try connection.run("BEGIN")
                try connection.run("SAVEPOINT s")
                let second = try connectionError { _ = try connection.executeAll([insert(1000), insert(7)]) }
                #expect(second.code == .unique)
                let third = try connectionError { try connection.run("SELECT 1") }
                #expect(third.code == .transaction)
                try connection.run("ROLLBACK TO SAVEPOINT s")
                _ = try connection.execute(insert(1002))
                try connection.run("COMMIT")
                #expect(try connection.rows("SELECT count(*) FROM t", as: [.int64]) == [[.integer(501)]])
            }
        }

        @Test("A commit that the server turns into a rollback is an error") func commitOfFailedTransaction() throws {
            try withConnection { connection in
                try connection.run("BEGIN")
                _ = try connectionError { try connection.run("SELECT 1/0") }
                let error = try connectionError { try connection.run("COMMIT") }
                #expect(error.code == .transaction && error.kind == .statement)
                #expect(connection.isUsable)
            }
        }

        @Test("A committed change whose result cannot be read is told as stored, and one in a transaction as failed")
        func unreadableResults() throws {
            try withConnection { connection in
                try connection.run("CREATE TEMPORARY TABLE t (a smallint)")
                // 300 is no UInt8.
                let insert = SQLStatement("INSERT INTO t VALUES (300) RETURNING a", results: [.uint8])
                func count() throws -> [[ColumnValue]] {
                    try connection.rows("SELECT count(*) FROM t", as: [.int64])
                }
                let alone = try connectionError { _ = try connection.execute(insert) }
                #expect(alone.kind == .unknownOutcome && alone.isStored && alone.code == .type)
                #expect(alone.tableError.code == .unknownOutcome)
                #expect(alone.tableError.message.contains("is stored") && alone.tableError.column == "a")
                #expect(!alone.tableError.message.contains("is unknown"))
                let trip = [SQLStatement("BEGIN"), insert, SQLStatement("COMMIT")]
                let closed = try connectionError { _ = try connection.executeAll(trip) }
                #expect(closed.kind == .unknownOutcome && closed.isStored)
                #expect(try count() == [[.integer(2)]])

                try connection.run("BEGIN")
                let within = try connectionError { _ = try connection.execute(insert) }
                #expect(within.kind == .statement && within.code == .type)
                try connection.run("ROLLBACK")
                // A later statement fails, so the server has stored nothing.
                let failing = [insert, SQLStatement("SELECT 1/0")]
                let failed = try connectionError { _ = try connection.executeAll(failing) }
                #expect(failed.kind == .statement && failed.serverCode == "22012")
                let read = try connectionError { _ = try connection.rows("SELECT a FROM t", as: [.uint8]) }
                #expect(read.kind == .statement && read.code == .type)
                #expect(try count() == [[.integer(2)]])
            }
        }

        @Test("A statement whose commit fails is an error with the server's code, and the connection goes on")
        func failedCommits() throws {
            try withConnection { connection in
                try connection.run("CREATE TEMPORARY TABLE t (code text)")
                try connection.run(
                    "CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                        + " RAISE EXCEPTION 'refused' USING ERRCODE = NEW.code; END $$")
                try connection.run(
                    "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED"
                        + " FOR EACH ROW EXECUTE FUNCTION pg_temp.refuse()")
                func error(_ code: String) throws -> SQLConnectionError {
                    try connectionError {
                        _ = try connection.execute(
                            SQLStatement("INSERT INTO t VALUES ($1::text)", [.value(.text(code), .string)]))
                    }
                }
                let conflict = try error("40001")
                #expect(conflict.kind == .conflict && conflict.serverCode == "40001")
                let refusal = try error("23514")
                #expect(refusal.kind == .statement && refusal.serverCode == "23514")
                // A result that cannot be read does not hide that nothing is stored.
                let unreadable = SQLStatement(
                    "INSERT INTO t VALUES ('40001') RETURNING 300::smallint", results: [.uint8])
                #expect(try connectionError { _ = try connection.execute(unreadable) }.kind == .conflict)
                #expect(connection.isUsable)
                #expect(try connection.rows("SELECT count(*) FROM t", as: [.int64]) == [[.integer(0)]])
            }
        }

        @Test("More statements than the cache holds: each answers as it should, and the server keeps no others")
        func preparedCache() throws {
            var options = PostgresOptions()
            options.preparedStatements = 8
            try withConnection(options) { connection in
                for round in 0..<3 {
                    for number in 0..<20 {
                        let rows = try connection.rows(
                            "SELECT \(number) + $1::bigint", [.value(.integer(Int64(round)), .int64)], as: [.int64])
                        #expect(rows == [[.integer(Int64(number + round))]])
                    }
                }
                // All in one pipeline, more than fit.
                let all = (0..<30).map { number in SQLStatement("SELECT \(number)", results: [.int64]) }
                #expect(
                    try connection.executeAll(all + all).map { $0.rows[0][0] }
                        == (0..<60).map { .integer(Int64($0 % 30)) })
                let count = try connection.rows(
                    "SELECT count(*) FROM pg_prepared_statements", as: [.int64], isRepeated: false)
                #expect(count == [[.integer(8)]])
            }
        }

        @Test("A text with parameters of other types is not the statement that was prepared") func otherTypes() throws {
            try withConnection { connection in
                let text = "SELECT $1"
                let number = try connection.rows(text, [.value(.integer(5), .int64)], as: [.int64])
                let words = try connection.rows(text, [.value(.text("a"), .string)], as: [.string])
                let real = try connection.rows(text, [.value(.real(1), .double)], as: [.double])
                #expect(number == [[.integer(5)]] && words == [[.text("a")]] && real == [[.real(1)]])
            }
        }

        @Test("A prepared statement whose table has changed runs anew, and within a transaction is a conflict")
        func stalePlan() throws {
            try withConnection { connection in
                try connection.run("CREATE TEMPORARY TABLE t (a integer)")
                try connection.run("INSERT INTO t VALUES (1)")
                let select = SQLStatement("SELECT * FROM t", results: [])
                _ = try connection.execute(select)
                try connection.run("ALTER TABLE t ADD COLUMN b integer DEFAULT 2")
                #expect(
                    try connection.rows("SELECT * FROM t", as: [.int64, .int64]) == [[.integer(1), .integer(2)]])
                try connection.run("ALTER TABLE t ADD COLUMN c integer DEFAULT 3")
                try connection.run("BEGIN")
                let error = try connectionError { _ = try connection.execute(select) }
                #expect(error.kind == .conflict)
                try connection.run("ROLLBACK")
                try connection.run("BEGIN")
                _ = try connection.execute(select)
                try connection.run("COMMIT")
                // The server forgets all of them.
                try connection.run("DEALLOCATE ALL")
                _ = try connection.execute(select)
            }
        }

        static let hostile = [
            "'", "''", "\"", "\\", "\\'", "'; DROP TABLE victim; --", "$1", "$$", "*/", "/*", "--", "\u{2019}",
            "'\u{301}",
            "\\x00", "%", "_", "E'\\''", "\n", "\u{ff07}",
        ]

        @Test("No string as a parameter is read as SQL", arguments: hostile) func injection(_ text: String) throws {
            try withConnection { connection in
                try connection.run("CREATE TEMPORARY TABLE victim (a text, b bytea)")
                let insert = SQLStatement(
                    "INSERT INTO victim VALUES ($1::text, $2::bytea)",
                    [.value(.text(text), .string), .value(.bytes(Array(text.utf8)), .bytes)])
                _ = try connection.execute(insert)
                _ = try connection.executeAll([insert, insert])
                let found = try connection.rows(
                    "SELECT a, b FROM victim WHERE a = ANY ($1::text[]) AND a LIKE $2::text ESCAPE ''",
                    [.array([.text(text), .null], .string), .value(.text("%"), .string)], as: [.string, .bytes])
                #expect(found.count == 3)
                for row in found {
                    #expect(areIdentical(row[0], .text(text)) && row[1] == .bytes(Array(text.utf8)))
                }
                try connection.run("BEGIN")
                let rows = try connection.open(
                    SQLStatement(
                        "SELECT a FROM victim WHERE a = $1::text", [.value(.text(text), .string)], results: [.string]),
                    batchRows: 2)
                #expect(try rows.next()?.count == 2)
                #expect(try rows.next()?.count == 1)
                #expect(try rows.next() == nil)
                try connection.run("COMMIT")
            }
        }

        @Test("A statement is never cut at a null character") func nullInStatement() throws {
            try withConnection { connection in
                try connection.run("CREATE TEMPORARY TABLE t (a integer)")
                try connection.run("INSERT INTO t VALUES (1)")
                for isRepeated in [true, false] {
                    let error = try connectionError {
                        _ = try connection.execute(
                            SQLStatement("DELETE FROM t\0 WHERE a = 2", isRepeated: isRepeated))
                    }
                    #expect(error.code == .syntax)
                }
                #expect(try connection.rows("SELECT count(*) FROM t", as: [.int64]) == [[.integer(1)]])
            }
        }

        @Test("A result and a pipeline larger than every buffer") func large() throws {
            try withConnection { connection in
                let bytes = [UInt8](repeating: 7, count: 3_000_000)
                let statements = (0..<8).map { _ in
                    SQLStatement("SELECT $1::bytea", [.value(.bytes(bytes), .bytes)], results: [.bytes])
                }
                #expect(try connection.executeAll(statements).allSatisfy { $0.rows == [[.bytes(bytes)]] })
                let many = try connection.executeAll(
                    (0..<3000).map {
                        SQLStatement("SELECT $1::bigint", [.value(.integer($0), .int64)], results: [.int64])
                    })
                #expect(many.map { $0.rows[0][0] } == (0..<3000).map { .integer($0) })
            }
        }

        @Test("Errors are told by their SQLSTATE, with table, column and key") func errors() throws {
            try withConnection { connection in
                try connection.run("CREATE TEMPORARY TABLE p (id integer PRIMARY KEY, n text NOT NULL DEFAULT '')")
                try connection.run("CREATE TEMPORARY TABLE c (p integer REFERENCES p (id))")
                try connection.run("INSERT INTO p VALUES (1)")
                let cases: [(String, TableErrorCode, String)] = [
                    ("INSERT INTO p VALUES (1)", .unique, "23505"), ("INSERT INTO c VALUES (5)", .foreignKey, "23503"),
                    ("INSERT INTO p VALUES (2, NULL)", .notNull, "23502"), ("SELECT * FROM none", .noTable, "42P01"),
                    ("SELECT none FROM p", .noColumn, "42703"),
                    ("CREATE TEMPORARY TABLE p (a integer)", .exists, "42P07"),
                    ("ALTER TABLE p ADD COLUMN n text", .exists, "42701"), ("SELECT 1/0", .type, "22012"),
                    ("SELECT 'a'::integer", .type, "22P02"), ("SELEC 1", .syntax, "42601"),
                    ("DROP INDEX none", .noIndex, "42704"), ("SELECT missing(1)", .type, "42883"),
                ]
                for (text, code, state) in cases {
                    let error = try connectionError { try connection.run(text) }
                    #expect(
                        error.code == code && error.serverCode == state && error.kind == .statement, "\(text): \(error)"
                    )
                }
                let error = try connectionError { try connection.run("INSERT INTO p VALUES (1)") }
                #expect(error.table == "p" && error.column == "id" && error.key == "1")
                let null = try connectionError { try connection.run("INSERT INTO p VALUES (2, NULL)") }
                #expect(null.table == "p" && null.column == "n")
            }
        }

        @Test("Two transactions that read what the other writes: one is told of a conflict") func serialization() throws
        {
            let server = try PostgresServer.shared()
            let (first, second) = (try server.connection(), try server.connection())
            defer {
                first.close()
                second.close()
            }
            try first.run("CREATE TABLE IF NOT EXISTS serialization (a integer)")
            try first.run("INSERT INTO serialization VALUES (1)")
            for connection in [first, second] {
                try connection.run("BEGIN ISOLATION LEVEL SERIALIZABLE")
                _ = try connection.rows("SELECT count(*) FROM serialization", as: [.int64])
            }
            try first.run("INSERT INTO serialization VALUES (2)")
            try first.run("COMMIT")
            let error = try connectionError {
                try second.run("INSERT INTO serialization VALUES (3)")
                try second.run("COMMIT")
            }
            #expect(error.kind == .conflict && error.code == .conflict && error.serverCode == "40001")
        }
    }

    struct Cursors {
        /// The number of the rows that are left.
        private func count(_ rows: any SQLRows) throws -> Int {
            var count = 0
            while let batch = try rows.next() { count += batch.count }
            return count
        }

        @Test("A cursor goes on beside other statements and other cursors, and after a savepoint is taken back")
        func interleaved() throws {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            try connection.run("BEGIN")
            try connection.run("CREATE TEMPORARY TABLE t (a integer) ON COMMIT DROP")
            let query = { (end: Int64) in
                SQLStatement(
                    "SELECT a FROM generate_series(1, $1::bigint) AS s(a)", [.value(.integer(end), .int64)],
                    results: [.int64])
            }
            let first = try connection.open(query(25), batchRows: 10)
            let second = try connection.open(query(10), batchRows: 10)
            let third = try connection.open(query(3), batchRows: 10)
            #expect(try first.next()?.count == 10)
            try connection.run("INSERT INTO t VALUES (1)")
            #expect(try second.next()?.count == 10)
            #expect(try third.next()?.count == 3)
            try connection.run("SAVEPOINT s")
            _ = try connectionError { try connection.run("SELECT 1/0") }
            try connection.run("ROLLBACK TO SAVEPOINT s")
            #expect(try first.next()?.last == [.integer(20)])
            #expect(try second.next() == nil)
            #expect(try third.next() == nil)
            second.close()
            #expect(try first.next()?.count == 5)
            #expect(try first.next() == nil)
            let given = try connection.open(query(1000), batchRows: 10)
            given.close()
            given.close()
            #expect(try given.next()?.count == nil)
            let open = try connection.rows("SELECT count(*) FROM pg_cursors WHERE name LIKE 'c%'", as: [.int64])
            #expect(open == [[.integer(2)]])  // first and third, which were open when the savepoint was taken back
            try connection.run("COMMIT")
        }

        @Test("A cursor uses the index of its condition, though the order of the key would give its first row sooner")
        func index() throws {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            try connection.run("CREATE TEMPORARY TABLE planned (a bigint PRIMARY KEY, b float8 NOT NULL)")
            try connection.run("CREATE INDEX planned_b ON planned (b)")
            try connection.run(
                "INSERT INTO planned SELECT a, (a * 7919) % 50000 FROM generate_series(1, 50000) AS s(a)")
            let plan = try connection.rows(
                "EXPLAIN DECLARE c NO SCROLL CURSOR FOR SELECT a, b FROM planned WHERE b >= 100 AND b < 110 ORDER BY a",
                as: [.string])
            #expect("\(plan)".contains("planned_b"), "\(plan)")
        }

        @Test("A cursor ends with its transaction where the COMMIT fails, and leaves nothing behind")
        func failedCommit() throws {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            try connection.run("CREATE TEMPORARY TABLE d (a integer UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            // The rows fit into one batch, or the cursor is read no further than the first.
            for (batchRows, isRead) in [(10, true), (2, false)] {
                try connection.run("BEGIN")
                try connection.run("INSERT INTO d VALUES (1), (1)")
                let rows = try connection.open(
                    SQLStatement("SELECT a FROM d", results: [.int64]), batchRows: batchRows)
                if isRead { while try rows.next() != nil {} }
                let error = try connectionError { try connection.run("COMMIT") }
                #expect(error.serverCode == "23505")
                #expect(try connection.rows("SELECT 1", as: [.int64]) == [[.integer(1)]])
                if !isRead {
                    #expect(try rows.next()?.count == 2)
                    #expect(try connectionError { _ = try rows.next() }.code == .transaction)
                }
                // Would be closed by a round trip in which it does not exist.
                rows.close()
                #expect(try connection.rows("SELECT 2", as: [.int64]) == [[.integer(2)]])
            }
        }

        @Test("A cursor whose first rows cannot be read keeps its name, and the transaction opens others")
        func unreadableRows() throws {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            let query = SQLStatement("SELECT a FROM generate_series(1, 25) AS s(a)", results: [.int64])
            // 300 is no UInt8.
            let unreadable = SQLStatement("SELECT 300::smallint FROM generate_series(1, 25)", results: [.uint8])
            try connection.run("BEGIN READ ONLY")
            let error = try connectionError { _ = try connection.open(unreadable, batchRows: 10) }
            #expect(error.code == .type)
            let (first, second) = (
                try connection.open(query, batchRows: 10), try connection.open(query, batchRows: 10)
            )
            for rows in [first, second] {
                #expect(try count(rows) == 25)
            }
            try connection.run("COMMIT")
            // The end of the transaction frees the names.
            try connection.run("BEGIN READ ONLY")
            _ = try connection.open(query, batchRows: 10)
            let names = try connection.rows("SELECT name FROM pg_cursors WHERE name LIKE 'c%'", as: [.string])
            #expect(names == [[.text("c1")]])
            try connection.run("COMMIT")
        }

        @Test("A cursor whose prepared statement the server has lost is read to its end") func lostStatement() throws {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            let query = SQLStatement("SELECT a FROM generate_series(1, 25) AS s(a)", results: [.int64])
            for isLost in [false, true] {
                if isLost { try connection.run("DEALLOCATE ALL") }
                // BEGIN goes with DECLARE, so that both run once more, in another transaction.
                connection.executeLater(SQLStatement("BEGIN READ ONLY"))
                let first = try connection.open(query, batchRows: 10)
                let second = try connection.open(query, batchRows: 10)
                for rows in [first, second] {
                    #expect(try count(rows) == 25)
                }
                try connection.run("COMMIT")
            }
        }

        @Test("A cursor whose prepared statement the server has lost and whose rows cannot be read keeps its name")
        func lostUnreadableRows() throws {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            let query = SQLStatement("SELECT a FROM generate_series(1, 25) AS s(a)", results: [.int64])
            // 300 is no UInt8.
            let unreadable = SQLStatement("SELECT 300::smallint FROM generate_series(1, 25)", results: [.uint8])
            for isLost in [false, true] {
                if isLost { try connection.run("DEALLOCATE ALL") }
                connection.executeLater(SQLStatement("BEGIN READ ONLY"))
                let error = try connectionError { _ = try connection.open(unreadable, batchRows: 10) }
                #expect(error.code == .type)
                let rows = try connection.open(query, batchRows: 10)
                #expect(try count(rows) == 25)
                try connection.run("COMMIT")
            }
        }

        @Test("A cursor ends with its transaction, and a cursor of a failed query leaves nothing behind") func ends()
            throws
        {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            let query = SQLStatement("SELECT a FROM generate_series(1, 100) AS s(a)", results: [.int64])
            try connection.run("BEGIN")
            let rows = try connection.open(query, batchRows: 10)
            _ = try rows.next()
            try connection.run("COMMIT")
            #expect(try connectionError { _ = try rows.next() }.code == .transaction)
            #expect(throws: SQLConnectionError.self) { try connection.open(query, batchRows: 10) }
            try connection.run("BEGIN")
            let failing = SQLStatement("SELECT 1/(50 - a) FROM generate_series(1, 100) AS s(a)", results: [.int64])
            let broken = try connection.open(failing, batchRows: 10)
            #expect(throws: SQLConnectionError.self) { while try broken.next() != nil {} }
            broken.close()
            try connection.run("ROLLBACK")
            #expect(try connection.rows("SELECT 1", as: [.int64]) == [[.integer(1)]])
        }
    }
}
#endif
