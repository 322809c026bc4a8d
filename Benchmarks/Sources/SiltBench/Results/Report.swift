import Foundation

/// Everything that a run has found out.
struct Report: Codable, Sendable {
    /// An engine that failed, and why.
    struct Failure: Codable, Sendable {
        /// Nil where it is the harness itself that failed.
        var engine: EngineKind?
        var section: String
        var round: Int
        var text: String

        /// All of it.
        var description: String { "\(section), \(engine?.title ?? "all"), round \(round + 1): \(text)" }
    }

    /// A section that cannot be measured on this machine, or one engine of it, and why.
    struct Skipped: Codable, Sendable {
        var section: String
        /// Nil where it is the whole section.
        var engine: EngineKind?
        var reason: String

        /// All of it.
        var description: String { "\(section)\(engine.map { ", \($0.title)," } ?? "") is left out: \(reason)" }
    }

    /// The machine that it was measured on.
    struct Host: Codable, Sendable {
        var processor = Machine.processor
        var cores = ProcessInfo.processInfo.activeProcessorCount
        var memoryBytes = Int(ProcessInfo.processInfo.physicalMemory)
        var system = ProcessInfo.processInfo.operatingSystemVersionString
        var date = ISO8601DateFormatter().string(from: Date())
    }

    var options: Options
    var host = Host()
    var engines: [EngineDescription] = []
    var limits = RawLimits.Readings()
    var measurements: [Measurement] = []
    var failures: [Failure] = []
    /// Sections that were asked for and left out.
    var skipped: [Skipped] = []
    /// What became of the goals.
    var goals: [GoalOutcome] = []
    /// What it costs a program to have the engine in it, where that was asked for.
    var embedding: Embedding?

    init(_ options: Options) { self.options = options }

    /// Notes an engine's version and options, the first time.
    mutating func add(_ description: EngineDescription) {
        if !engines.contains(where: { $0.engine == description.engine }) { engines.append(description) }
    }

    /// The labels of a section's measurements, in the order they were taken in.
    func labels(_ section: Section) -> [String] {
        var seen = Set<String>()
        return measurements.filter { $0.section == section.name }.map(\.label).filter { seen.insert($0).inserted }
    }

    /// Sections that have anything to report, without the engines that were left out.
    var sections: [Section] {
        options.sections.filter { section in measurements.contains { $0.section == section.name } }.map { section in
            var section = section
            section.engines.removeAll { engine in
                let isSkipped = skipped.contains {
                    $0.section == section.name && $0.engine.map(engine.goes(with:)) ?? false
                }
                return isSkipped && !has(engine, in: section.name)
            }
            return section
        }
    }

    private func has(_ engine: EngineKind, in section: String) -> Bool {
        measurements.contains { $0.section == section && $0.engine == engine }
    }

    /// The main section.
    var main: Section? { sections.first { $0.name == Section.mainName } }

    /// What one engine reached in one workload; nil where it did not run.
    func summary(_ engine: EngineKind, _ label: String) -> Summary? {
        Summary(measurements.filter { $0.engine == engine && $0.label == label })
    }

    /// The peer that is best at a workload, by its median; nil where none ran.
    func bestPeer(_ label: String) -> (engine: EngineKind, summary: Summary)? {
        let peers = EngineKind.allCases.filter { $0.isPeer && $0.isComparable(label) }.compactMap { engine in
            summary(engine, label).map { (engine: engine, summary: $0) }
        }
        return peers.max { $1.summary.isBetter(than: $0.summary) }
    }

    /// How many times as good as the best peer Siltstone is; nil where there is nothing to compare.
    func ratio(_ label: String) -> Ratio? {
        guard let own = summary(.siltstone, label), let best = bestPeer(label) else { return nil }
        return Ratio(own, to: best.summary, of: best.engine)
    }

    /// Adds a failure for each workload in which two engines have not read the same.
    mutating func compareTallies() {
        var first: [String: Measurement] = [:]
        for measurement in measurements {
            guard let tally = measurement.tally else { continue }
            guard let other = first[measurement.label] else {
                first[measurement.label] = measurement
                continue
            }
            guard other.tally != tally else { continue }
            failures.append(
                Failure(
                    engine: measurement.engine, section: measurement.section, round: measurement.round,
                    text: "\(measurement.label): has not read the same as \(other.engine.title)"))
        }
    }

