import Foundation
import Testing

/// Output before an error is printed.
struct OutputBeforeErrorTests {
    private let directory: TemporaryDirectory
    private var store: String { directory.file("s") }

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "query prints the rows of the statements before the one that fails", arguments: ["--csv", "--json", "--quiet"])
    func query(style: String) throws {
        try Silt.run("query", "--quiet", store, "CREATE TABLE P (id INTEGER PRIMARY KEY, name TEXT)").expect(status: 0)
        let insert = "INSERT INTO P VALUES (20, 'a') RETURNING id"
        let result = try Silt.run("query", style, store, "\(insert); \(insert)")
        result.expect(status: 2)
        let expected = ["--csv": "id\n20\n", "--json": "{\"id\":20}\n", "--quiet": "id\n--\n20\n"]
        #expect(result.text == expected[style])
        #expect(try Silt.run("query", "--csv", store, "SELECT id FROM P").text == "id\n20\n")
    }

    @Test("dump and scan print whole records up to the damage", arguments: ["dump", "scan"])
    func damaged(command: String) throws {
        let value = String(repeating: "v", count: 60)
        let lines = (1000..<5000).map { "key\($0)\t\(value)\($0)\n" }.joined()
        try Silt.run("load", "--quiet", "--format", "tsv", store, input: Array(lines.utf8)).expect(status: 0)
        try Silt.run("compact", "--quiet", store).expect(status: 0)
        let whole = try Silt.run(command, store).output
        let segment = try #require(try AttackedStore.files(".segment", in: store).first)
        try AttackedStore.damage(segment, in: store)
        let result = try Silt.run(command, store)
        result.expect(status: 4, error: segment)
        #expect(result.output.last == UInt8(ascii: "\n"))
        #expect(result.output.count < whole.count && whole.starts(with: result.output))
    }
}
