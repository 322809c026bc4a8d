import TableKit
import Testing

@testable import SiltTool

/// CSV and quotes.
struct CSVReaderTests {
    private func records(_ text: String) throws -> [[String]] {
        let directory = try TemporaryDirectory()
        let path = try directory.write("input", text.utf8)
        let descriptor = try System.open(path)
        defer { System.closeFile(descriptor) }
        var reader = CSVReader(LineReader(descriptor, name: path), source: path)
        var records: [[String]] = []
        while let fields = try reader.next() { records.append(fields.map(\.text)) }
        return records
    }

    @Test(
        "a written field is read to the same bytes",
        arguments: [
            "a", "", " a ", "a,b", "\"", "a\"b", "a\nb", "a\r\nb", "a\rb", "\r", "\r\n", "\n\r", "b\r\n\r\n",
            "q\"\u{301}z", "\"\u{200d}", "x\"\u{fe0f}\"",
        ])
    func roundTrip(text: String) throws {
        for ending in ["\n", "\r\n"] {
            let line = [text, "x", text].map { CSVReader.written($0) }.joined(separator: ",")
            let records = try records(line + ending + "next" + ending)
            try #require(records.count == 2)
            // Strings compare equal if they look the same.
            #expect(records[0].map { Array($0.utf8) } == [text, "x", text].map { Array($0.utf8) })
            #expect(records[1] == ["next"])
        }
    }

    @Test("lines may end in carriage return and line feed; such lines may be blank")
    func carriageReturns() throws {
        #expect(try records("a,\"b\"\r\n\r\nc,\r\nd\r") == [["a", "b"], ["c", ""], ["d"]])
    }

    @Test("names and literals of SQL double each quote, also before a combining mark")
    func quotes() {
        #expect(Array(SchemaText.quoted("a\"\u{301}").utf8) == Array("\"a\"\"\u{301}\"".utf8))
        #expect(Array(ColumnValue.text("it'\u{301}s").sqlLiteral.utf8) == Array("'it''\u{301}s'".utf8))
    }

    @Test("a table with such names and defaults is exported, and made again from its schema")
    func schema() throws {
        let directory = try TemporaryDirectory()
        let (store, copy) = (directory.file("s"), directory.file("copy"))
        let statement = "CREATE TABLE \"a\"\"\u{301}\" (id INTEGER PRIMARY KEY, t TEXT DEFAULT 'it''\u{301}s')"
        try Silt.run("query", "--quiet", store, statement).expect(status: 0)
        let schema = try Silt.run("schema", store)
        schema.expect(status: 0)
        try Silt.run("query", "--quiet", copy, schema.text).expect(status: 0)
        #expect(try Silt.run("schema", copy).output == schema.output)
        try Silt.run("export", store, "a\"\u{301}").expect(status: 0)
    }
}
