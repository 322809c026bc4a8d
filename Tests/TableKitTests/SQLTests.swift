import Foundation
import SiltstoneTesting
import TableKit
import Testing

struct SQLTests {
    private let db = Database(configuration: ReferenceDatabaseConfiguration())

    /// The rows of all statements, as text: values between `|`.
    private func rows(_ sql: String, _ bindings: ColumnValue...) throws -> [String] {
        var lines: [String] = []
        try db.sql(sql, bindings: bindings.map { ("", .value($0)) }) { result in
            for row in try result.all() { lines.append(row.map(\.sqlLiteral).joined(separator: "|")) }
        }
        return lines
    }

    private func fill() throws {
        try db.sql(
            """
            CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT, height REAL DEFAULT 1.5);
            INSERT INTO people VALUES (1, 'Ada', 36, 1.6), (2, 'Bob', NULL, 1.8), (3, 'ada''s', 36, NULL);
            INSERT INTO people (name) VALUES ('Zoë');
            """)
    }

    @Test func rowsAreInsertedWithDefaultsAndSelectedInOrder() throws {
        try fill()
        #expect(
            try rows("SELECT * FROM people ORDER BY id DESC LIMIT 2") == ["4|'Zoë'|NULL|1.5", "3|'ada''s'|36|NULL"])
        #expect(try rows("SELECT name AS n, 7, id FROM people LIMIT 1 OFFSET 1") == ["'Bob'|7|2"])
        #expect(try rows("SELECT id FROM people ORDER BY age, 1 DESC LIMIT 1, 9") == ["2", "3", "1"])
        #expect(try rows("SELECT p.* FROM people AS p WHERE p.id = 2") == ["2|'Bob'|NULL|1.8"])
    }

    @Test(arguments: [
        ("age = 36", "1 3"), ("age <> 36", ""), ("NOT age = 36", ""), ("age IS NULL", "2 4"),
        ("age IS NOT NULL", "1 3"), ("36 <= age", "1 3"), ("id IN (1, 4, NULL)", "1 4"), ("id NOT IN (1, NULL)", ""),
        ("id IN ()", ""), ("age NOT IN ()", "1 2 3 4"), ("id BETWEEN 2 AND 3", "2 3"),
        ("id NOT BETWEEN 2 AND 3", "1 4"), ("name LIKE 'ADA%'", "1 3"), ("name LIKE '%\u{27}\u{27}_'", "3"),
        ("name LIKE 'zo_'", "4"), ("name LIKE 'ZOË'", ""), ("name NOT LIKE '%a%'", "2 4"),
        ("id = 1 OR id = 2 AND age = 36", "1"),
        ("(id = 1 OR id = 2) AND age IS NULL", "2"), ("id = 1.5", ""), ("id > 1.5", "2 3 4"), ("id = '3'", "3"),
        ("height = 1.8", "2"), ("age = id", ""), ("1", "1 2 3 4"), ("NULL", ""), ("NOT (id = 1)", "2 3 4"),
        ("[id] == 1 -- the end", "1"), ("`id` /* one */ != 1 AND \"name\" <> 'Bob'", "3 4"), ("(id) = 4", "4"),
        ("id = 9223372036854775808", ""), ("id < -9223372036854775808", ""), ("age = NULL", ""), ("ID = 1", "1"),
    ]) func conditionsAreThoseOfSQL(condition: String, ids: String) throws {
        try fill()
        #expect(try rows("SELECT id FROM people WHERE \(condition)").joined(separator: " ") == ids)
    }

    @Test func newNamesMayDifferOnlyInCase() throws {
        try db.sql(
            """
            CREATE TABLE T (id INTEGER PRIMARY KEY, a INT, A INT); CREATE INDEX i ON T (a); CREATE INDEX I ON T (A);
            CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE TABLE IF NOT EXISTS Other (x INT);
            CREATE TABLE IF NOT EXISTS OTHER (y INT); INSERT INTO T VALUES (1, 2, 3); INSERT INTO t VALUES (4);
            """)
        #expect(try rows("SELECT A, a FROM T") == ["3|2"])
        #expect(try rows("SELECT ID FROM t") == ["4"])
        #expect(try rows("SELECT x FROM oTHER") == [])
        try db.sql("DROP INDEX I")
        // Only one index with this name is left, in either case.
        try db.sql("DROP INDEX I; DROP TABLE t")
        #expect(try rows("SELECT id FROM t") == ["1"])
    }

    @Test func namesThatMatchTwiceAreNotFound() throws {
        try db.sql("CREATE TABLE ab (id INT, cd INT, Cd INT); CREATE INDEX ef ON ab (cd); CREATE INDEX Ef ON ab (Cd)")
        try db.sql("CREATE TABLE Ab (id INT)")
        let statements = ["SELECT id FROM AB", "SELECT CD FROM ab", "DROP INDEX EF"]
        let codes: [TableErrorCode?] = statements.map { statement in
            do { try db.sql(statement) } catch { return (error as? any TableError)?.code }
            return nil
        }
        #expect(codes == [.noTable, .noColumn, .noIndex])
    }

    @Test func parametersAreCountedOrNumbered() throws {
        try fill()
        #expect(try rows("SELECT id FROM people WHERE id = ? OR name = ?", .integer(2), .text("Ada")) == ["1", "2"])
        #expect(try rows("SELECT $2, ?1", .integer(1), .text("b")) == ["'b'|1"])
        #expect(throws: CRUDSQLGenError.self) { try rows("SELECT ?2", .integer(1)) }
    }

    private struct Range: Codable, Equatable { var low: Double, high: Double? }
    private struct Ranged: Codable, Equatable {
        var id: Int, range: Range
    }

    @Test func nestedValuesWithInfinitiesAreRead() throws {
        let item = Ranged(id: 1, range: Range(low: -.infinity, high: .infinity))
        try db.create(Ranged.self)
        try db.table(Ranged.self).insert(item)
        #expect(try db.sql("SELECT * FROM Ranged", Ranged.self) == [item])
    }

    @Test func aggregatesAndGroups() throws {
        try fill()
        #expect(
            try rows("SELECT COUNT(*), COUNT(age), MIN(name), MAX(height), SUM(age), AVG(age) FROM people")
                == ["4|2|'Ada'|1.8|72|36.0"])
        #expect(
            try rows("SELECT age, count(*) AS n FROM people GROUP BY age ORDER BY n, age DESC") == [
                "36|2", "NULL|2",
            ])
        #expect(try rows("SELECT COUNT(DISTINCT age) FROM people WHERE id = 9") == ["0"])
        #expect(try rows("SELECT SUM(age) FROM people WHERE id = 9") == ["NULL"])
        #expect(try rows("SELECT DISTINCT age FROM people ORDER BY age") == ["NULL", "36"])
    }

    @Test func updatesAndDeletesSayHowMany() throws {
        try fill()
        var changes: [Int] = []
        try db.sql("UPDATE people SET age = 1, name = 'x' WHERE id > 2; DELETE FROM people WHERE id = 1") {
            changes.append($0.changes)
        }
        #expect(changes == [2, 1])
        #expect(try rows("SELECT id, age FROM people") == ["2|NULL", "3|1", "4|1"])
        #expect(try rows("DELETE FROM people WHERE id = 2 RETURNING name, id") == ["'Bob'|2"])
    }

    @Test func conflictsReplaceOrAreIgnored() throws {
        try fill()
        #expect(throws: CRUDSQLExeError.self) { try db.sql("INSERT INTO people (id, name) VALUES (1, 'x')") }
        try db.sql("INSERT OR IGNORE INTO people (id, name) VALUES (1, 'x'), (9, 'y')")
        try db.sql("INSERT OR REPLACE INTO people (id, name) VALUES (2, 'z')")
        #expect(
            try rows("SELECT id, name FROM people") == ["1|'Ada'", "2|'z'", "3|'ada''s'", "4|'Zoë'", "9|'y'"])
    }

    @Test func lastInsertRowIDIsThatOfTheLastInsert() throws {
        try fill()
        #expect(try rows("SELECT last_insert_rowid()") == ["4"])
        #expect(try rows("INSERT INTO people VALUES (7, 'x', 1, 1) RETURNING last_insert_rowid()") == ["7"])
        try db.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT DEFAULT 42); INSERT INTO t DEFAULT VALUES")
        #expect(try rows("SELECT * FROM t WHERE id = last_insert_rowid()") == ["1|42"])
    }

    @Test func tablesAndIndexesAreMadeChangedAndDropped() throws {
        try db.sql(
            """
            CREATE TABLE IF NOT EXISTS a (x VARCHAR(20) UNIQUE, y BIGINT NOT NULL DEFAULT 3, u UUID, PRIMARY KEY (y));
            CREATE TABLE IF NOT EXISTS a (z INT);
            CREATE UNIQUE INDEX IF NOT EXISTS au ON a (u, x);
            ALTER TABLE a ADD COLUMN d TIMESTAMP; ALTER TABLE a RENAME COLUMN x TO name;
            ALTER TABLE a RENAME TO b
            """)
        #expect(
            try rows("PRAGMA table_info(b)") == [
                "0|'name'|'TEXT'|0|NULL|0", "1|'y'|'INTEGER'|1|'3'|1", "2|'u'|'UUID'|0|NULL|0",
                "3|'d'|'TIMESTAMP'|0|NULL|0",
            ])
        try db.sql("INSERT INTO b (name, y) VALUES ('n', 1)")
        #expect(throws: CRUDSQLExeError.self) { try db.sql("INSERT INTO b (name, y) VALUES ('n', 2)") }
        try db.sql("DROP INDEX au; DROP INDEX IF EXISTS au; ALTER TABLE b DROP u; DROP TABLE b; DROP TABLE IF EXISTS b")
        #expect(try rows("PRAGMA table_list").isEmpty)
    }

    @Test func foreignKeysActAsTheySay() throws {
        try db.sql(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE p (id INTEGER PRIMARY KEY);
            CREATE TABLE c (id INTEGER PRIMARY KEY, p INT REFERENCES p(id) ON DELETE CASCADE ON UPDATE CASCADE);
            INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (1, 1), (2, 2), (3, NULL);
            UPDATE p SET id = 5 WHERE id = 2; DELETE FROM p WHERE id = 1
            """)
        #expect(try rows("SELECT * FROM c") == ["2|5", "3|NULL"])
        #expect(throws: CRUDSQLExeError.self) { try db.sql("INSERT INTO c VALUES (9, 9)") }
        #expect(try rows("PRAGMA foreign_keys") == ["1"])
    }

    @Test func transactionsEndInTheirText() throws {
        try fill()
        try db.sql("BEGIN; DELETE FROM people; ROLLBACK; BEGIN TRANSACTION; DELETE FROM people WHERE id = 1; COMMIT")
        try db.sql(
            "SAVEPOINT a; DELETE FROM people WHERE id = 2; SAVEPOINT b; DELETE FROM people; ROLLBACK TO b; RELEASE a")
        #expect(try rows("SELECT id FROM people") == ["3", "4"])
        #expect(throws: CRUDSQLGenError.self) { try db.sql("BEGIN; DELETE FROM people") }
        #expect(throws: CRUDSQLGenError.self) { try db.sql("BEGIN; DELETE FROM people; DELETE FROM nothing; COMMIT") }
        #expect(try rows("SELECT COUNT(*) FROM people") == ["2"])
    }

    @Test func withinATransactionBeginIsASavepoint() throws {
        try fill()
        try db.transaction {
            try db.sql("BEGIN; DELETE FROM people WHERE id = 1; ROLLBACK")
            try db.sql("BEGIN; DELETE FROM people WHERE id = 2; END")
        }
        #expect(try rows("SELECT id FROM people") == ["1", "3", "4"])
    }

    private struct Person: Codable, Equatable {
        var name: String
        var age: Int?
        var nickname: String?
    }

    private struct Needy: Codable {
        var name: String
        var shoes: Int
    }

    @Test func rowsAreDecodedByTheNamesOfColumns() throws {
        try fill()
        let found = try db.sql("SELECT * FROM people WHERE id < ?", bindings: [("id", .integer(3))], Person.self)
        #expect(found == [Person(name: "Ada", age: 36), Person(name: "Bob", age: nil)])
        #expect(throws: CRUDDecoderError.self) { try db.sql("SELECT * FROM people", Needy.self) }
        #expect(try db.sql("SELECT COUNT(*) FROM people", Int.self) == [4])
    }

    private enum Colour: String, Codable { case red, green }
    private struct Point: Codable, Equatable { var x: Int }
    private struct Everything: Codable, Equatable {
        var u: UUID
        var d: Date
        var b: Bool
        var s: [UInt8]
        var j: Point
        var c: Colour
        var big: UInt64
    }

    @Test func everyTypeIsBoundStoredAndDecoded() async throws {
        let all = Everything(
            u: UUID(), d: Date(timeIntervalSinceReferenceDate: 1.25), b: true, s: [0, 255], j: Point(x: 3), c: .green,
            big: .max)
        try await db.sql("CREATE TABLE e (u UUID PRIMARY KEY, d DATE, b BOOLEAN, s BLOB, j JSON, c TEXT, big UINT64)")
        try await db.sql(
            "INSERT INTO e VALUES (?, ?, ?, ?, '{\"x\":3}', 'green', 18446744073709551615)",
            bindings: [("u", .uuid(all.u)), ("d", .date(all.d)), ("b", .bool(true)), ("s", .blob([0, 255]))])
        #expect(try await db.sql("SELECT * FROM e", Everything.self) == [all])
        #expect(
            try rows("SELECT b FROM e WHERE u = '\(all.u.uuidString.lowercased())' AND b AND s = x'00ff'") == ["TRUE"])
        #expect(try rows("SELECT b FROM e WHERE d > '2000-01-01' AND d < '2001-01-01T00:00:02Z'") == ["TRUE"])
    }

    @Test func havingChoosesGroups() throws {
        try db.sql(
            """
            CREATE TABLE v (id INTEGER PRIMARY KEY, city TEXT, size INT, weight REAL);
            INSERT INTO v VALUES (1, 'a', 1, 0.5), (2, 'a', 2, 1.5), (3, 'b', 9, NULL), (4, NULL, 4, 4.0), (5, 'c', 1, 1.0),
                (6, 'c', NULL, 3.0)
            """)
        func found(_ having: String) throws -> [String] {
            try rows("SELECT city FROM v GROUP BY city HAVING \(having) ORDER BY city")
        }
        #expect(try found("COUNT(*) > 1") == ["'a'", "'c'"])
        #expect(try found("COUNT(*) > ? ".replacing("?", with: "1") + "AND SUM(size) >= 3") == ["'a'"])
        #expect(try found("city IS NULL OR MAX(size) = 9") == ["NULL", "'b'"])
        #expect(try found("AVG(weight) = 1") == ["'a'"])
        #expect(try found("NOT COUNT(size) = 1 OR MIN(weight) IN (1, 2)") == ["'a'", "'c'"])
        #expect(try found("city LIKE 'A%'") == ["'a'"])
        #expect(try rows("SELECT city AS c, COUNT(*) AS n FROM v GROUP BY city HAVING n = 1 AND c > 'a'") == ["'b'|1"])
        #expect(try rows("SELECT COUNT(*) FROM v HAVING COUNT(*) > 9").isEmpty)
        #expect(throws: CRUDSQLGenError.self) { try db.sql("SELECT city FROM v GROUP BY city HAVING size > 1") }
    }

    @Test func numbersCompareExactlyAndFloatsByTheirPrecision() throws {
        try db.sql(
            """
            CREATE TABLE n (id INTEGER PRIMARY KEY, f FLOAT32, d REAL);
            INSERT INTO n VALUES (1, 0.1, 9007199254740992.0), (2, 1.5, 0.1)
            """)
        #expect(try rows("SELECT id FROM n WHERE f = 0.1") == ["1"])
        #expect(try rows("SELECT id FROM n WHERE f IN (0.1, 1.5)") == ["1", "2"])
        #expect(try rows("SELECT id FROM n WHERE f < 0.1").isEmpty)
        #expect(try rows("SELECT id FROM n WHERE f <= 0.1 AND f >= 0.1") == ["1"])
        #expect(try rows("SELECT id FROM n WHERE f < 1e39") == ["1", "2"])
        #expect(try rows("SELECT id FROM n WHERE d = 9007199254740993").isEmpty)
        #expect(try rows("SELECT id FROM n WHERE d = 9007199254740992") == ["1"])
        #expect(try rows("SELECT id FROM n WHERE d = '0.1'") == ["2"])
        #expect(throws: CRUDEncoderError.self) { try db.sql("INSERT INTO n VALUES (3, 1e39, 0)") }
    }

    @Test func explainNamesTheTable() throws {
        try fill()
        #expect(try rows("EXPLAIN QUERY PLAN SELECT * FROM people WHERE id = 1").joined().contains("people"))
    }
}
