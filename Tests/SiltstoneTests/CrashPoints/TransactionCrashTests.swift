import Foundation
import Testing

@testable import Siltstone

/// Crashes at every call that changes the disk, in histories of transactions.
@Suite("Crash points of transactions")
struct TransactionCrashTests {
    private static func key(_ number: Int) -> [UInt8] { Array("key \(number)".utf8) }

    private static func value(_ step: Int, _ length: Int = 30) -> [UInt8] {
        let text = Array("value \(step) ".utf8)
        return (0..<length).map { text[$0 % text.count] }
    }

    /// Transactions of all sizes: small, with large values, larger than a memtable.
    private static let steps: [HistoryStep] = [
        .transaction([.put(key(1), value(1)), .put(key(2), value(2))]), .put(key(3), value(3)),
        .conflict([.put(key(2), value(90)), .deleteRange(key(1), key(9))]),
        .transaction([.put(key(4), value(4, 700)), .delete(key(3)), .put(key(5), value(5, 300))]), .hold, .flush,
        .transaction([.deleteRange(key(1), key(4)), .put(key(2), value(6)), .put(key(6), value(7))], .synced),
        .transaction([.put(key(7), value(8))], .buffered), .release, .compact,
        .conflict([.put(key(7), value(91, 600))]),
        .transaction((0..<420).map { .put(key($0 % 300), value(100 + $0, 170)) }), .reopen,
        .transaction([.delete(key(7)), .put(key(1), value(9)), .deleteRange(key(100), key(200))]), .sync,
        .transaction([.put(key(8), value(10))]), .conflict([.delete(key(8))]),
    ]

    private static let scripts: [CrashHistory] =
        [Durability.synced, .buffered].flatMap { durability in
            LogWriting.allCases.map { writing in
                CrashHistory(
                    name: "transactions, \(durability), \(writing)",
                    configuration: CrashHistory.small(durability, writing),
                    steps: steps, checksFeed: true)
            }
        } + [ingested]

    /// The same steps, with transactions that are larger than memory.
    private static var ingested: CrashHistory {
        var configuration = CrashHistory.small(.synced, .mapped)
        configuration.transactionMemoryBytes = 40
        return CrashHistory(
            name: "ingested transactions", configuration: configuration, steps: steps, checksFeed: true)
    }

    /// A random history whose batches are transactions, some of which meet conflicts.
    private static func random(_ seed: UInt64) -> CrashHistory {
        var history = CrashHistory.random(seed: seed, steps: 20)
        history.name = "transactions, random \(seed)"
        history.checksFeed = true
        history.steps = history.steps.enumerated().map { index, step in
            switch step {
            case .write(let changes, let durability): .transaction(changes, durability)
            case .put(let key, let value, let durability) where index % 2 == 0:
                .transaction([.put(key, value)], durability)
            case .delete(let key, _) where index % 2 == 0:
                .conflict([.delete(key), .put(Self.key(index), value(index))])
            default: step
            }
        }
        return history
    }

    @Test(
        "whichever call the power fails at, each transaction is there as a whole or not at all, and the feed of what the logs hold leads to the store"
    )
    func everyCall() {
        let (seed, deadline) = (SuiteScale.seed, SuiteScale.deadline())
        let (scripts, randoms) = (Self.scripts, SuiteScale.count(2, thorough: 16))
        let images = SuiteScale.count(2, thorough: 16)
        let only = ProcessInfo.processInfo.environment["SILTSTONE_HISTORY"]
        let campaign = CrashCampaign(suite: "TransactionCrashTests") { number in
            if let only {
                let last = only.split(separator: " ").last.flatMap { UInt64($0) } ?? 0
                let history = scripts.first { $0.name == only } ?? Self.random(last)
                return number == 0 ? .init(history: history, seed: seed, imagesPerPoint: images) : nil
            }
            if scripts.indices.contains(number) {
                return .init(history: scripts[number], seed: seed, imagesPerPoint: images)
            }
            let random = number - scripts.count
            if random >= randoms, deadline.map({ $0 < Date() }) ?? true { return nil }
            let seed = seed &+ UInt64(random)
            return .init(history: Self.random(seed), seed: seed, imagesPerPoint: images)
        }
        let totals = campaign.run()
        #expect(only != nil || totals.images > 1_000 && totals.points > 300 && totals.nested > 100)
        for failure in totals.failures { Issue.record("\(failure)") }
        SuiteScale.report(
            "crash points of transactions",
            [
                "histories": totals.histories, "crash points": totals.points, "crash images": totals.images,
                "of recoveries cut short": totals.nested, "gone on with and crashed again": totals.continued,
            ])
    }
}
