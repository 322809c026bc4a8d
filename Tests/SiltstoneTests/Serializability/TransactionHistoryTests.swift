import Foundation
import Testing

@testable import Siltstone

/// Random transactions of threads and tasks, for which there must be a serial order that explains all that they saw.
struct TransactionHistoryTests {
    /// Runs rounds on one store.
    private static func attack(
        _ variant: HistoryVariant, _ isolation: Transaction.Isolation, seed: UInt64, rounds: Int
    ) async throws -> TransactionHistoryRun.Figures {
        let replay = SuiteScale.replay("TransactionHistoryTests", seed: seed)
        let run = try TransactionHistoryRun(try HistoryPlace(variant, seed: seed), isolation, replay: replay)
        for round in 0..<rounds {
            try await run.run(seed: seed &+ UInt64(round) &* 1000, transactions: 50, reopens: round % 2 == 0)
        }
        try run.end()
        return run.figures
    }

    private static func report(_ attack: String, _ figures: TransactionHistoryRun.Figures) {
        SuiteScale.report(
            attack,
            [
                "attempts": figures.transactions, "commits": figures.committed, "conflicts": figures.conflicts,
                "reads": figures.reads, "events of the feed": figures.events, "flushes": figures.flushes,
                "compactions": figures.compactions,
            ])
    }

    @Test(
        "a serial order, consistent with real time, explains all that transactions and blind writes did and saw",
        .comesToAnEnd,
        arguments: HistoryVariant.all)
    func serializable(_ variant: HistoryVariant) async throws {
        let figures = try await Self.attack(
            variant, .serializable, seed: SuiteScale.seed, rounds: SuiteScale.count(1, thorough: 10))
        #expect(figures.committed > SuiteScale.count(150, thorough: 300) && figures.conflicts > 0)
        Self.report("transactions, \(variant)", figures)
    }

    @Test(
        "under snapshot isolation nothing but write skew appears", .comesToAnEnd,
        arguments: HistoryVariant.all.prefix(2))
    func snapshot(_ variant: HistoryVariant) async throws {
        let figures = try await Self.attack(
            variant, .snapshot, seed: SuiteScale.seed, rounds: SuiteScale.count(1, thorough: 10))
        #expect(figures.committed > SuiteScale.count(150, thorough: 300) && figures.conflicts > 0)
        Self.report("transactions under snapshot isolation, \(variant)", figures)
    }

    @Test(
        "transactions in random configurations, until the time is over", .comesToAnEnd, .enabled(if: SuiteScale.isLong))
    func long() async throws {
        guard let deadline = SuiteScale.deadline() else { return }
        var seed = SuiteScale.seed
        while Date() < deadline {
            let isolation: Transaction.Isolation = seed % 4 == 0 ? .snapshot : .serializable
            let figures = try await Self.attack(HistoryVariant.random(seed), isolation, seed: seed, rounds: 6)
            Self.report("transactions, seed \(seed)", figures)
            seed &+= 1
        }
    }
}
