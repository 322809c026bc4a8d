import Foundation
import Testing

@testable import SiltTool

struct DocumentationTests {
    /// A command of an example, with what is printed below it.
    private struct Step {
        var command: String
        var output: String
    }

    private func page() throws -> String {
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return String(
            decoding: try Data(contentsOf: root.appendingPathComponent("Docs/Tool.md")), as: UTF8.self)
    }

    /// The commands of all `console` blocks, in order.
    private func steps(_ page: String) -> [Step] {
        var steps: [Step] = []
        var isInside = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside = line == "```console"
            } else if isInside, line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2)), output: ""))
            } else if isInside, !steps.isEmpty {
                steps[steps.count - 1].output += line + "\n"
            }
        }
        return steps
    }

    @Test("The examples of Docs/Tool.md print what the page shows")
    func examples() throws {
        let steps = steps(try page())
        #expect(steps.count > 20)
        let directory = try TemporaryDirectory()
        for step in steps {
            let result = try Silt.shell("cd \"$0\" && { \(step.command); } 2>&1", directory.path)
            // A value is shown in a line of its own, as on a terminal; durations differ.
            let ending = result.text.isEmpty || result.text.hasSuffix("\n") ? "" : "\n"
            let printed = (result.text + ending).replacing(/\bin [0-9.]+ s\n/, with: "in 0.0 s\n")
            #expect(printed == step.output, "$ \(step.command)")
        }
    }

    @Test("Every command has a section with its options", arguments: Tool.commands.map(\.name))
    func sections(_ name: String) throws {
        let command = try #require(Tool.commands.first { $0.name == name })
        let page = try page()
        let start = try #require(page.range(of: "\n### \(name)\n"))
        let rest = page[start.upperBound...]
        let section = rest[..<(rest.range(of: "\n#")?.lowerBound ?? rest.endIndex)]
        #expect(section.contains("    silt \(name) "))
        for option in command.options where !Option.range.contains(option) {
            #expect(section.contains("--\(option.name)"), "--\(option.name)")
        }
    }
}
