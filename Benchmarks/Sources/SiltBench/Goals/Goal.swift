/// Something that Siltstone should reach.
struct Goal: Sendable {
    /// What it is about, for humans.
    let title: String
    let measure: Measure
    /// What should be reached.
    let wanted: Double

    /// How it is measured.
    enum Measure: Sendable {
        /// The ratio to the best peer in a workload.
        case ratio(String)
        /// The ratio to one peer, whoever else is better.
        case ratioTo(EngineKind, String)
        /// The share of a plain client's rate that the adapter above it reaches: the adapter's engine, then the workload.
        case besidePlain(EngineKind, String)
        /// The share of what the machine can do.
        case share(String, of: RawLimits.Kind)
        /// A time in milliseconds; lower is better.
        case time(String)
        /// The milliseconds by which a time is above another; lower is better.
        case above(String, String)
        /// The ratio of the best peer's 99.9th percentile to one's own.
        case tail(String)
        /// The longest call of any round of some workloads, in milliseconds; lower is better.
        case longestCall([String])
        /// Bytes on disk for each byte of keys and values; lower is better.
        case space(String)
        /// How many times as much of its rate Siltstone keeps as the best peer does, from a number of keys to 20 times
        /// as many.
        case growth(String)
        /// The share of Siltstone's rate in one workload that it keeps in another.
        case kept(String, of: String)
        /// What the slowest thread had done when the first was through, as a share of the average thread's.
        case slowestThread(String)
        /// Anonymous memory at its peak in any workload of the main section, as a share of the budget; lower is better.
        case memory

        /// Whether more is better.
        var isHigherBetter: Bool {
            switch self {
            case .time, .above, .longestCall, .space, .memory: false
            case .ratio, .ratioTo, .besidePlain, .share, .tail, .growth, .kept, .slowestThread: true
            }
        }

        /// What a value is counted in.
        func format(_ value: Double) -> String {
            switch self {
            case .time, .above, .longestCall: Format.milliseconds(value)
            case .ratio, .ratioTo, .tail, .growth: Format.ratio(value)
            case .besidePlain, .share, .memory, .space, .kept, .slowestThread: Format.digits(value, 2)
            }
        }
    }
}

/// What became of a goal.
struct GoalOutcome: Codable, Sendable {
    /// How it stands.
    enum Verdict: String, Codable, Sendable {
        case met
        /// Met by the median, but not by the worst round.
        case barely = "met within noise"
        /// Not met, by less than the machine's noise.
        case close
        case missed
        case notMeasured = "not measured"
    }

    var title: String
    /// What was wanted, and what was reached: with their units, then as numbers.
    var wanted: String
    var reached: String
    var wantedValue: Double
    var reachedValue: Double?
    /// The lowest and the highest of the rounds, where there are several.
    var lowest: Double?
    var highest: Double?
    /// Whom it was compared with, or what else the value is about.
    var note: String
    /// Cores that others kept busy meanwhile.
    var otherCores: Double?
    var verdict: Verdict

    /// The span of the rounds, as numbers; nil where there is only one.
    var range: String? {
        guard let lowest, let highest, lowest < highest else { return nil }
        return "\(Format.digits(lowest, 2)) - \(Format.digits(highest, 2))"
    }
}
