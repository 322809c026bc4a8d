/// What a run of kills has seen.
struct CrashSummary: Sendable {
    /// What a child was doing when it was killed, as far as its journal tells. Where several things were under way, the
    /// rarest counts.
    enum Moment: String, CaseIterable, Sendable {
        case starting, opening, checkpoint, compaction, flush, writing, closing, closed
    }

    var kills: [Moment: Int] = [:]
    var acknowledged = 0
    var inFlight = 0
    var flushes = 0
    var compactions = 0
    var checkpoints = 0
    var verifications = 0

    var killCount: Int { kills.values.reduce(0, +) }

    /// For `SuiteScale.report`.
    var figures: KeyValuePairs<String, Int> {
        func at(_ moment: Moment) -> Int { kills[moment] ?? 0 }
        return [
            "kills": killCount, "starting": at(.starting), "opening": at(.opening), "writing": at(.writing),
            "in a flush": at(.flush), "in a compaction": at(.compaction), "in a checkpoint": at(.checkpoint),
            "closing": at(.closing), "closed": at(.closed), "acknowledged operations": acknowledged,
            "in flight": inFlight, "flushes": flushes, "compactions": compactions, "checkpoints checked": checkpoints,
            "stores verified": verifications,
        ]
    }
}
