import Foundation
import SiltstoneTesting
import TableKit
import Testing

/// Tables beside SQLite: random tables, rows, indexes, changes and queries from a seed, done to both through their own
/// interfaces, must give the same.
///
/// A failure prints its seed, all that was done before in SQLite's words, the query, the plan and both answers.
struct TableDifferentialTests {
    #if PEER_SQLITE
    private static let environment = ProcessInfo.processInfo.environment
    private static let isThorough = environment["SILTSTONE_THOROUGH"].map { $0 != "0" } ?? false
    private static let firstSeed = environment["SILTSTONE_SEED"].flatMap { UInt64($0) } ?? 20_000
    /// The tests of one run share the seeds; each stops at the first disagreement.
    private static let shares: UInt64 = 4
    private static let rounds = 5
    private static let queriesOfRound = 7

    /// How many queries one run tries at least: fewer where nothing is optimised.
    private static var queries: Int {
        #if DEBUG
        let quick = 1_000
        #else
        let quick = 10_000
        #endif
        return isThorough ? 10 * quick : quick
    }

    @Test(arguments: 0..<shares)
    func `tables give what SQLite gives, under every plan`(share: UInt64) throws {
        CRUDLogging.errorLogDestinations = []
        var total = DifferentialRun.Figures()
        var seed = Self.firstSeed + share
        while total.queries < Self.queries / Int(Self.shares) {
            let run = try DifferentialRun(seed: seed)
            do { try run.run(rounds: Self.rounds, queries: Self.queriesOfRound) } catch {
                Issue.record("SILTSTONE_SEED=\(seed)\n\(run.history)\n\n\(error)")
                break
            }
            total += run.figures
            seed += Self.shares
        }
        print(
            """
            attack: tables beside SQLite, share \(share): \(total.queries) queries, \(total.joins) with joins, \
            \(total.answered) with results, under \(total.plans) plans, \(total.texts) texts of SQL, \(total.changes) changes
            """)
    }
    #else
    @Test func `tables beside SQLite are NOT compared: libsqlite3-dev is not installed`() {
        print("SKIPPED: tables beside SQLite. Install libsqlite3-dev and build again.")
    }
    #endif
}
