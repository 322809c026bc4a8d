import Foundation
import TableKit
import Testing

@testable import SiltTool

/// Commands that know tables.
struct TableCommandTests {
    private let directory: TemporaryDirectory
    private var store: String { directory.file("s") }

    init() throws {
        directory = try TemporaryDirectory()
        try Silt.run(
            "query", "--quiet", store,
            """
            CREATE TABLE City (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
            CREATE TABLE Person (id INTEGER PRIMARY KEY, name TEXT, city INT REFERENCES City(id));
            CREATE INDEX ON Person (name, city);
            INSERT INTO City VALUES (1, 'Rome'), (2, 'Oslo');
            INSERT INTO Person VALUES (1, 'Ada', 1), (2, 'Bob', 2), (3, 'Cai', NULL), (4, 'Ada', 2)
            """
        ).expect(status: 0)
    }

    private func json(_ command: String) throws -> Any {
        let result = try Silt.run(command, "--json", store)
        result.expect(status: 0)
        return try JSONSerialization.jsonObject(with: Data(result.output))
    }

    @Test("stat shows tables with their indexes, estimated and marked so; a store without tables has none")
    func stat() throws {
        let text = try Silt.run("stat", store).text
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").prefix(5).joined(separator: " ") }
        for start in [
            "table entries, about size, about", "City 2 ", "Person 4 ", "(name, city) 4 ", "(name) unique 2 ",
        ] {
            #expect(lines.contains { $0.hasPrefix(start) }, "\(start) in \(text)")
        }
        let report = try #require(try json("stat") as? [String: Any])
        #expect(report["diskBytes"] != nil)
        let tables = try #require(report["tables"] as? [[String: Any]])
        #expect(tables.map { $0["name"] as? String } == ["City", "Person"])
        #expect(tables.map { $0["estimatedRows"] as? Int } == [2, 4])
        let index = try #require((tables[1]["indexes"] as? [[String: Any]])?.first)
        #expect(index["columns"] as? [String] == ["name", "city"] && index["estimatedEntries"] as? Int == 4)
        #expect((index["bytes"] as? Int ?? 0) > 0)
        let other = directory.file("keys")
        try Silt.run("put", other, "a", "b").expect(status: 0)
        #expect(try !Silt.run("stat", other).text.contains("table"))
    }

    @Test("explain names an index for conditions and orders; with --analyze it counts rows")
    func explain() throws {
        let plan = try Silt.run("explain", store, "SELECT * FROM Person WHERE city = 2 ORDER BY name").text
        #expect(plan.contains("hint: An index on Person("))
        let counted = try Silt.run("explain", "--analyze", store, "SELECT * FROM Person WHERE id > 1").text
        #expect(counted.contains("3 found of 3 read in "))
        let result = try Silt.run("explain", "--json", "--analyze", store, "SELECT * FROM Person")
        let value = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
        #expect(value?["actualRows"] as? Int == 4 && value?["seconds"] is Double)
    }

    @Test("explain runs no second statement")
    func explainRunsNothing() throws {
        let result = try Silt.run("explain", store, "SELECT * FROM City; SELECT * FROM Person")
        result.expect(status: 2, error: "one statement")
        #expect(result.text == "")
        try Silt.run("explain", store, "SELECT * FROM City;").expect(status: 0)
        try Silt.run("explain", store, "").expect(status: 2, error: "one statement")
    }

    @Test("explain names the place of an error in the text that it was given")
    func explainPlaces() throws {
        let cases = [
            ("SELECT * FROM", "Line 1, column 14, at the end"), ("\nSELEKT", "Line 2, column 1, at "),
            ("EXPLAIN SELECT * FROM City", "Line 1, column 1, at "),
        ]
        for (text, place) in cases {
            try Silt.run("explain", store, text).expect(status: 2, error: place)
            try Silt.run("explain", "--analyze", store, text).expect(status: 2, error: place)
        }
    }

