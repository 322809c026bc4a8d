import Foundation
import Testing

@testable import Siltstone

/// Money that moves between accounts, while every kind of read counts all of it.
struct BankTests {
    private static func variant(_ number: Int) -> HistoryVariant {
        HistoryVariant("bank \(number)", number % 4 == 3 ? .real : .memory, isDelayed: number % 2 == 0) {
            // By calls, so that the disk's death cuts them off.
            $0.logWriting = .written
            $0.access = number % 3 == 0 ? .read : .mapped
            $0.largeValueBytes = number % 2 == 0 ? 500 : 8 << 10
            $0.durability = number % 5 == 4 ? .synced : .buffered
        }
    }

    @Test(
        "transfers never change the sum, for any snapshot, scan or multi-get, nor across closing and death",
        .comesToAnEnd)
    func transfers() throws {
        let deadline = SuiteScale.deadline()
        var figures = BankRun.Figures()
        var number = 0
        while deadline.map({ Date() < $0 }) ?? (number < 6) {
            let seed = SuiteScale.seed &+ UInt64(number)
            let replay = SuiteScale.replay("BankTests", seed: seed)
            let run = try BankRun(Self.variant(Int(truncatingIfNeeded: seed & 0xffff)), seed: seed, replay: replay)
            for round in 0..<SuiteScale.count(1, thorough: 4) {
                try run.run(
                    seed: seed &+ UInt64(round) &* 1000, transfers: SuiteScale.count(80, thorough: 150),
                    dies: round % 2 == 1)
            }
            figures.transfers += run.figures.transfers
            figures.audits += run.figures.audits
            figures.deaths += run.figures.deaths
            number += 1
        }
        SuiteScale.report(
            "bank",
            ["transfers": figures.transfers, "audits": figures.audits, "deaths of the disk": figures.deaths])
    }
}
