import Foundation
import Testing

@testable import CrashChild

/// A child process writes, is killed at any moment, and is followed by another one, on the same store.
///
/// Eight kills for each scenario, twenty where checkpoints are made, a hundred in the thorough form, in the long form as
/// many as there is time for. `SILTSTONE_KILLS` sets another number, `SILTSTONE_SCENARIO` picks one scenario, and `SILTSTONE_SEED` repeats the operations of a run, and, as far as
/// the scheduler lets it, the moments of the kills.
struct CrashTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static let scenarios = CrashScenario.killed.filter {
        environment["SILTSTONE_SCENARIO"] == nil || environment["SILTSTONE_SCENARIO"] == $0.rawValue
    }

    @Test(
        "after each kill everything acknowledged is there, nothing else, and every byte is well", .comesToAnEnd,
        arguments: scenarios)
    func killsLoseNothing(_ scenario: CrashScenario) async throws {
        // The aims of checkpoints come late in twenty rounds.
        let usual = SuiteScale.count(scenario.maintenanceLane == nil ? 8 : 20, thorough: 100)
        let kills = Self.environment["SILTSTONE_KILLS"].flatMap { Int($0) } ?? usual
        let summary: CrashSummary
        do {
            summary = try await OwnThread.run { try Self.attack(scenario, kills: kills) }
        } catch {
            Issue.record("\(scenario): \(error)\n\(SuiteScale.replay("CrashTests", seed: SuiteScale.seed))")
            return
        }
        #expect(summary.flushes > 0)
        // Most die in one; whether any comes to its end on a loaded machine is a matter of chance.
        #expect(summary.compactions + (summary.kills[.compaction] ?? 0) > 0)
        SuiteScale.report("kills, \(scenario)", summary.figures)
    }

    private static func attack(_ scenario: CrashScenario, kills: Int) throws -> CrashSummary {
        // All scenarios share the time, two at a time.
        let share = Double(OwnThread.width) / Double(CrashScenario.killed.count)
        let end = SuiteScale.longSeconds.map { Date(timeIntervalSinceNow: $0 * share) }
        var harness = try CrashHarness(scenario, seed: SuiteScale.seed)
        var number = 1
        while harness.summary.killCount < kills || end.map({ Date() < $0 }) ?? false {
            do { try harness.round(number) } catch {
                throw CrashFailure("round \(number), store left in \(harness.store): \(error)")
            }
            number += 1
        }
        try harness.checkIndependently()
        try harness.checkAsOwner()
        try harness.remove()
        return harness.summary
    }

    @Test("a child understands the command line that its parent writes", .comesToAnEnd)
    func argumentsRoundTrip() throws {
        let arguments = CrashArguments(
            scenario: .threads, store: "/s", journal: "/j", seed: .max, stopAfter: 3, firstIndexes: [1, 2, 3, 4, 5])
        #expect(try CrashArguments(["child"] + arguments.words) == arguments)
        #expect(throws: CrashArguments.Malformed.self) { try CrashArguments(["child", "threads", "/s"]) }
    }
}