    /// How many rounds the medians of a section are of, in words: where runs were merged, engines may have been measured
    /// more or less often.
    func roundsInWords(_ section: Section) -> String {
        let taken = Dictionary(grouping: measurements.filter { $0.section == section.name }, by: \.engine)
        let counts = section.engines.compactMap { engine in
            taken[engine].map { (engine: engine, rounds: Set($0.map(\.round)).count) }
        }
        let most = counts.map(\.rounds).max() ?? 0
        let fewer = counts.filter { $0.rounds < most }.map { "\($0.engine.title) \($0.rounds)" }
        return "\(most) round\(most == 1 ? "" : "s")" + (fewer.isEmpty ? "" : ", \(fewer.joined(separator: ", "))")
    }

    /// All of it.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(self)
    }

    /// Reads what ``json()`` has written, of one run or several: measurements of the same section and round number are
    /// kept side by side as further rounds.
    /// - Throws: ``BenchmarkError`` where the runs are of different machines, mean different things by one section, or one
    ///   is there twice.
    init(mergedFrom paths: [String]) throws {
        var taken = Set<Data>()
        let reports = try paths.map { path in
            let report: Report
            let data: Data
            do {
                data = try Data(contentsOf: URL(fileURLWithPath: path))
                report = try JSONDecoder().decode(Report.self, from: data)
            } catch {
                throw BenchmarkError(
                    "--from: \(path) cannot be read, or was not written by --json of this version: "
                        + error.localizedDescription)
            }
            // Rounds that count twice would hide how much they differ.
            guard taken.insert(data).inserted else { throw BenchmarkError("--from: \(path) is there twice") }
            return report
        }
        guard var merged = reports.first else { throw BenchmarkError("--from names no file") }
        merged.options.sections = merged.sections
        for (path, other) in zip(paths, reports).dropFirst() {
            if let difference = merged.difference(from: other) { throw BenchmarkError("\(path): \(difference)") }
            merged.measurements += other.measurements.map { measurement in
                var measurement = measurement
                measurement.round += merged.options.rounds
                return measurement
            }
            // Those that it has measured: of an `--embedded` run, none.
            for section in other.sections { merged.options.sections.merge(section) }
            for description in other.engines { merged.add(description) }
            for engine in other.options.engines where !merged.options.engines.contains(engine) {
                merged.options.engines.append(engine)
            }
            merged.limits.add(other.limits)
            merged.skipped += other.skipped
            merged.failures += other.failures.map { failure in
                var failure = failure
                failure.round += merged.options.rounds
                return failure
            }
            merged.options.rounds += other.options.rounds
            merged.embedding = merged.embedding ?? other.embedding
        }
        self = merged
    }

    /// Sections and engines that were left out and that no run has measured.
    var leftOut: [Skipped] {
        skipped.filter { skipped in
            guard let engine = skipped.engine else { return !sections.contains { $0.name == skipped.section } }
            return !has(engine, in: skipped.section)
        }
    }

    /// Why another report cannot be a part of this one; nil where it can.
    private func difference(from other: Report) -> String? {
        if host.processor != other.host.processor || host.cores != other.host.cores {
            return "measured on another machine: \(other.host.processor), \(other.host.cores) cores"
        }
        for section in options.sections {
            guard let same = other.sections.first(where: { $0.name == section.name }) else { continue }
            if !section.isAlike(same) { return "'\(section.name)' is another section there: \(same.title)" }
            // Rounds of two versions have no median.
            for one in engines where section.engines.contains(one.engine) && same.engines.contains(one.engine) {
                guard let another = other.engines.first(where: { $0.engine == one.engine }) else { continue }
                if (one.version, one.build) != (another.version, another.build) {
                    return
                        "'\(section.name)' is of another \(one.engine.title) there: \(another.version), \(another.build)"
                }
            }
        }
        return nil
    }
}

extension Array where Element == Section {
    /// Adds a section, or to the one of this name its engines and workloads.
    fileprivate mutating func merge(_ section: Section) {
        guard let place = firstIndex(where: { $0.name == section.name }) else { return append(section) }
        for engine in section.engines where !self[place].engines.contains(engine) { self[place].engines.append(engine) }
        let known = Set(self[place].workloads.map(\.name))
        self[place].workloads += section.workloads.filter { !known.contains($0.name) }
    }
}