    @Test("a query that only reads changes nothing on disk, in a transaction too, and makes no store")
    func readingTransactions() throws {
        func contents() throws -> [String: [UInt8]] {
            var contents: [String: [UInt8]] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: store) where name != "LOCK" {
                contents[name] = try directory.read("s/" + name)
            }
            return contents
        }
        let before = try contents()
        let text = "BEGIN; SAVEPOINT a; SELECT id FROM City WHERE id = 1; ROLLBACK TO a; RELEASE a; COMMIT"
        let result = try Silt.run("query", store, text)
        result.expect(status: 0)
        #expect(result.text.hasSuffix("(1 row)\n"), "\(result.text)")
        #expect(try contents() == before)
        let missing = directory.file("missing")
        try Silt.run("query", missing, "BEGIN; SELECT 1; COMMIT").expect(status: 2, error: "no store")
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test("a cell of a JSON column is printed as a value if it is JSON, else as a string")
    func storedText() {
        #expect(CellText.json(.json(#"{"a": [1]}"#)) == #"{"a": [1]}"#)
        #expect(CellText.json(.json("[1,\n2]")) == "[1, 2]")
        for text in ["{bad", "1} {", ""] { #expect(CellText.json(.json(text)) == "\"" + text + "\"") }
    }

    @Test("query counts rows that it changed and returned")
    func returning() throws {
        let result = try Silt.run("query", store, "UPDATE City SET name = 'Bonn' WHERE id = 2 RETURNING id")
        #expect(result.text.hasSuffix("(1 row, 1 row changed)\n"), "\(result.text)")
    }

    @Test("query skips a byte order mark before the statements of standard input")
    func byteOrderMark() throws {
        let statement = Array("\u{feff}SELECT id FROM City LIMIT 1".utf8)
        let result = try Silt.run("query", "--csv", store, "-", input: statement)
        result.expect(status: 0)
        #expect(result.text == "id\n1\n")
    }

    @Test("query escapes control characters of column names")
    func controlCharacters() throws {
        let result = try Silt.run("query", store, "SELECT id AS \"a\n\u{1b}b\" FROM City WHERE id = 1")
        #expect(result.text == "a\\x0a\\x1bb\n----------\n         1\n(1 row)\n")
    }

    @Test("tables and columns named like keywords, and defaults that are no numbers, can be made again from the schema")
    func quotedNames() throws {
        let other = directory.file("other")
        let names = ["EXCEPT", "INTERSECT", "ISNULL", "notnull", "USING", "plain"]
        for name in names {
            try Silt.run(
                "query", other,
                """
                CREATE TABLE "\(name)" ("\(name)" REAL DEFAULT 'inf', a REAL DEFAULT '-inf', b REAL DEFAULT 'nan')
                """
            ).expect(status: 0)
            try Silt.run("export", other, name).expect(status: 0)
        }
        let schema = try Silt.run("schema", other)
        schema.expect(status: 0)
        let copy = directory.file("copy")
        try Silt.run("query", copy, schema.text).expect(status: 0)
        #expect(try Silt.run("schema", copy).text == schema.text)
    }

    @Test("analyze counts the tables that it looked at")
    func analyzedTables() throws {
        let other = directory.file("other")
        try Silt.run("query", other, "CREATE TABLE A (a INT); CREATE TABLE B (b INT)").expect(status: 0)
        #expect(try Silt.run("analyze", other, "A").text == "analyzed 1 table without indexes\n")
        #expect(try Silt.run("analyze", other).text == "analyzed 2 tables without indexes\n")
    }

    @Test("the help of export names no file")
    func exportHelp() throws {
        #expect(try !Silt.run("export", "--help").text.contains("FILE"))
        try Silt.run("export", "--format", "jsonl", store, "City").expect(status: 0)
    }

    @Test("analyze reports what it found, and leaves it in the store")
    func analyze() throws {
        let rows = try #require(try json("analyze") as? [[String: Any]])
        let person = try #require(rows.first { $0["table"] as? String == "Person" })
        #expect(person["entries"] as? Int == 4 && person["distinctValues"] as? [Int] == [3, 4])
        try Silt.run("verify", "--quiet", store).expect(status: 0)
        try Silt.run("analyze", store, "Nobody").expect(status: 2)
    }

    @Test("the report draws relations twice, for wide pages and for phones, and needs no font for its keys")
    func report() throws {
        let page = directory.file("page.html")
        try Silt.run("report", "--quiet", "--html", page, store).expect(status: 0)
        let html = String(decoding: try directory.read("page.html"), as: UTF8.self)
        for form in ["wide", "narrow"] { #expect(html.contains("<div class=\"relations \(form)\"><svg")) }
        #expect(html.ranges(of: "<g class=\"key\"").count == 4)
        #expect(html.contains("url(#head1)") && html.contains("url(#head3)"))
        let known: Set<Character> = ["×", "·", "…", "–"]
        #expect(html.allSatisfy { $0.isASCII || known.contains($0) })
    }

    @Test("an arrow that would cross a box runs below the boxes")
    func arrowsAroundBoxes() throws {
        let column = TableSpace.Column(name: "id", type: "int64", isKey: true, isOptional: false, references: nil)
        let reference = TableSpace.Column(name: "a", type: "int64", isKey: false, isOptional: false, references: "A")
        let tables = [("A", [column]), ("B", [column]), ("C", [column, reference])].map { name, columns in
            TableSpace(name: name, columns: columns, parts: [], sample: [])
        }
        var html = HTML()
        RelationDrawing(tables, columns: 3).add(to: &html)
        let text = html.text
        let boxEnd = try #require(
            text.matches(of: /<rect class="box"[^>]* y="([0-9.]+)"[^>]* height="([0-9.]+)"/).map {
                (Double($0.1) ?? 0) + (Double($0.2) ?? 0)
            }.max())
        let path = try #require(text.firstMatch(of: /<path class="arrow"[^>]* d="([^"]+)"/)?.1)
        // The only line across leads from beside one box to beside the other.
        let level = try #require(path.firstMatch(of: /V[0-9.]+ Q[0-9.]+ ([0-9.]+)/)?.1)
        #expect((Double(level) ?? 0) > boxEnd)
        #expect(!path.contains("C"))
    }
}
