/// One command of the tool: its help and its action.
struct Command: Sendable {
    /// The word that names it on the command line.
    let name: String
    /// The operands, as the help shows them: `STORE KEY [VALUE]`. Brackets mark optional ones.
    let operands: String
    /// One line for the list of commands.
    let summary: String
    /// The help text, in paragraphs of lines.
    let discussion: String
    /// Its options, without `--help`.
    let options: [Option]
    /// Complete command lines.
    let examples: [String]
    /// Runs the command.
    let run: @Sendable (Invocation) throws -> ExitCode

    /// The allowed numbers of operands.
    var operandCount: ClosedRange<Int> {
        let words = operands.split(separator: " ")
        return words.count { !$0.hasPrefix("[") }...words.count
    }

    /// The names of the operands, in order, without brackets.
    var operandNames: [String] { operands.split(separator: " ").map { $0.filter { $0 != "[" && $0 != "]" } } }
}
