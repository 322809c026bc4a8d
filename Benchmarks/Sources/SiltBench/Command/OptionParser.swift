/// Reads the command line.
struct OptionParser {
    private var arguments: ArraySlice<String>
    /// The names of the options that were given.
    private var given: Set<String> = []

    /// - Parameter arguments: without the program's name.
    init(_ arguments: [String]) { self.arguments = arguments[...] }

    /// What a command line asks for.
    enum Command {
        case help
        case run(Options)
    }

    /// What decides the sections, gathered until all of it is known.
    private struct Choice {
        var set = SectionSet.standard
        var names: [String]?
        var workloads: String?
        var counts = [1_000_000]
        var valueBytes = 100
        var keys = KeySpace.decimal
        var threads = 1
        var hasDefaultCompression = false
        var hasWriteMap = false
    }

    /// - Throws: ``BenchmarkError`` where it makes no sense.
    mutating func parse() throws -> Command {
        var options = Options()
        var choice = Choice()
        while let argument = arguments.popFirst() {
            let (name, attached) = Self.split(argument)
            given.insert(name)
            switch name {
            case "--help", "-h":
                try flag(name, attached)
                return .help
            case "--engines": options.engines = try engines(value(name, attached))
            case "--set": choice.set = try named(name, attached, SectionSet.allCases)
            case "--sections": choice.names = try value(name, attached).split(separator: ",").map(String.init)
            case "--workloads": choice.workloads = try value(name, attached)
            case "--num": choice.counts = try numbers(name, attached, in: 100...500_000_000)
            case "--value-size": choice.valueBytes = try number(name, attached, in: 16...(1 << 20))
            case "--keys": choice.keys = try named(name, attached, KeySpace.allCases)
            case "--defaults": choice.hasDefaultCompression = try flag(name, attached)
            case "--lmdb-writemap": choice.hasWriteMap = try flag(name, attached)
            case "--threads": choice.threads = try number(name, attached, in: 1...256)
            case "--repeat": options.rounds = try number(name, attached, in: 1...100)
            case "--prewarm-mb": options.prewarmBytes = try number(name, attached, in: 0...65536) << 20
            case "--embedded": options.isEmbedding = try flag(name, attached)
            case "--dir": options.directory = try value(name, attached) + "/silt-bench"
            case "--from": options.inputPaths = try value(name, attached).split(separator: ",").map(String.init)
            case "--json": options.jsonPath = try value(name, attached)
            case "--html": options.htmlPath = try value(name, attached)
            case "--markdown": options.markdownPath = try value(name, attached)
            case "--plots": options.plotsPath = try value(name, attached)
            default: throw BenchmarkError("no option '\(name)'; see --help")
            }
        }
        try refuseIgnored(options)
        if !options.isEmbedding { options.sections = try sections(choice, options.engines) }
        return .run(options)
    }

    /// Where a result goes.
    private static let outputs: Set = ["--json", "--html", "--markdown", "--plots"]

    /// - Throws: ``BenchmarkError`` where an option would have no effect beside another.
    private func refuseIgnored(_ options: Options) throws {
        func refuse(_ names: Set<String>, _ reason: String) throws {
            let ignored = given.intersection(names).sorted()
            if let name = ignored.first { throw BenchmarkError("\(name) \(reason)") }
        }
        if given.contains("--from") {
            if options.inputPaths.isEmpty { throw BenchmarkError("--from names no file") }
            try refuse(given.subtracting(Self.outputs).subtracting(["--from"]), "means nothing beside --from")
        } else if options.isEmbedding {
            try refuse(given.subtracting(Self.outputs).subtracting(["--embedded"]), "means nothing beside --embedded")
        } else if given.contains("--workloads") {
            try refuse(["--set", "--sections"], "means nothing beside --workloads")
        } else {
            try refuse(["--keys", "--defaults", "--lmdb-writemap"], "needs --workloads")
        }
    }

