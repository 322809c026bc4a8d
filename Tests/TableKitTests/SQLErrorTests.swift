import SiltstoneTesting
import TableKit
import Testing

struct SQLErrorTests {
    private let db = Database(configuration: ReferenceDatabaseConfiguration())

    init() { QuietErrors.begin() }

    private func error(_ sql: String) -> (any TableError)? {
        do {
            try db.sql(sql)
            return nil
        } catch let error as any TableError { return error } catch { return nil }
    }

    @Test(arguments: [
        ("SELECT * FROM a JOIN b", "Line 1, column 17, at “JOIN”"), ("SELEKT 1", "Line 1, column 1, at “SELEKT”"),
        ("SELECT *\nFROM t\nWHERE a ~ 1", "Line 3, column 9, at “~”"), ("SELECT 'a", "Line 1, column 10, at the end"),
        ("INSERT INTO t VALUES (1", "Line 1, column 24, at the end"), ("SELECT a +", "Line 1, column 10, at “+”"),
        ("CREATE VIEW v AS SELECT 1", "“VIEW”"), ("SELECT * FROM t WHERE a = (SELECT 1)", "“(”"),
        ("SELECT * FROM t HAVING 1", "“HAVING”"), ("DELETE t", "“t”"),
        ("CREATE TABLE t (a INT CHECK (a > 1))", "“CHECK”"),
        ("PRAGMA journal_mode", "“journal_mode”"), ("SELECT lower(a) FROM t", "“lower”"), ("VACUUM", "“VACUUM”"),
        ("CREATE TABLE t AS SELECT 1", "“AS”"), ("SELECT x'0'", "at the end"), ("PRAGMA foreign_keys = OFF", "“OFF”"),
    ]) func whatIsNotSupportedIsSaidWithItsPlace(sql: String, place: String) {
        let error = error(sql)
        #expect(error?.code == .syntax)
        #expect(error?.message.contains(place) == true, "\(error?.message ?? "no error")")
        #expect(error?.message.contains("Supported: ") == true)
    }

    @Test(arguments: [
        ("SELECT * FROM a JOIN b ON a.x = b.x", "Joins"), ("SELECT * FROM a LEFT JOIN b ON a.x = b.x", "Joins"),
        ("SELECT * FROM a, b", "Joins"), ("SELECT * FROM a INNER JOIN b USING (x)", "Joins"),
        ("SELECT a + 1 FROM t", "Arithmetic"), ("SELECT a / 2 FROM t", "Arithmetic"),
        ("SELECT 2 * a FROM t", "Arithmetic"), ("SELECT a || 'x' FROM t", "Arithmetic"),
        ("UPDATE t SET a = a + 1", "columns cannot stand here"), ("SELECT * FROM t WHERE a % 2 = 0", "Arithmetic"),
        ("SELECT * FROM t WHERE a IN (SELECT 1)", "Subqueries"), ("SELECT * FROM (SELECT 1)", "Subqueries"),
        ("SELECT (SELECT 1)", "Subqueries"), ("SELECT 1 UNION SELECT 2", "UNION"),
        ("SELECT CASE WHEN a THEN 1 END FROM t", "CASE"), ("WITH x AS (SELECT 1) SELECT 1", "WITH"),
        ("SELECT a FROM t HAVING a > 1", "HAVING"), ("SELECT a FROM t WHERE a GLOB 'x*'", "GLOB"),
        ("SELECT a FROM t ORDER BY a COLLATE NOCASE", "Collations"),
        ("SELECT a FROM t WHERE COUNT(*) > 1", "function"),
    ]) func aConstructThatIsNotSupportedIsNamed(sql: String, word: String) {
        let error = error(sql)
        #expect(error?.code == .syntax)
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "no error")")
    }

    @Test func whatIsMissingIsNamed() throws {
        try db.sql("CREATE TABLE t (a INT, b TEXT)")
        #expect(error("SELECT * FROM u")?.code == .noTable)
        #expect(error("SELECT c FROM t")?.code == .noColumn)
        #expect(error("SELECT c FROM t")?.column == "c")
        #expect(error("SELECT u.a FROM t")?.code == .noTable)
        #expect(error("DROP INDEX i")?.code == .noIndex)
        #expect(error("DROP TABLE u")?.code == .noTable)
        #expect(error("CREATE TABLE t (a INT)")?.code == .exists)
        #expect(error("CREATE TABLE u (a INT, a INT)")?.code == .exists)
        #expect(error("INSERT INTO t VALUES (1)")?.code == .argument)
        #expect(error("INSERT INTO t VALUES ('x', 1)")?.code == .type)
        #expect(error("INSERT INTO t (a, a) VALUES (1, 1)")?.code == .argument)
        #expect(error("SELECT * FROM t LIMIT 'x'")?.code == .argument)
        #expect(error("SELECT b, COUNT(*) FROM t")?.code == .syntax)
        #expect(error("SELECT SUM(b) FROM t")?.code == .type)
        #expect(error("COMMIT")?.code == .transaction)
        #expect(error("ROLLBACK TO x")?.code == .transaction)
    }

    @Test func aLongRowOfExplainsIsRefused() {
        #expect(error("EXPLAIN EXPLAIN SELECT 1")?.message.contains("This cannot be explained.") == true)
        // Far more levels than the stack has room for.
        #expect(error(String(repeating: "EXPLAIN ", count: 200_000) + "SELECT 1")?.code == .syntax)
    }

    @Test func aStatementOfSeveralStepsThatThrowsInATransactionChangesNothing() throws {
        try db.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)")
        try db.transaction { () -> Void in
            #expect(error("CREATE TABLE u (a INT, UNIQUE (nope))")?.code == .noColumn)
            #expect(error("ALTER TABLE t ADD c INTEGER NOT NULL DEFAULT 0 UNIQUE")?.code == .unique)
            #expect(error("INSERT INTO t VALUES (3) RETURNING nope")?.code == .noColumn)
        }
        #expect(try db.tables().map(\.structure.name) == ["t"])
        #expect(try db.tables().first?.structure.columns.map(\.name) == ["a"])
        #expect(try db.sql("SELECT COUNT(*) FROM t", Int.self) == [2])
    }

    @Test func namesThatDifferInCaseAloneAreFoundWhereOneFits() throws {
        try db.sql(
            "CREATE TABLE \"T\" (\"Select\" INT); INSERT INTO t (SELECT_) VALUES (1)".replacing(
                "SELECT_", with: "[select]"))
        #expect(try db.sql("SELECT \"SELECT\" FROM T", Int.self) == [1])
        try db.sql("CREATE TABLE two (a INT); ALTER TABLE two RENAME TO t2")
        #expect(error("SELECT * FROM TWO")?.code == .noTable)
    }
}
