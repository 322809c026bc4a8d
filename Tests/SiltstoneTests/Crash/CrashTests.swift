import Foundation
import Testing

@testable import CrashChild

/// A child process writes, is killed at any moment, and is followed by another one, on the same store.
///
/// With `SILTSTONE_LONG=1` in the environment each scenario goes on for a hundred kills; `SILTSTONE_KILLS` sets another
/// number, `SILTSTONE_SCENARIO` picks one scenario, and `SILTSTONE_SEED` repeats a run as far as the scheduler lets it.
@Suite("Death of the process", .serialized)
struct CrashTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static let scenarios = CrashScenario.allCases.filter {
        environment["SILTSTONE_SCENARIO"] == nil || environment["SILTSTONE_SCENARIO"] == $0.rawValue
    }

    @Test(
        "after each kill everything acknowledged is there, nothing else, and every byte is well",
        arguments: scenarios)
    func killsLoseNothing(_ scenario: CrashScenario) throws {
        let isLong = Self.environment["SILTSTONE_LONG"] != nil
        let kills = Self.environment["SILTSTONE_KILLS"].flatMap { Int($0) } ?? (isLong ? 100 : 6)
        let start = ContinuousClock.now
        let seed = Self.environment["SILTSTONE_SEED"].flatMap { UInt64($0) } ?? 0x511_7570
        var harness = try CrashHarness(scenario, seed: seed)
        var number = 0
        while harness.summary.kills < kills {
            do { try harness.round(number) } catch {
                Issue.record("seed \(seed), round \(number), store left in \(harness.store): \(error)")
                return
            }
            number += 1
        }
        #expect(harness.summary.flushes > 0)
        if kills >= 20 {
            #expect(harness.summary.compactions > 0)
            print("\(scenario): \(harness.summary); none lost; \(ContinuousClock.now - start)")
        }
        try harness.remove()
    }

    @Test("a child understands the command line that its parent writes")
    func argumentsRoundTrip() throws {
        let arguments = CrashArguments(
            scenario: .threads, store: "/s", journal: "/j", seed: .max, stopAfter: 3, firstIndexes: [1, 2, 3, 4, 5])
        #expect(try CrashArguments(["child"] + arguments.words) == arguments)
        #expect(throws: CrashArguments.Malformed.self) { try CrashArguments(["child", "threads", "/s"]) }
    }
}
