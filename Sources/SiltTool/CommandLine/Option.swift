/// An option of a command.
struct Option: Hashable, Sendable {
    /// The long name, without dashes.
    let name: String
    /// The short name; nil if there is none.
    let letter: Character?
    /// The name of its argument in the help; nil if it takes none.
    let argument: String?
    let help: String

    init(_ name: String, letter: Character? = nil, argument: String? = nil, _ help: String) {
        self.name = name
        self.letter = letter
        self.argument = argument
        self.help = help
    }
}

/// Options shared by several commands, so that a name means the same everywhere.
extension Option {
    static let help = Option("help", letter: "h", "print this help and exit")
    static let json = Option("json", letter: "j", "report as JSON")
    static let quiet = Option("quiet", letter: "q", "no progress and no summary")

    static let keyHex = Option("key-hex", "keys on the command line are hexadecimal")
    static let keyBase64 = Option("key-base64", "keys on the command line are base64")

    static let from = Option("from", argument: "KEY", "start at KEY")
    static let to = Option("to", argument: "KEY", "stop before KEY")
    static let prefix = Option("prefix", letter: "p", argument: "KEY", "only keys that begin with KEY")
    static let reverse = Option("reverse", letter: "r", "last key first")
    static let limit = Option("limit", letter: "n", argument: "COUNT", "stop after COUNT records")

    static let format = Option(
        "format", letter: "f", argument: "FORMAT", "json (JSON lines, the default) or tsv (tab-separated)")

    /// The options of ``KeyRange``.
    static let range: [Option] = [.from, .to, .prefix, .reverse, .limit, .keyHex, .keyBase64]
}
