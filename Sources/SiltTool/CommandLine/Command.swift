/// One command of the tool: what its help says, and what it does.
struct Command: Sendable {
    /// The word that calls it.
    let name: String
    /// Its operands as the help shows them: `STORE KEY [VALUE]`. What is in brackets may be left out.
    let operands: String
    /// One line for the list of commands.
    let summary: String
    /// What one has to know, in paragraphs of lines.
    let discussion: String
    /// Its options, without `--help`.
    let options: [Option]
    /// Command lines that work.
    let examples: [String]
    /// Does it.
    let run: @Sendable (Invocation) throws -> ExitCode

    /// How many operands it takes.
    var operandCount: ClosedRange<Int> {
        let words = operands.split(separator: " ")
        return words.count { !$0.hasPrefix("[") }...words.count
    }

    /// The operand names in order, without brackets.
    var operandNames: [String] { operands.split(separator: " ").map { $0.filter { $0 != "[" && $0 != "]" } } }
}
