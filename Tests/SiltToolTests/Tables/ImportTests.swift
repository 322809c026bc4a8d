import Foundation
import Testing

@testable import SiltTool

/// import and export.
struct ImportTests {
    private let directory: TemporaryDirectory
    private var store: String { directory.file("s") }

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ name: String, _ text: String) throws -> String { try directory.write(name, Array(text.utf8)) }

    private func `import`(_ name: String, _ text: String, _ options: String...) throws -> Silt.Result {
        let path = try file(name, text)
        return try Silt.shell(
            "cd \"$0\" && silt import --quiet \(options.joined(separator: " ")) s T \"$1\"", directory.path, path)
    }

    private func query(_ sql: String) throws -> String { try Silt.run("query", "--csv", store, sql).text }

    @Test("what export prints, import reads to the same rows and types", arguments: ["csv", "jsonl"])
    func roundTrip(format: String) throws {
        let statements = """
            CREATE TABLE T (id INTEGER PRIMARY KEY, u UINT64, r REAL, b BOOLEAN, t TEXT, d DATE, x BLOB, j JSON, k UUID);
            INSERT INTO T VALUES (1, 18446744073709551615, 0.1, TRUE, 'a,"b"', '2024-02-29T01:02:03Z', x'00FF', '{"a":[1,2]}',
                '6F9619FF-8B86-D011-B42D-00C04FC964FF');
            INSERT INTO T VALUES (2, 1, -2.5e300, FALSE, '', NULL, x'', '[]', NULL);
            """
        try Silt.run("query", store, statements).expect(status: 0)
        let exported = try Silt.run("export", "--format", format, store, "T")
        exported.expect(status: 0)
        let path = try directory.write("rows." + format, exported.output)
        let copy = directory.file("copy")
        try Silt.run("import", "--quiet", copy, "T", path).expect(status: 0)
        #expect(try Silt.run("export", "--format", format, copy, "T").text == exported.text)
        let types = try Silt.run("schema", "--json", copy).text
        let original = try Silt.run("schema", "--json", store).text
        func names(_ text: String) -> [String] { text.matches(of: /"type"\s*:\s*"([a-z0-9]+)"/).map { String($0.1) } }
        #expect(names(types) == names(original))
    }

    @Test("JSON values with line ends are printed on one line, and read back")
    func linesInJSON() throws {
        let text = "id,j\n1,\"{\n\"\"a\"\":\r\n[1,\"\"b\\n\"\"]}\"\n"
        try self.import("a.csv", text).expect(status: 0)
        let exported = try Silt.run("export", "--format", "jsonl", store, "T")
        #expect(exported.text == "{\"id\":1,\"j\":{ \"a\":  [1,\"b\\n\"]}}\n")
        #expect(try Silt.run("query", "--json", store, "SELECT * FROM T").text == exported.text)
        let path = try directory.write("b.jsonl", exported.output)
        try Silt.run("import", "--quiet", directory.file("copy"), "T", path).expect(status: 0)
    }

    @Test("null, NULL and escapes in JSON columns are kept by JSON lines")
    func nestedNulls() throws {
        let statements = """
            CREATE TABLE T (id INTEGER PRIMARY KEY, j JSON, k JSON NOT NULL, t TEXT);
            INSERT INTO T VALUES (1, '"\\u0041\\/"', 'null', NULL), (2, 'null', '{"a":"\\u0041"}', 'null'),
                (3, NULL, '"a"', 'A'), (4, '[]', '[null]', NULL);
            """
        try Silt.run("query", store, statements).expect(status: 0)
        let exported = try Silt.run("export", "--format", "jsonl", store, "T")
        #expect(
            exported.text == """
                {"id":1,"j":"\\u0041\\/","k":null,"t":null}
                {"id":2,"j":null,"k":{"a":"\\u0041"},"t":"null"}
                {"id":3,"k":"a","t":"A"}
                {"id":4,"j":[],"k":[null],"t":null}

                """)
        let path = try directory.write("rows.jsonl", exported.output)
        let copy = directory.file("copy")
        try Silt.run("query", copy, "CREATE TABLE T (id INTEGER PRIMARY KEY, j JSON, k JSON NOT NULL, t TEXT)")
            .expect(status: 0)
        try Silt.run("import", "--quiet", copy, "T", path).expect(status: 0)
        let csv = try Silt.run("export", store, "T").text
        #expect(try Silt.run("export", copy, "T").text == csv)
        #expect(try Silt.run("export", "--format", "jsonl", copy, "T").text == exported.text)
        #expect(try Silt.run("query", "--csv", copy, "SELECT id FROM T WHERE j IS NULL").text == "id\n3\n")
    }

    @Test("a new column of objects takes null as a value, and only a missing member as NULL")
    func newNestedColumn() throws {
        try self.import("a.jsonl", "{\"id\":1,\"j\":{}}\n{\"id\":2,\"j\":null}\n{\"id\":3}\n").expect(status: 0)
        #expect(try query("SELECT id FROM T WHERE j IS NULL") == "id\n3\n")
        #expect(try Silt.run("export", store, "T").text == "id,j\n1,{}\n2,null\n3,\n")
    }

    @Test("decimals that no real holds are imported with all their digits")
    func decimals() throws {
        let text = "a,b\n12345678901234567.89,0.1\n0.5,0.30000000000000004\n"
        try self.import("a.csv", text).expect(status: 0)
        #expect(try Silt.run("export", store, "T").text == text)
    }

    @Test("a table without rows is made of the CSV header, with columns of text and the usual key")
    func noRows() throws {
        try Silt.run("query", store, "CREATE TABLE E (name TEXT, id INTEGER PRIMARY KEY)").expect(status: 0)
        let path = try directory.write("e.csv", try Silt.run("export", store, "E").output)
        let copy = directory.file("copy")
        try Silt.run("import", "--quiet", copy, "E", path).expect(status: 0)
        #expect(
            try Silt.run("schema", copy).text == "CREATE TABLE E (\n    name TEXT,\n    id TEXT PRIMARY KEY\n);\n")
        #expect(try Silt.run("export", copy, "E").text == "name,id\n")
        try Silt.run("import", "--quiet", "--key", "x", copy, "F", path).expect(status: 2, error: "no column 'x'")
        let empty = try directory.write("e.jsonl", [])
        try Silt.run("import", "--quiet", copy, "G", empty).expect(status: 2, error: "the input has no rows")
        try Silt.run("schema", copy, "G").expect(status: 1)
    }

    @Test("a file of one column keeps its NULLs")
    func oneColumn() throws {
        try self.import("a.csv", "name\nx\n\ny\n\n").expect(status: 0)
        #expect(try Silt.run("export", store, "T").text == "name\nx\n\ny\n\n")
    }

    @Test(
        "a refused input makes no store",
        arguments: [
            "", "id,name\n1,a\n1,b\n", "id,name\n1,a\n,b\n", "id,name\n1\n", "id,id\n1,2\n", "id,name\n1,\"a\n",
        ])
    func noStore(text: String) throws {
        try self.import("a.csv", text).expect(status: 2)
        #expect(!FileManager.default.fileExists(atPath: store))
        // A directory that was there stays, and what is in it.
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
        try self.import("a.csv", text).expect(status: 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store) == [])
    }

    @Test("a row without a value of the key is refused, with its line; --no-key takes it")
    func nullKey() throws {
        let text = "name,id\na,1\nb,\n"
        try self.import("a.csv", text).expect(status: 2, error: "a.csv:3: no value for 'id', which is the key")
        try self.import("a.csv", text, "--key", "id").expect(status: 2, error: "a.csv:3: no value for 'id'")
        try self.import("a.csv", text, "--no-key").expect(status: 0)
        #expect(try query("SELECT name FROM T WHERE id IS NULL") == "name\nb\n")
        try self.import("a.csv", text, "--key", "name").expect(status: 2, error: "'name' is not its key")
    }

    @Test("a duplicate key is reported with the line of its row")
    func duplicate() throws {
        let rows = (1...2500).map { "\($0 == 1700 ? 1200 : $0),n\($0)\n" }.joined()
        try self.import("a.csv", "id,name\n" + rows).expect(status: 2, error: "a.csv:1701: ")
    }

    @Test("an unknown column is reported where it is named")
    func unknownColumn() throws {
        try self.import("a.csv", "id,name\n1,a\n").expect(status: 0)
        try self.import("b.csv", "\nid,nome\n2,b\n").expect(
            status: 2, error: "b.csv:2: the table T has no column 'nome'")
        try self.import("c.csv", "id,nome\n").expect(status: 2, error: "c.csv:1: the table T has no column 'nome'")
        try self.import("d.jsonl", "{\"id\":2}\n{\"id\":3,\"nome\":1}\n")
            .expect(status: 2, error: "d.jsonl:2: the table T has no column 'nome'")
    }

    @Test("an error behind some batches says which rows are stored")
    func batches() throws {
        let rows = (1...10).map { "\($0 == 8 ? 1 : $0),n\($0)\n" }.joined()
        try self.import("a.csv", "id,name\n" + rows, "--batch", "3")
            .expect(status: 2, error: "stored before it: 6 rows, to line 7")
        #expect(try query("SELECT COUNT(*) AS n FROM T") == "n\n6\n")
    }

    @Test("JSON lines are read as RFC 8259 has them, each column once")
    func strictJSON() throws {
        for (text, error) in [
            ("{\"a\":1,\"a\":2}", "a.jsonl:1:8: the column 'a' is named twice"), ("{\"a\":1,}", "a.jsonl:1:8: "),
            ("{\"a\":inf}", "expected a value"), ("{\"a\":0x10}", "expected a value"),
            ("{\"a\":+1}", "expected a value"),
            ("{\"a\":01}", "expected a value"), ("{\"a\":1.}", "expected a value"), ("{\"a\":{b}}", "expected a name"),
            ("{\"a\":[1,]}", "a.jsonl:1:9: expected a value"), ("{\"a\":[1}}", "expected ',' or ']'"),
            ("{\"a\":[[[}", "expected a value"),
            ("{\"a\":{\"b\":1,\"b\":2}}", "a.jsonl:1:13: the name 'b' stands twice in an object"),
            ("{\"a\":[{\"b\":{\"c\":1,\"\\u0063\":2}}]}", "the name 'c' stands twice in an object"),
        ] {
            try self.import("a.jsonl", text + "\n").expect(status: 2, error: error)
        }
        try self.import("a.jsonl", "{\"zip\":\"10115\",\"n\":-1.5e3}\n{}\n").expect(status: 0)
        #expect(
            try Silt.run("export", "--format", "jsonl", store, "T").text
                == "{\"zip\":\"10115\",\"n\":-1500.0}\n{\"zip\":null,\"n\":null}\n")
    }

    @Test("a file in another encoding is refused, with what to do about it", arguments: ["a.csv", "a.jsonl"])
    func otherEncoding(name: String) throws {
        let text = name == "a.csv" ? "t\nM#nchen\n" : "{\"t\":\"M#nchen\"}\n"
        let path = try directory.write(name, text.utf8.map { $0 == UInt8(ascii: "#") ? 0xFC : $0 })
        let result = try Silt.run("import", "--quiet", store, "T", path)
        result.expect(status: 2, error: "not valid UTF-8; convert the file first, as by iconv")
    }

    @Test("a byte order mark before the first line is skipped, and no other", arguments: ["a.csv", "a.jsonl"])
    func byteOrderMark(name: String) throws {
        let text = name == "a.csv" ? "\u{feff}id,t\n1,\u{feff}x\n" : "\u{feff}{\"id\":1,\"t\":\"\u{feff}x\"}\n"
        try self.import(name, text).expect(status: 0)
        #expect(try Array(query("SELECT id FROM T WHERE t = '\u{feff}x'").utf8) == Array("id\n1\n".utf8))
        try self.import("b.jsonl", "\n\u{feff}{}\n").expect(status: 2, error: "b.jsonl:2:1: expected '{'")
    }

    @Test("a column whose name begins with a byte order mark keeps it")
    func markedName() throws {
        try self.import("a.csv", "\"\u{feff}a\",b\n1,2\n").expect(status: 0)
        let exported = try Silt.run("export", store, "T").output
        #expect(exported == Array("\"\u{feff}a\",b\n1,2\n".utf8))
    }

    @Test("numbers out of a column's range are refused")
    func ranges() throws {
        try Silt.run("query", store, "CREATE TABLE T (i TINYINT, f FLOAT32, d REAL)").expect(status: 0)
        for row in ["128,,", ",1e39,", ",,1e400", ",,0x10", ",,one"] {
            try self.import("a.csv", "i,f,d\n" + row + "\n").expect(status: 2, error: "a.csv:2: ")
        }
        try self.import("a.csv", "i,f,d\n127,1e38,-inf\n").expect(status: 0)
        #expect(try query("SELECT d FROM T") == "d\n-inf\n")
    }
}
