/// The texts of `--help`.
enum Help {
    /// The help of the tool.
    static func tool(_ commands: [Command]) -> String {
        let width = commands.map(\.name.count).max() ?? 0
        let list = commands.map { "  " + $0.name.padded(to: width + 2) + $0.summary }.joined(separator: "\n")
        return """
            Usage: silt COMMAND STORE ...

            Reads, changes and looks after a Siltstone store, which is a directory of files.
            The store must not be open in another process, unless both only read.

            Commands:
            \(list)

            Options:
              -h, --help   print this help and exit; 'silt COMMAND --help' tells about a command
              --version    print the version and exit

            Exit status:
              0  done
              1  the key is not in the store, the table of export or schema is not, verify found
                 damage, or move a difference
              2  the command line, the input or a statement is wrong (a table that it names is
                 missing, for example), or a path cannot be used
              3  another process owns the store, or moves into the same target
              4  the store is damaged, or of a format that this release does not know
              5  the system refused: permission, space, a failing disk, a broken output
            Where the reader of the output goes away, SIGPIPE ends the tool (141 if it is ignored).

            Example:
              silt put people.silt ada 'Ada Lovelace' && silt get people.silt ada

            """
    }

    /// The help of one command.
    static func command(_ command: Command) -> String {
        var text = "Usage: silt \(command.name) [OPTION]... \(command.operands)\n\n"
        text += command.discussion + "\n\nOptions:\n"
        let options = command.options + [.help]
        let width = options.map { label($0).count }.max() ?? 0
        for option in options { text += "  " + label(option).padded(to: width + 2) + option.help + "\n" }
        text += command.examples.count == 1 ? "\nExample:\n" : "\nExamples:\n"
        for example in command.examples { text += "  " + example + "\n" }
        return text
    }

    private static func label(_ option: Option) -> String {
        let letter = option.letter.map { "-\($0), " } ?? "    "
        return letter + "--" + option.name + (option.argument.map { " " + $0 } ?? "")
    }
}

extension String {
    /// Pads the text with trailing spaces to at least `width` characters.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// Pads the text with leading spaces to at least `width` characters.
    func indented(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
