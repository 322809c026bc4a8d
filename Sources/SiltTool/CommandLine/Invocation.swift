import Siltstone

/// A command with its parsed options and operands.
struct Invocation: Sendable {
    let command: Command
    private let arguments: ParsedArguments

    /// Checks the number of operands.
    /// - Throws: ``ToolError`` if it is wrong. The caller handles `--help` first.
    init(_ command: Command, _ arguments: ParsedArguments) throws(ToolError) {
        self.command = command
        self.arguments = arguments
        let count = arguments.operands.count
        if count < command.operandCount.lowerBound {
            throw .usage("missing \(command.operandNames[count])", command: command.name)
        }
        if count > command.operandCount.upperBound {
            let extra = arguments.operands[command.operandCount.upperBound]
            throw .usage("one operand too many: '\(extra)'", command: command.name)
        }
    }

    /// Whether an option was given.
    func has(_ option: Option) -> Bool { arguments.options[option] != nil }

    /// The last argument of an option; nil if it was not given.
    func value(_ option: Option) -> String? { arguments.options[option]?.last }

    /// All arguments of an option, in order; nil if it was not given.
    func values(_ option: Option) -> [String]? { arguments.options[option] }

    /// The operand at `index`; nil if it was left out.
    func operand(_ index: Int) -> String? {
        index < arguments.operands.count ? arguments.operands[index] : nil
    }

    /// The first operand, which is the store's path in most commands.
    var path: String { operand(0) ?? "" }

    /// An error of this command's command line.
    func usage(_ message: String) -> ToolError { .usage(message, command: command.name) }

    /// The argument of an option as a non-negative number.
    func number(_ option: Option) throws(ToolError) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), number >= 0 else { throw usage("--\(option.name) takes a number, not '\(text)'") }
        return number
    }

    /// The format chosen by `--format`; JSON lines by default.
    func format() throws(ToolError) -> RecordFormat {
        guard let name = value(.format) else { return .jsonLines }
        guard let format = RecordFormat(rawValue: name) else {
            throw usage("--format takes json or tsv, not '\(name)'")
        }
        return format
    }

    // MARK: Opening

    /// Runs `body` with the store, opened read-only without changes on disk, and closes it.
    func reading<R>(_ body: (KeyValueStore) throws -> R) throws -> R {
        var configuration = Configuration()
        configuration.readOnly = true
        configuration.createIfMissing = false
        return try KeyValueStore.open(at: path, configuration: configuration).closing(body)
    }

    /// Runs `body` with the store, opened for writing, and closes it.
    func writing<R>(createIfMissing: Bool = false, _ body: (KeyValueStore) throws -> R) throws -> R {
        try openForWriting(createIfMissing: createIfMissing).closing(body)
    }

    /// Opens the store for writing.
    func openForWriting(createIfMissing: Bool) throws(StoreError) -> KeyValueStore {
        var configuration = Configuration()
        configuration.createIfMissing = createIfMissing
        return try KeyValueStore.open(at: path, configuration: configuration)
    }

    /// Opens the store for writing; nil if it does not exist.
    func openExisting() throws(StoreError) -> KeyValueStore? {
        do throws(StoreError) { return try openForWriting(createIfMissing: false) } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }
}

extension KeyValueStore {
    /// Runs `body` and closes the store, even if `body` throws.
    func closing<R>(_ body: (KeyValueStore) throws -> R) throws -> R {
        let result: R
        do {
            result = try body(self)
        } catch {
            // The first error is thrown. An error of closing most likely has the same cause.
            do { try close() } catch {}
            throw error
        }
        try close()
        return result
    }
}
