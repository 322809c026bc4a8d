import CRUDKit
import Siltstone
import Testing

@testable import SiltTool

struct CommandTests {
    @Test(
        "Every command's help shows how it is called, its options and an example of it",
        arguments: Tool.commands.map(\.name))
    func help(_ name: String) throws {
        let command = try #require(Tool.commands.first { $0.name == name })
        let text = Help.command(command)
        let operand = ["demo": "[DIRECTORY]", "move": "FROM TO"][name] ?? "STORE"
        #expect(text.hasPrefix("Usage: silt \(name) [OPTION]... \(operand)"))
        for option in command.options + [.help] { #expect(text.contains("--\(option.name)")) }
        #expect(!command.examples.isEmpty)
        for example in command.examples { #expect(example.contains("silt \(name)")) }
        for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
        #expect(Help.tool(Tool.commands).contains("\n  \(name) "))
    }

    @Test("No command has two options of one name or letter", arguments: Tool.commands.map(\.name))
    func uniqueOptions(_ name: String) throws {
        let command = try #require(Tool.commands.first { $0.name == name })
        let options = command.options + [.help]
        #expect(Set(options.map(\.name)).count == options.count)
        let letters = options.compactMap(\.letter)
        #expect(Set(letters).count == letters.count)
    }

    @Test("Operands are counted by their names")
    func operandCounts() throws {
        #expect(Command.put.operandCount == 2...3)
        #expect(Command.stat.operandCount == 1...1)
        #expect(Command.load.operandNames == ["STORE", "FILE"])
        let error = #expect(throws: ToolError.self) {
            try Invocation(.get, ParsedArguments(operands: ["store"]))
        }
        #expect(error?.message == "get: missing KEY; see 'silt get --help'")
        #expect(throws: ToolError.self) { try Invocation(.stat, ParsedArguments(operands: ["a", "b"])) }
    }

    @Test(
        "Every error of the engine has its exit status",
        arguments: [
            (StoreError.Code.locked, ExitCode.locked), (.corrupt, .corrupt), (.unsupportedFormat, .corrupt),
            (.notFound, .usage), (.notAStore, .usage), (.tooLarge, .usage), (.invalidArgument, .usage),
            (.inputOutput, .inputOutput), (.noSpace, .inputOutput), (.permissionDenied, .inputOutput),
            (.refusesWrites, .inputOutput),
        ])
    func exitCodes(_ code: StoreError.Code, _ exitCode: ExitCode) {
        #expect(Failure(StoreError(code, "no")).exitCode == exitCode)
    }

    @Test("An error is one line with its file and offset, whatever its message holds")
    func oneLine() {
        let error = StoreError(.corrupt, "bad\nchecksum", file: "a\nb", offset: 12)
        #expect(Failure(error).line == "silt: bad checksum [a b, offset 12]")
        #expect(Failure(StoreError(.locked, "held", file: "f")).line == "silt: held [f]")
        #expect(Failure(ToolError.usage("what")).line == "silt: what; see 'silt --help'")
    }

    @Test("Errors of repositories are sentences with an exit status")
    func repositoryErrors() {
        let failure = Failure(CRUDRepositoryError.databaseError(reason: "The disk is full."))
        #expect(failure.message == "The database failed: The disk is full." && failure.exitCode == .inputOutput)
        #expect(Failure(CRUDRepositoryError.recordAlreadyExists(id: "a")).exitCode == .usage)
        #expect(Failure(CRUDRepositoryError.unknownOutcome(reason: "x")).exitCode == .inputOutput)
    }
}
