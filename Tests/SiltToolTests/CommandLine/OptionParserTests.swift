import Testing

@testable import SiltTool

struct OptionParserTests {
    private let options: [Option] = [.format, .limit, .reverse, .from, .json]

    private func parse(_ arguments: String...) throws(ToolError) -> ParsedArguments {
        try OptionParser.parse(arguments, options: options, command: "dump")
    }

    @Test("Options stand anywhere, long or short, with their arguments joined or apart")
    func spellings() throws {
        let parsed = try parse("a", "--limit", "5", "-f", "tsv", "b", "-r", "--from=k=v")
        #expect(parsed.operands == ["a", "b"])
        #expect(parsed.options == [.limit: ["5"], .format: ["tsv"], .reverse: [""], .from: ["k=v"]])
        #expect(try parse("-rn5", "-ftsv").options == [.reverse: [""], .limit: ["5"], .format: ["tsv"]])
        #expect(try parse("--lim=1", "--limit=2").options == [.limit: ["1", "2"]])
    }

    @Test("After two dashes everything is an operand")
    func endOfOptions() throws {
        let parsed = try parse("-r", "--", "-n", "--from", "-")
        #expect(parsed.operands == ["-n", "--from", "-"])
        #expect(parsed.options == [.reverse: [""]])
        #expect(try parse("-", "").operands == ["-", ""])
    }

    @Test(
        "A wrong option is named",
        arguments: [
            (["--bogus"], "unknown option --bogus"),
            (["-z"], "unknown option -z"),
            (["-rz"], "unknown option -z"),
            (["a", "-é"], "unknown option -é"),
            (["-r", "a", "-€", "b"], "unknown option -€"),
            (["--limit"], "option --limit needs an argument"),
            (["-n"], "option -n needs an argument"),
            (["--reverse=1"], "option --reverse takes no argument"),
        ])
    func mistakes(_ arguments: [String], _ message: String) {
        let error = #expect(throws: ToolError.self) {
            try OptionParser.parse(arguments, options: options, command: "dump")
        }
        #expect(error?.exitCode == .usage)
        #expect(error?.message == "dump: \(message); see 'silt dump --help'")
    }

    @Test("Command lines read one after the other do not disturb each other")
    func restarts() throws {
        for _ in 0..<3 {
            #expect(throws: ToolError.self) { try parse("-rz", "x", "--bogus") }
            #expect(try parse("-r", "x").operands == ["x"])
        }
    }
}
