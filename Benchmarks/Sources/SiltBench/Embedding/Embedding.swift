import Foundation

/// What it costs a program to have Siltstone in it.
struct Embedding: Codable, Sendable {
    struct Row: Codable, Sendable {
        var name: String
        var value: String
    }

    var rows: [Row]

    /// Builds two programs as one would ship them, with the standard library linked in, and looks at them: the first
    /// program of the README, and one that tells what it uses at each step.
    static func measure(_ note: (String) -> Void) throws -> Embedding {
        note("building the two programs; the first time takes some minutes")
        let options = ["build", "-c", "release", "--static-swift-stdlib", "--package-path", package]
        _ = try run("swift", options, isShown: true)
        let folder = try run("swift", options + ["--show-bin-path"]).trimmingCharacters(in: .whitespacesAndNewlines)
        let work = FileManager.default.temporaryDirectory.path + "/silt-bench-embedding-\(getpid())"
        return try Interruption.withDirectory(work, note: note) { try look(at: folder, work) }
    }

    private static func look(at folder: String, _ work: String) throws -> Embedding {
        var rows = try sizes(folder, work)
        rows.append(Row(name: "one run of the README's program, process included", value: try runtime(folder, work)))
        // The middle one of several, by the time to the first write.
        let runs = try (0..<5).map { try probe("\(folder)/probe", "\(work)/probe-\($0)") }
        let sorted = runs.sorted { ($0.first?.sortingValue ?? 0) < ($1.first?.sortingValue ?? 0) }
        rows += sorted[sorted.count / 2].map { Row(name: $0.name, value: $0.value) }
        return Embedding(rows: rows)
    }

    /// The package of the two programs, beside this one's sources.
    private static var package: String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return folder.appendingPathComponent("../../../Embedding").standardizedFileURL.path
    }

    private static func sizes(_ folder: String, _ work: String) throws -> [Row] {
        func size(_ path: String) throws -> String {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return Format.bytes((attributes[.size] as? Int) ?? 0)
        }
        var rows = [
            Row(
                name: "release binary of the README's program, Swift's library in it",
                value: try size("\(folder)/first"))
        ]
        _ = try run("strip", ["-o", "\(work)/first", "\(folder)/first"])
        rows.append(Row(name: "the same, stripped", value: try size("\(work)/first")))
        return rows
    }

    /// How long the README's program takes from start to end, in a directory where it has run before.
    private static func runtime(_ folder: String, _ work: String) throws -> String {
        let times = try (0..<10).map { _ in
            try Clock.seconds { _ = try run("\(folder)/first", [], in: work) } * 1000
        }
        return Format.milliseconds(times.median)
    }

    /// What the probe says: lines of a name, a tab and a value.
    private static func probe(_ path: String, _ store: String) throws -> [ProbeLine] {
        try run(path, [store]).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t")
            return parts.count == 2 ? ProbeLine(name: String(parts[0]), value: String(parts[1])) : nil
        }
    }

    private struct ProbeLine {
        var name: String
        var value: String
        var sortingValue: Double { Double(value.prefix { $0.isNumber || $0 == "." }) ?? 0 }
    }

    /// Runs a program of the search path.
    /// - Parameter isShown: whether what it prints is shown as it comes.
    /// - Returns: what it prints.
    private static func run(
        _ program: String, _ arguments: [String], in directory: String? = nil, isShown: Bool = false
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        let output = Pipe()
        process.standardOutput = isShown ? FileHandle.standardError : output
        try Interruption.start(process)
        let text = isShown ? "" : String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        Interruption.ended()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("\(program) \(arguments.joined(separator: " ")) has failed:\n\(text)")
        }
        return text
    }
}