    /// The sections of a set; or, where workloads are named, one with these for each number of keys.
    private func sections(_ choice: Choice, _ engines: [EngineKind]) throws -> [Section] {
        guard let workloads = choice.workloads else {
            guard choice.counts.count == 1, let count = choice.counts.first else {
                throw BenchmarkError("several numbers after --num need --workloads")
            }
            let sections = try choice.set.sections(
                count: count, valueBytes: choice.valueBytes, engines: engines, threads: choice.threads)
            guard let names = choice.names else {
                if sections.isEmpty { throw BenchmarkError("this set has no section for these engines alone") }
                return sections
            }
            // Of engines that are not there, a section may not be there either.
            let known = try choice.set.sections(
                count: count, valueBytes: choice.valueBytes, engines: EngineKind.named, threads: choice.threads)
            for name in names where !known.contains(where: { $0.isCalled(name) }) {
                throw BenchmarkError(
                    "no section '\(name)' in this set; there are \(known.map(\.name).joined(separator: ", "))")
            }
            let chosen = sections.filter { section in names.contains { section.isCalled($0) } }
            if chosen.isEmpty {
                throw BenchmarkError("--sections: nothing is left to measure with these engines")
            }
            return chosen
        }
        let engines = engines.filter(EngineKind.stores.contains)
        if engines.isEmpty { throw BenchmarkError("--workloads: nothing is left to measure with these engines") }
        let runs = try WorkloadRun.list(workloads, threads: choice.threads)
        if runs.isEmpty { throw BenchmarkError("--workloads: name one at least") }
        if choice.keys == .hashed, let run = runs.first(where: { $0.workload.needsOrder }) {
            throw BenchmarkError("\(run.name) needs keys whose order is known, not --keys hashed")
        }
        if Set(choice.counts).count < choice.counts.count { throw BenchmarkError("--num has a number twice") }
        return choice.counts.map { count in
            let size = Format.size(count)
            return Section(
                name: choice.counts.count == 1 ? Section.mainName : Section.growthPrefix + size,
                title: "\(size) keys, values of \(choice.valueBytes) bytes", count: count,
                valueBytes: choice.valueBytes, keys: choice.keys,
                hasDefaultCompression: choice.hasDefaultCompression, hasWriteMap: choice.hasWriteMap,
                engines: engines, workloads: runs)
        }
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

    /// An option that is there or not.
    /// - Returns: true.
    @discardableResult private func flag(_ name: String, _ attached: String?) throws -> Bool {
        if let attached { throw BenchmarkError("\(name) takes no value, not '\(attached)' either") }
        return true
    }

    private mutating func named<T: RawRepresentable<String>>(
        _ name: String, _ attached: String?, _ all: [T]
    ) throws -> T {
        let text = try value(name, attached)
        guard let found = all.first(where: { $0.rawValue == text }) else {
            throw BenchmarkError("\(name) takes one of \(all.map(\.rawValue).joined(separator: ", ")), not '\(text)'")
        }
        return found
    }

    private mutating func numbers(_ name: String, _ attached: String?, in range: ClosedRange<Int>) throws -> [Int] {
        let text = try value(name, attached)
        let numbers = try text.split(separator: ",").map { try Self.number(name, String($0), in: range) }
        if numbers.isEmpty { throw BenchmarkError("\(name) takes numbers, not '\(text)'") }
        return numbers
    }

    private mutating func number(_ name: String, _ attached: String?, in range: ClosedRange<Int>) throws -> Int {
        try Self.number(name, value(name, attached), in: range)
    }

    private static func number(_ name: String, _ text: String, in range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text.filter { $0 != "_" }), range.contains(number) else {
            throw BenchmarkError(
                "\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return number
    }

    private func engines(_ text: String) throws -> [EngineKind] {
        if text == "all" { return EngineKind.available }
        var engines: [EngineKind] = []
        for name in text.split(separator: ",") {
            guard let engine = EngineKind(rawValue: String(name)), EngineKind.named.contains(engine) else {
                throw BenchmarkError(
                    "no engine '\(name)'; there are \(EngineKind.named.map(\.rawValue).joined(separator: ", "))")
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
