import Foundation
import Testing

@testable import SiltTool

struct LoadDumpTests {
    /// Records with keys and values of any bytes; a key may come twice, and the last one counts.
    private func records(_ count: Int, seed: UInt64) -> [Pair] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map {
            Pair(Array("k\($0 % (count - count / 10))".utf8) + generator.bytes(3), generator.bytes(60))
        }
    }

    private func text(_ pairs: [Pair], _ format: RecordFormat) throws -> [UInt8] {
        Array(try pairs.map { try line($0, format) + [UInt8(ascii: "\n")] }.joined())
    }

    @Test("A dump is the input in order; what it loads into dumps the same bytes", arguments: RecordFormat.allCases)
    func roundTrip(_ format: RecordFormat) throws {
        let directory = try TemporaryDirectory()
        let pairs = records(400, seed: 19)
        let input = try directory.write("input", try text(pairs, format))
        let (first, second) = (directory.file("first"), directory.file("second"))
        try Silt.run("load", "--quiet", "--format", format.rawValue, first, input).expect(status: 0)

        let latest = Dictionary(pairs.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        let dump = try Silt.run("dump", "--format", format.rawValue, first)
        dump.expect(status: 0)
        #expect(dump.output == (try text(latest.values.sorted(), format)))

        try Silt.shell("\"$SILT\" dump \"$0\" | \"$SILT\" load -q \"$1\"", first, second).expect(status: 0)
        #expect(try Silt.run("dump", "--format", format.rawValue, second).output == dump.output)
        try Silt.run("verify", "--quiet", second).expect(status: 0)
    }

    @Test("A dump can be cut out of a store")
    func ranges() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        try Silt.run("load", "-q", "-f", "tsv", store, input: Array("a\t1\nab\t2\nb\t3\nc\t4\n".utf8)).expect(status: 0)
        #expect(try Silt.run("dump", "-f", "tsv", "--prefix", "a", store).text == "a\t1\nab\t2\n")
        #expect(try Silt.run("dump", "-f", "tsv", "--from", "ab", "--to", "c", "-r", store).text == "b\t3\nab\t2\n")
        #expect(try Silt.run("dump", "-f", "tsv", "-n", "1", store).text == "a\t1\n")
    }

    @Test("A byte order mark is skipped before JSON lines, and is part of a key of TSV")
    func byteOrderMark() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        let json = Array("\u{feff}{\"key\":\"a\",\"value\":\"1\"}\n".utf8)
        try Silt.run("load", "-q", store, input: json).expect(status: 0)
        try Silt.run("load", "-q", "-f", "tsv", store, input: Array("\u{feff}b\t2\n".utf8)).expect(status: 0)
        #expect(try Silt.run("dump", "-f", "tsv", store).output == Array("a\t1\n\u{feff}b\t2\n".utf8))
        try Silt.run("load", "-q", store, input: Array("\n".utf8) + json).expect(status: 2, error: ":2:1: ")
    }

    @Test("A broken line is named by its number, and nothing is loaded, from a file and from a pipe")
    func brokenLine() throws {
        let directory = try TemporaryDirectory()
        let good = try text(records(1_000, seed: 23), .jsonLines)
        let input = try directory.write("input.jsonl", good + Array("{\"key\":\"a\" \"value\":\"1\"}\n".utf8) + good)
        let store = directory.file("store")
        try Silt.run("load", store, input).expect(
            status: 2, error: "input.jsonl:1001:12: expected ',' or '}'; nothing was loaded")
        #expect(!FileManager.default.fileExists(atPath: store))
        try Silt.run("put", store, "k", "v").expect(status: 0)
        try Silt.run("load", store, input).expect(status: 2, error: ":1001:12: ")
        try Silt.shell("cat \"$1\" | \"$SILT\" load \"$0\"", store, input).expect(
            status: 2, error: "standard input:1001:12: ")
        #expect(try Silt.run("scan", store).text == "k = v\n")
    }

    @Test("With --partial, what comes before a broken line is loaded, and only that")
    func partial() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        let input = Array("a\t1\nb\t2\nbroken\nc\t3\n".utf8)
        try Silt.run("load", "--partial", "-f", "tsv", store, input: input).expect(
            status: 2, error: "standard input:3:7: expected a tab between key and value; records loaded before it: 2")
        #expect(try Silt.run("dump", "-f", "tsv", store).text == "a\t1\nb\t2\n")
    }

    @Test("A key that is too long is found before anything is loaded")
    func tooLong() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        let input = "a\t1\n" + String(repeating: "k", count: 1 << 20) + "\t2\n"
        try Silt.run("load", "-f", "tsv", store, input: Array(input.utf8)).expect(
            status: 2, error: ":2:1: a key of 1048576 bytes")
        #expect(!FileManager.default.fileExists(atPath: store))
        try Silt.run("put", store, String(repeating: "k", count: 100_000), "v").expect(status: 2, error: "100000 bytes")
    }

    @Test("A load reports what it did")
    func report() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        let input = Array("ab\t1\n\nb\t234".utf8)
        let report = try Silt.run("load", "--json", "--sync", "-f", "tsv", store, input: input)
        report.expect(status: 0)
        for member in ["\"records\" : 2", "\"keyBytes\" : 3", "\"valueBytes\" : 4", "\"inputBytes\" : 11"] {
            #expect(report.text.contains(member), "\(report.text)")
        }
        let text = try Silt.run("load", "-f", "tsv", store, "-", input: input).text
        #expect(text.hasPrefix("loaded 2 records from 11 B in "))
        #expect(try Silt.run("load", "-q", "-f", "tsv", store, input: input).output == [])
    }

    @Test("Whoever reads a dump may stop: no complaint")
    func brokenPipe() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        // More than a pipe and the output buffer hold together.
        let value = String(repeating: "v", count: 1000)
        let text = (0..<1000).map { "key\($0)\t\(value)\n" }.joined()
        let input = try directory.write("input", Array(text.utf8))
        try Silt.run("load", "-q", "-f", "tsv", store, input).expect(status: 0)
        let head = try Silt.shell("\"$SILT\" dump -f tsv \"$0\" | head -n 1", store)
        head.expect(status: 0)
        #expect(head.text == "key0\t\(value)\n")
    }

    @Test(
        "Output that cannot be written is an error", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullOutput() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        try Silt.run("put", store, "k", "v").expect(status: 0)
        for command in ["dump", "scan", "stat", "get --raw", "verify --json"] {
            try Silt.shell("\"$SILT\" \(command) \"$0\" \(command.hasPrefix("get") ? "k" : "") > /dev/full", store)
                .expect(status: 5, error: "cannot write standard output")
        }
    }
}
