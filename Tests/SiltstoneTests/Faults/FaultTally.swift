import Foundation
import SiltstoneTesting

@testable import Siltstone

/// How many calls were made to fail, in which way.
struct FaultTally: Sendable {
    private(set) var runs = 0
    private(set) var byKind: [String: Int] = [:]

    mutating func add(_ kind: FaultKind, _ faults: [(call: FileSystemCall, fault: Fault)]) {
        runs += 1
        byKind[kind.name, default: 0] += faults.count
    }

    mutating func add(_ other: FaultTally) {
        runs += other.runs
        byKind.merge(other.byKind) { $0 + $1 }
    }

    var faults: Int { byKind.values.reduce(0, +) }

    /// The tallies of all sweeps so far, which run as cases of one test, in any order and at once.
    private static let total = Locked((tally: FaultTally(), sweeps: 0))

    /// Adds what a sweep has done, and prints the figures of all when the last one has.
    static func report(_ tally: FaultTally, of sweeps: Int) {
        let whole = total.withLock { total -> FaultTally? in
            total.tally.add(tally)
            total.sweeps += 1
            return total.sweeps == sweeps ? total.tally : nil
        }
        guard let whole else { return }
        SuiteScale.report("every call fails once", ["call faults": whole.faults, "runs": whole.runs])
        SuiteScale.report("every call fails once, by kind", whole.byKind.sorted { $0.key < $1.key }.map { ($0, $1) })
    }
}
