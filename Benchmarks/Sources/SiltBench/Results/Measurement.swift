/// One engine's result of one workload in one round.
struct Measurement: Codable, Sendable {
    /// What the value is.
    enum Unit: String, Codable, Sendable {
        case operationsPerSecond, milliseconds

        /// Whether more is better.
        var isRate: Bool { self == .operationsPerSecond }
    }

    var engine: EngineKind
    /// The workload, its threads, and the state of the database where that makes a difference; before it the section's
    /// name, but for the main one.
    var label: String
    var round: Int
    var unit: Unit
    var value: Double
    var operations = 0
    var seconds = 0.0
    /// Of each operation, where these were timed one by one.
    var latency: Latency?
    /// Throughput over time.
    var timeline: [TimelinePoint]?
    /// Microseconds of CPU for each operation, background threads included.
    var cpuMicroseconds: Double?
    /// Cores that other processes, or other guests of the host, kept busy meanwhile; nil where it was too short to tell.
    var otherCores: Double?
    /// Seconds that background work went on for afterwards.
    var settleSeconds: Double?
    /// Bytes on disk after that.
    var diskBytes: Int?
    /// Bytes of keys and values that the database held then.
    var liveBytes: Int?
    /// Bytes that reached files, for each byte of keys and values written.
    var writeAmplification: Double?
    /// The largest resident set, mapped file pages included.
    var peakMemoryBytes: Int?
    /// The most anonymous memory, and the most mapped pages of files: sampled, and less what the harness has itself.
    var peakAnonymousBytes: Int?
    var peakMappedBytes: Int?
    /// Bytes on disk for each byte of keys and values.
    var spaceAmplification: Double? {
        guard let diskBytes, let liveBytes, liveBytes > 0 else { return nil }
        return Double(diskBytes) / Double(liveBytes)
    }
    /// The name of the section: what its label begins with.
    var section: String { label.split(separator: "/").dropLast().first.map(String.init) ?? Section.mainName }
    /// Of transactions.
    var contention: Contention?
    /// What was read, where every engine must have read the same.
    var tally: Tally?
}

/// Percentiles of a latency, in microseconds.
struct Latency: Codable, Sendable {
    var p50, p90, p99, p999, p9999, max: Double

    init(_ histogram: Histogram) {
        func at(_ share: Double) -> Double { histogram.percentile(share) / 1000 }
        (p50, p90, p99) = (at(0.5), at(0.9), at(0.99))
        (p999, p9999, max) = (at(0.999), at(0.9999), at(1))
    }

    /// Name and value of each percentile, in their order.
    var points: [(name: String, microseconds: Double)] {
        [("50", p50), ("90", p90), ("99", p99), ("99.9", p999), ("99.99", p9999), ("max", max)]
    }
}

/// The throughput up to a moment, since the point before.
struct TimelinePoint: Codable, Sendable {
    /// Since the beginning.
    var seconds: Double
    var operationsPerSecond: Double
}
