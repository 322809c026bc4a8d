import TableKit

/// The tool: finds the command, runs it, and turns errors into one line and an exit status.
enum Tool {
    static let version = "1.0.0"

    /// All commands, in the order of the help. A new command is a file in `Commands/` and an entry here.
    static let commands: [Command] = [
        .put, .get, .delete, .scan, .load, .dump, .stat, .verify, .compact, .repair, .checkpoint, .report,
        .tables, .schema, .query, .explain, .analyze, .import, .export, .move, .demo,
    ]

    /// Runs a command line, without the program's name.
    static func run(_ arguments: Result<[String], ToolError>) -> ExitCode {
        // The tool prints errors itself, once.
        CRUDLogging.errorLogDestinations = []
        do {
            return try dispatch(try arguments.get())
        } catch {
            let failure = Failure(error)
            // The reader of the output closed it on purpose: no error to report.
            if failure.exitCode != .brokenPipe { Terminal.printError(failure.line + "\n") }
            return failure.exitCode
        }
    }

    private static func dispatch(_ arguments: [String]) throws -> ExitCode {
        guard let first = arguments.first else { throw ToolError.usage("no command given") }
        switch first {
        case "-h", "--help":
            try Terminal.print(Help.tool(commands))
        case "help":
            let name = arguments.dropFirst().first
            try Terminal.print(try name.map { Help.command(try command($0)) } ?? Help.tool(commands))
        case "--version":
            try Terminal.print("silt \(version)\n")
        default:
            let command = try command(first)
            let parsed = try OptionParser.parse(
                Array(arguments.dropFirst()), options: command.options + [.help], command: command.name)
            if parsed.options[.help] != nil {
                try Terminal.print(Help.command(command))
                return .success
            }
            return try command.run(try Invocation(command, parsed))
        }
        return .success
    }

    private static func command(_ name: String) throws(ToolError) -> Command {
        guard let command = commands.first(where: { $0.name == name }) else {
            throw .usage(name.hasPrefix("-") ? "unknown option \(name)" : "unknown command '\(name)'")
        }
        return command
    }
}

/// The arguments of the process.
enum Arguments {
    /// The arguments, without the program's name.
    ///
    /// Read from C and checked, because `CommandLine.arguments` replaces invalid UTF-8: a key in another encoding would
    /// become a different key.
    static func ofProcess() -> Result<[String], ToolError> {
        var arguments: [String] = []
        for index in 1..<max(Int(CommandLine.argc), 1) {
            guard let pointer = unsafe CommandLine.unsafeArgv[index] else { break }
            guard let argument = unsafe String(validatingCString: pointer) else {
                return .failure(
                    .usage(
                        "argument \(index) is not UTF-8; use --key-hex for such keys, standard input for such values"))
            }
            arguments.append(argument)
        }
        return .success(arguments)
    }
}
