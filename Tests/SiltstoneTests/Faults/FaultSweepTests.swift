import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// Every call fails once: no trap, no hang, no lie.
struct FaultSweepTests {
    /// In the quick form, what takes the same way through the engine with both accesses is tried with one.
    private static let sweeps: [(FaultPhase, FaultAccess)] = FaultPhase.all.flatMap { phase in
        FaultAccess.allCases.filter { SuiteScale.isLong || $0 == .mapped || phase.dependsOnAccess }.map { (phase, $0) }
    }

    @Test(
        "whichever call fails, in whichever way, nothing acknowledged is lost and nothing that failed is hidden",
        arguments: sweeps)
    func sweep(_ phase: FaultPhase, _ access: FaultAccess) throws {
        var sweep = try FaultSweep(phase, access)
        for kind in FaultKind.allKinds where SuiteScale.isLong || access == .mapped || kind.dependsOnAccess {
            try sweep.run(kind)
        }
        #expect(sweep.tally.faults > 0 || FaultSweep.only != nil)
        FaultTally.report(sweep.tally, of: Self.sweeps.count)
    }

    @Test("FaultHistory: random histories in which each call fails by chance lose and hide nothing")
    func history() throws {
        let watchdog = Watchdog()
        let deadline = SuiteScale.deadline()
        var (rounds, faults) = (0, 0)
        while deadline.map({ $0 > Date() }) ?? (rounds < SuiteScale.count(10, thorough: 150)) {
            var history = try FaultHistory(seed: SuiteScale.seed &+ UInt64(rounds))
            faults += try history.play(watchdog)
            rounds += 1
        }
        SuiteScale.report("calls fail by chance", ["call faults": faults, "histories": rounds])
    }
}
