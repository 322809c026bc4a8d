/// Reads the command line.
struct OptionParser {
    private var arguments: ArraySlice<String>

    /// - Parameter arguments: without the program's name.
    init(_ arguments: [String]) { self.arguments = arguments[...] }

    /// What a command line asks for.
    enum Command {
        case help
        case run(Options)
    }

    /// - Throws: ``BenchmarkError`` where it makes no sense.
    mutating func parse() throws -> Command {
        var options = Options()
        var workloads = WorkloadRun.defaultList
        while let argument = arguments.popFirst() {
            let (name, attached) = Self.split(argument)
            switch name {
            case "--help", "-h": return .help
            case "--engines": options.engines = try engines(value(name, attached))
            case "--workloads": workloads = try value(name, attached)
            case "--num": options.count = try number(name, attached, in: 100...500_000_000)
            case "--value-size": options.valueBytes = try number(name, attached, in: 16...(1 << 20))
            case "--threads": options.threads = try number(name, attached, in: 1...256)
            case "--repeat": options.rounds = try number(name, attached, in: 1...100)
            case "--prewarm-mb": options.prewarmBytes = try number(name, attached, in: 0...65536) << 20
            case "--dir": options.directory = try value(name, attached) + "/silt-bench"
            case "--json": options.jsonPath = try value(name, attached)
            case "--html": options.htmlPath = try value(name, attached)
            default: throw BenchmarkError("no option '\(name)'; see --help")
            }
        }
        options.workloads = try workloads.split(separator: ",").map { try WorkloadRun($0, threads: options.threads) }
        if options.workloads.isEmpty { throw BenchmarkError("--workloads: name one at least") }
        return .run(options)
    }

    /// `--name=value` in two parts.
    private static func split(_ argument: String) -> (name: String, value: String?) {
        guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return (argument, nil) }
        return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
    }

    private mutating func value(_ name: String, _ attached: String?) throws -> String {
        guard let value = attached ?? arguments.popFirst(), !value.isEmpty else {
            throw BenchmarkError("\(name) needs a value")
        }
        return value
    }

    private mutating func number(_ name: String, _ attached: String?, in range: ClosedRange<Int>) throws -> Int {
        let text = try value(name, attached)
        guard let number = Int(text.filter { $0 != "_" && $0 != "," }), range.contains(number) else {
            throw BenchmarkError(
                "\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return number
    }

    private func engines(_ text: String) throws -> [EngineKind] {
        if text == "all" { return EngineKind.available }
        var engines: [EngineKind] = []
        for name in text.split(separator: ",") {
            guard let engine = EngineKind(rawValue: String(name)) else {
                throw BenchmarkError("no engine '\(name)'; there are \(EngineKind.allCases.map(\.rawValue))")
            }
            guard EngineKind.available.contains(engine) else {
                throw BenchmarkError("silt-bench was built without \(engine.title): see Benchmarks/README.md")
            }
            if !engines.contains(engine) { engines.append(engine) }
        }
        guard !engines.isEmpty else { throw BenchmarkError("--engines: name one at least") }
        return engines
    }
}
