import SiltstoneTesting
import TableKit
import Testing

/// Text in columns of JSON.
struct JSONTextTests {
    @Test(
        "text that is one JSON value fits",
        arguments: [
            "{}", "[]", " [1, -2.5e+3, 0.1E-2, 0]\n", "\"a\\n\\u00e9\\\\\"", "true", "false", "null", "7",
            "{\"a\":{\"b\":[{},[]]},\"c\":\"é\"}",
            String(repeating: "[", count: 499) + String(repeating: "]", count: 499),
        ])
    func fits(text: String) {
        #expect(ColumnValue.text(text).fitting(.json) == .json(text))
    }

    @Test(
        "other text does not",
        arguments: [
            "", " ", "{bad", "{bad}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1", "[1 2]", "01", "1.", ".5",
            "+1",
            "-", "1e", "tru", "True", "nan", "'a'", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\u12", "\"\n\"", "1 2", "{} x",
            String(repeating: "[", count: 501) + String(repeating: "]", count: 501),
        ])
    func doesNotFit(text: String) {
        #expect(ColumnValue.text(text).fitting(.json) == nil)
    }

    @Test("SQL refuses text that is no JSON in INSERT, UPDATE and DEFAULT; a condition takes any text")
    func statements() throws {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        func code(_ sql: String) -> TableErrorCode? {
            do { try db.sql(sql) } catch { return (error as? any TableError)?.code }
            return nil
        }
        try db.sql("CREATE TABLE t (id INTEGER PRIMARY KEY, j JSON); INSERT INTO t VALUES (1, '{\"a\":1}')")
        #expect(code("INSERT INTO t VALUES (2, '{bad')") == .type)
        #expect(code("UPDATE t SET j = '{bad' WHERE id = 1") == .type)
        #expect(code("CREATE TABLE u (id INTEGER PRIMARY KEY, j JSON DEFAULT '{bad')") == .type)
        #expect(code("SELECT id FROM t WHERE j = '{bad'") == nil)
        #expect(code("UPDATE t SET j = '[]' WHERE j < '{bad'") == nil)
        var found: [[ColumnValue]] = []
        try db.sql("SELECT id, j FROM t", bindings: []) { found += try $0.all() }
        #expect(found == [[.integer(1), .json("[]")]])
    }
}
