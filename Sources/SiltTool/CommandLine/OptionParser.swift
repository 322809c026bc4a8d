// `@preconcurrency`: getopt_long(3) reports through global variables, which the lock below guards.
@unsafe @preconcurrency import CGetopt
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A parsed command line: options with their arguments, and operands.
struct ParsedArguments: Sendable {
    /// Each given option with its arguments in order; empty strings for options without arguments.
    var options: [Option: [String]] = [:]
    var operands: [String] = []
}

/// The C library's option parser: options in any place, `--name=value`, `-n5`, combined letters, unique prefixes of
/// long names, and `--` before operands that begin with a dash.
enum OptionParser {
    /// getopt_long(3) keeps its state in global variables.
    private static let lock = Mutex(())

    /// Parses a command line.
    /// - Parameters:
    ///   - arguments: the arguments, without the name of the program or command.
    ///   - command: the command, for messages; nil for the tool.
    /// - Throws: ``ToolError`` for an unknown option, a missing argument, or an unexpected one.
    static func parse(_ arguments: [String], options: [Option], command: String? = nil) throws(ToolError)
        -> ParsedArguments
    {
        let result = lock.withLock { _ in
            unsafe withCStrings([command ?? "silt"] + arguments) { argv in
                unsafe withLongOptions(options) { table in
                    unsafe parse(argv, Int32(arguments.count + 1), options, table, command)
                }
            }
        }
        return try result.get()
    }

    /// The first value for long options; getopt_long returns it plus the option's index. Greater than every letter.
    private static let firstValue: Int32 = 256

    private static func parse(
        _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ count: Int32, _ options: [Option],
        _ table: UnsafePointer<option>, _ command: String?
    ) -> Result<ParsedArguments, ToolError> {
        // The leading colon makes getopt_long return ':' for a missing argument and print nothing.
        var letters = ":"
        for option in options {
            if let letter = option.letter { letters += "\(letter)" + (option.argument == nil ? "" : ":") }
        }
        restart()
        var parsed = ParsedArguments()
        while true {
            let found = unsafe getopt_long(count, argv, letters, table, nil)
            if found == -1 { break }
            guard let option = match(found, options) else {
                return unsafe .failure(.usage(problem(found, argv, options), command: command))
            }
            unsafe parsed.options[option, default: []].append(optarg.map { unsafe String(cString: $0) } ?? "")
        }
        for index in Int(optind)..<Int(count) {
            if let operand = unsafe argv[index] { unsafe parsed.operands.append(String(cString: operand)) }
        }
        return .success(parsed)
    }

    private static func restart() {
        opterr = 0
        #if canImport(Darwin)
        optreset = 1
        optind = 1
        #else
        optind = 0  // glibc and musl: also resets the state of the last command line
        #endif
    }

    /// The option for a result of getopt_long.
    private static func match(_ found: Int32, _ options: [Option]) -> Option? {
        if found >= firstValue { return options[Int(found - firstValue)] }
        return options.first { $0.letter?.asciiValue.map(Int32.init) == found }
    }

    /// The message for a result of '?' or ':'.
    private static func problem(
        _ found: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ options: [Option]
    ) -> String {
        // optopt is the letter, or the first byte of one that is not ASCII, negative where char is signed. For long
        // options it is 0 or the option's value. optind is behind the argument, unless letters of it are left.
        let last = unsafe argv[max(Int(optind) - 1, 0)].map { unsafe String(cString: $0) } ?? ""
        let shown: String
        if optopt != 0, optopt < firstValue, !(1..<0x80).contains(optopt) {
            let arguments = [optind, optind - 1].compactMap { index in
                unsafe argv[max(Int(index), 0)].map { unsafe String(cString: $0) }
            }
            shown = arguments.first { $0.hasPrefix("-") && $0.utf8.contains { $0 >= 0x80 } } ?? last
        } else if optopt > 0, optopt < firstValue {
            shown = "-\(Character(Unicode.Scalar(UInt8(truncatingIfNeeded: optopt))))"
        } else if let option = match(optopt, options) {
            shown = "--\(option.name)"
        } else {
            shown = last
        }
        if found == Int32(UInt8(ascii: ":")) { return "option \(shown) needs an argument" }
        return optopt >= firstValue ? "option \(shown) takes no argument" : "unknown option \(shown)"
    }

    // MARK: C arrays

    /// Passes `strings` to `body` as an array of C strings with a null pointer at the end.
    private static func withCStrings<R>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(&pointers)
    }

    /// Passes the table of long options to `body`, with an empty entry at the end.
    private static func withLongOptions<R>(_ options: [Option], _ body: (UnsafePointer<option>) -> R) -> R {
        let names = unsafe options.map { unsafe strdup($0.name) }
        defer { unsafe names.forEach { unsafe free($0) } }
        var table: [option] = unsafe []
        for (index, entry) in options.enumerated() {
            let takes = entry.argument == nil ? no_argument : required_argument
            unsafe table.append(option(name: names[index], has_arg: takes, flag: nil, val: firstValue + Int32(index)))
        }
        unsafe table.append(option(name: nil, has_arg: 0, flag: nil, val: 0))
        return unsafe body(&table)
    }
}
