import SiltstoneTesting
import TableKit
import Testing

/// Whatever the text, it is run or refused.
struct SQLFuzzTests {
    private static let words = [
        "SELECT", "*", "FROM", "t", "a", "b", "WHERE", "AND", "OR", "NOT", "(", ")", ",", ";", "=", "<>", "<", "IS",
        "NULL",
        "IN", "BETWEEN", "LIKE", "'%x_'", "'", "\"", "[", "]", "1", "-", "9223372036854775808", "1e999", ".", "?", "$1",
        "?9", "INSERT", "INTO", "VALUES", "UPDATE", "SET", "DELETE", "CREATE", "TABLE", "u", "INT", "PRIMARY", "KEY",
        "DEFAULT", "DROP", "INDEX", "ON", "ALTER", "ADD", "COLUMN", "RENAME", "TO", "GROUP", "BY", "ORDER", "DESC",
        "LIMIT", "OFFSET", "COUNT", "MIN", "SUM", "DISTINCT", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "EXPLAIN",
        "PRAGMA", "table_info", "REFERENCES", "UNIQUE", "x'00'", "0x", "--", "/*", "*/", "\u{0}", "é", "🙂", "\n",
        "RETURNING",
        "last_insert_rowid", "TRUE", "AS", "-9223372036854775808", "99999999999999999999999999",
    ]

    private func database() throws -> Database<ReferenceDatabaseConfiguration> {
        QuietErrors.begin()
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        try db.sql("CREATE TABLE t (a INT PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, NULL)")
        return db
    }

    /// - Returns: whether it ran.
    private func attempt(_ sql: String, _ db: Database<ReferenceDatabaseConfiguration>) -> Bool {
        do {
            try db.sql(sql, bindings: [("", .integer(1))]) { _ = try $0.all() }
            return true
        } catch {
            #expect(error is any TableError, "\(sql.debugDescription) threw \(error)")
            return false
        }
    }

    @Test func textOfRandomWordsIsRunOrRefused() throws {
        var random = SplitMix64(seed: 20)
        let db = try database()
        for _ in 0..<4000 {
            let count = Int.random(in: 1...14, using: &random)
            let words = (0..<count).map { _ in SQLFuzzTests.words.randomElement(using: &random) ?? "" }
            _ = attempt(words.joined(separator: " "), db)
        }
    }

    @Test func changedStatementsAreRunOrRefused() throws {
        let statements = [
            "SELECT DISTINCT a, b AS c FROM t WHERE a IN (1, ?) AND NOT b LIKE '%x' ORDER BY a DESC LIMIT 3 OFFSET 1",
            "INSERT OR REPLACE INTO t (a, b) VALUES (3, 'y'), (?, NULL) RETURNING *",
            "UPDATE t SET b = 'z' WHERE a BETWEEN 1 AND 2 OR b IS NOT NULL",
            "CREATE TABLE IF NOT EXISTS u (x INT PRIMARY KEY, y TEXT DEFAULT 'd' UNIQUE, z INT REFERENCES t(a))",
            "SELECT b, COUNT(*), MAX(a) FROM t GROUP BY b ORDER BY COUNT(*) DESC",
        ]
        var random = SplitMix64(seed: 21)
        var ran = 0
        let db = try database()
        for _ in 0..<4000 {
            var text = Array((statements.randomElement(using: &random) ?? "").unicodeScalars)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text.remove(at: place)
                case 1: text.insert(text[Int.random(in: 0..<text.count, using: &random)], at: place)
                default: text.swapAt(place, Int.random(in: 0..<text.count, using: &random))
                }
            }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: text)
            if attempt(String(view), db) { ran += 1 }
        }
        #expect(ran > 400)
    }

    @Test(arguments: ["(", "NOT ", "((NOT "]) func deepNestingIsRefused(opening: String) throws {
        let db = try database()
        let text = "SELECT * FROM t WHERE " + String(repeating: opening, count: 100_000)
        #expect(!attempt(text, db))
    }

    @Test func longChainsAndListsRun() throws {
        let db = try database()
        let chain = (0..<5000).map { "a = \($0)" }.joined(separator: " OR ")
        let list = (0..<20000).map(String.init).joined(separator: ", ")
        #expect(try db.sql("SELECT a FROM t WHERE \(chain)", Int.self) == [1, 2])
        #expect(try db.sql("SELECT a FROM t WHERE a IN (\(list))", Int.self) == [1, 2])
    }
}
