import Foundation
import Testing

@testable import Siltstone

/// Crashes at every call that changes the disk, on a disk without mercy: see `Docs/Testing.md`.
struct CrashPointTests {
    /// Steps of a random history.
    private static let steps = 24
    /// Random histories that are run in any case.
    private static let randomFirst = SuiteScale.count(4, thorough: 16)

    @Test("whichever call the power fails at, what is found is a prefix of the history with all that was promised")
    func everyCall() {
        let seed = SuiteScale.seed
        let scripts = CrashHistory.scripts
        let deadline = SuiteScale.deadline()
        let only = ProcessInfo.processInfo.environment["SILTSTONE_HISTORY"]
        let campaign = CrashCampaign { number in
            if let only { return number == 0 ? Self.history(called: only, seed: seed) : nil }
            // Some of the random ones take longest, and begin first.
            let script = number - Self.randomFirst
            if scripts.indices.contains(script) { return .scripted(scripts[script], seed: seed) }
            if script >= 0, deadline.map({ $0 < Date() }) ?? true { return nil }
            return .random(seed: seed &+ UInt64(number), steps: Self.steps)
        }
        let totals = campaign.run()
        // Far below what there are, and far above what an attack that has gone blind would find.
        let (images, points, nested) = SuiteScale.count((1_600, 600, 400), thorough: (100_000, 5_000, 10_000))
        #expect(only != nil || totals.images > images && totals.points > points && totals.nested > nested)
        for failure in totals.failures { Issue.record("\(failure)") }
        SuiteScale.report(
            "crash points",
            [
                "histories": totals.histories, "crash points": totals.points, "crash images": totals.images,
                "of recoveries cut short": totals.nested, "gone on with and crashed again": totals.continued,
            ])
    }

    /// The history that a failure names, to be run alone: a scripted one by its name, a random one by its seed.
    private static func history(called name: String, seed: UInt64) -> CrashCampaign.Attack? {
        if let script = CrashHistory.scripts.first(where: { $0.name == name }) {
            return .scripted(script, seed: seed)
        }
        guard let seed = name.split(separator: " ").last.flatMap({ UInt64($0) }) else { return nil }
        return .random(seed: seed, steps: steps)
    }
}

extension CrashCampaign.Attack {
    fileprivate static func scripted(_ history: CrashHistory, seed: UInt64) -> Self {
        Self(history: history, seed: seed, imagesPerPoint: SuiteScale.count(2, thorough: 24))
    }

    /// A random history, with fewer images at each crash point: histories differ by more than images do.
    fileprivate static func random(seed: UInt64, steps: Int) -> Self {
        Self(
            history: .random(seed: seed, steps: steps), seed: seed,
            imagesPerPoint: SuiteScale.count(2, thorough: 12, long: 24))
    }
}
