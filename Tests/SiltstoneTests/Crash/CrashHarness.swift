import Foundation
import Siltstone

@testable import CrashChild

/// One store, and the children that are killed over it.
struct CrashHarness: ~Copyable {
    /// After how many rounds every byte is verified, read in other orders, and by an owner that may write.
    static let thoroughness = 8

    let workload: CrashWorkload
    let scenario: CrashScenario
    let directory: String
    var random: SplitMix64
    var models: [CrashModel]
    var summary = CrashSummary()
    private var callsOfOpening: UInt64 = 20

    /// - Parameter parent: the directory in which the store gets one of its own.
    init(
        _ scenario: CrashScenario, seed: UInt64, in parent: String = FileManager.default.temporaryDirectory.path
    ) throws {
        self.scenario = scenario
        workload = CrashWorkload(scenario: scenario, seed: seed)
        random = SplitMix64(seed: seed)
        models = (0..<scenario.lanes).map { CrashModel(lane: $0) }
        directory = parent + "/siltstone-crash-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    /// Removes the store; one that failed is better left: call it at the end.
    func remove() throws { try FileManager.default.removeItem(atPath: directory) }

    var store: String { directory + "/store" }

    /// Runs one child, ends it, and checks what it left.
    mutating func round(_ number: Int) throws {
        let before = models
        let aim = CrashAim(scenario, round: number, callsOfOpening: callsOfOpening, random: &random)
        let child = try start(stopAfter: aim.stopAfter(scenario, random: &random))
        let isToBeKilled = try aim.wait(for: child)
        if isToBeKilled { try kill(child) }
        if case .opening = aim {
        } else if child.journal.phase == .writing {
            callsOfOpening = max(4, min(child.journal.calls, 60))
        }
        try check(child.journal, since: before, thoroughly: number % Self.thoroughness == 0)
    }

    /// Starts a child that goes on where the last one ended.
    func start(stopAfter: UInt64 = 0, journal: String? = nil) throws -> CrashChildProcess {
        try CrashChildProcess(
            CrashArguments(
                scenario: scenario, store: store, journal: journal ?? directory + "/journal", seed: workload.seed,
                stopAfter: stopAfter, firstIndexes: models.map(\.nextIndex)))
    }

    /// Kills a child, and takes down what it was doing.
    mutating func kill(_ child: CrashChildProcess) throws {
        child.kill()
        try child.checkKilled()
        summary.kills[moment(child.journal), default: 0] += 1
        summary.flushes += Int(child.journal.flushes)
        summary.compactions += Int(child.journal.compactions)
    }

    private func moment(_ journal: CrashJournal) -> CrashSummary.Moment {
        switch journal.phase {
        case .starting: return .starting
        case .opening: return .opening
        case .closing: return .closing
        case .closed: return .closed
        case .writing:
            if journal.isActive(.checkpoint) { return .checkpoint }
            if journal.isActive(.compaction) { return .compaction }
            return journal.isActive(.flush) ? .flush : .writing
        }
    }
}
