import Foundation
import Testing

@testable import Siltstone

/// Random histories of many threads, each of which must have an order that explains all that was seen.
struct HistoryTests {
    /// Runs rounds of every ending on one store.
    private static func attack(
        _ variant: HistoryVariant, seed: UInt64, rounds: Int, figures: inout HistoryFigures
    ) throws {
        let replay = SuiteScale.replay("HistoryTests", seed: seed)
        let run = try HistoryRun(try HistoryPlace(variant, seed: seed), replay: replay)
        var random = SeededGenerator(seed)
        for round in 0..<rounds {
            let ending = HistoryRun.Ending.allCases[random.index(4)]
            try run.run(
                seed: seed &+ UInt64(round) &* 1000, threads: 3 + random.index(4), operations: 40 + random.index(80),
                ending: ending)
        }
        try run.end()
        figures += run.figures
    }

    @Test(
        "all that threads see of point writes, batches, scans, snapshots and checkpoints happened in one order",
        .comesToAnEnd,
        arguments: HistoryVariant.all)
    func histories(_ variant: HistoryVariant) throws {
        var figures = HistoryFigures()
        try Self.attack(variant, seed: SuiteScale.seed, rounds: SuiteScale.count(2, thorough: 12), figures: &figures)
        figures.report("histories, \(variant)")
    }

    @Test("histories of random configurations, until the time is over", .comesToAnEnd, .enabled(if: SuiteScale.isLong))
    func long() throws {
        guard let deadline = SuiteScale.deadline() else { return }
        var figures = HistoryFigures()
        var seed = SuiteScale.seed
        while Date() < deadline {
            try Self.attack(HistoryVariant.random(seed), seed: seed, rounds: 10, figures: &figures)
            seed &+= 1
        }
        figures.report("histories of random configurations")
    }
}
