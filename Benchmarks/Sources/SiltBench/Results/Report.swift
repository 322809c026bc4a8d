import Foundation

/// Everything that a run has found out.
struct Report: Codable, Sendable {
    /// An engine that failed, and why.
    struct Failure: Codable, Sendable {
        var engine: EngineKind
        var round: Int
        var text: String
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

    init(_ options: Options) { self.options = options }

    /// Notes an engine's version and options, the first time.
    mutating func add(_ description: EngineDescription) {
        if !engines.contains(where: { $0.engine == description.engine }) { engines.append(description) }
    }

    /// Workloads in the order they were run in.
    var labels: [String] {
        var seen = Set<String>()
        return measurements.map(\.label).filter { seen.insert($0).inserted }
    }

    /// What one engine reached in one workload; nil where it did not run.
    func summary(_ engine: EngineKind, _ label: String) -> Summary? {
        Summary(measurements.filter { $0.engine == engine && $0.label == label })
    }

    /// How many times as good as the best other engine Siltstone is; nil where there is nothing to compare.
    func ratio(_ label: String) -> Double? {
        guard let own = summary(.siltstone, label), let unit = own.typical?.unit, own.value > 0 else { return nil }
        let others = options.engines.filter { $0 != .siltstone }.compactMap { summary($0, label)?.value }
        if unit.isRate { return others.max().map { own.value / $0 } }
        return others.min().map { $0 / own.value }
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
                    engine: measurement.engine, round: measurement.round,
                    text: "\(measurement.label): has not read the same as \(other.engine.title)"))
        }
    }

    /// All of it.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(self)
    }
}
