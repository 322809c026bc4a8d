import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// Lets one call of a phase fail after the other, until a run meets no fault any more.
struct FaultSweep {
    let phase: FaultPhase
    let access: FaultAccess
    private let configuration: Configuration
    private let image: FaultImage
    private let watchdog = Watchdog()
    private(set) var tally = FaultTally()
    private var failures = 0
    private var sweeps = 0

    /// What is to be tried of all: a part of a place's name, to see one failure again.
    static let only = ProcessInfo.processInfo.environment["SILTSTONE_FAULT"]

    init(_ phase: FaultPhase, _ access: FaultAccess) throws {
        self.phase = phase
        self.access = access
        var configuration = access.configuration
        phase.configure(&configuration)
        self.configuration = configuration
        image = try phase.image(configuration)
    }

    /// In the quick form each kind meets one call of twenty-nine, each time others: over all kinds, every call fails.
    mutating func run(_ kind: FaultKind) throws {
        let step = SuiteScale.count(29, thorough: 1)
        for times in kind.times {
            let isOneRun = times > 1 && !kind.lasts && !SuiteScale.isLong
            var number = isOneRun ? 0 : sweeps % step
            while try run(kind, from: number, times: times), !isOneRun { number += step }
            sweeps += 1
        }
    }

    /// - Returns: whether a call met a fault.
    private mutating func run(_ kind: FaultKind, from number: Int, times: Int) throws -> Bool {
        let amount = times == .max ? "for good" : times == 1 ? "once" : "\(times) times"
        let place = "\(phase.name), \(access.rawValue), \(kind.name) \(amount), call \(number)"
        if let only = Self.only, !place.contains(only) { return number < 300 }
        watchdog.watch(place)
        let run = try FaultRun(place, kind, image, configuration)
        run.faultsLast = times == .max
        if phase.opensFirst {
            run.store = try run.fixture.open(configuration)
        }
        run.disk.setRule(kind.rule(from: number, times: times))
        do {
            try phase.action(run)
            run.settle()
            let faults = run.disk.faults
            tally.add(kind, faults)
            try phase.check(run, image)
            try run.check(afterDeath: number % 2 == 1)
            return !faults.isEmpty
        } catch {
            Issue.record("\(error); \(run.comment)")
            failures += 1
            // A store that is broken without any fault has no last call; and what a few places tell, the rest tells again.
            return !run.disk.faults.isEmpty && failures < 5
        }
    }
}
