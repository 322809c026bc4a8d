#if os(Linux)
import Foundation
import Siltstone

@testable import CrashChild

/// One store on one small disk, which children fill again and again, each time a little more.
final class FullDiskAttack {
    /// What an attack has seen.
    struct Summary: Sendable {
        var fillings = 0
        var kills = 0
        var refusals = 0
        var acknowledged = 0
        var openedAtFull = 0
        var refusedAtFull = 0

        mutating func add(_ other: Summary) {
            fillings += other.fillings
            kills += other.kills
            refusals += other.refusals
            acknowledged += other.acknowledged
            openedAtFull += other.openedAtFull
            refusedAtFull += other.refusedAtFull
        }

        var figures: KeyValuePairs<String, Int> {
            [
                "times full": fillings, "kills at full": kills, "refused writes": refusals,
                "acknowledged operations": acknowledged, "opened for writing at full": openedAtFull,
                "not opened for want of space": refusedAtFull,
            ]
        }
    }

    private let disk: SmallDisk
    private var harness: CrashHarness
    private(set) var summary = Summary()

    init(_ scenario: CrashScenario, seed: UInt64) throws {
        disk = try SmallDisk(megabytes: 8)
        harness = try CrashHarness(scenario, seed: seed, in: disk.path)
    }

    /// The store grows by and by, on what the ballast leaves it.
    func run() throws {
        for _ in 0..<4 { try round() }
        try disk.removeBallast()
        try harness.checkAsOwner()
    }

    /// One child fills the disk, goes on when there is more room, fills that too, and is killed.
    private func round() throws {
        let before = harness.models
        try disk.fill(leaving: 400 << 10)
        // The journal elsewhere: a page of it that finds no room would end the child.
        let journal = FileManager.default.temporaryDirectory.path + "/siltstone-journal-" + UUID().uuidString
        let child = try harness.start(journal: journal)
        try waitUntilFull(child)
        try disk.release(300 << 10)
        let taken = acknowledged(child.journal)
        try child.wait { acknowledged($0) > taken + 20 }
        try waitUntilFull(child)
        usleep(UInt32(harness.random.next() % 20_000))
        try harness.kill(child)
        summary.kills += 1
        summary.refusals += Int(child.journal.refusals)
        summary.acknowledged += acknowledged(child.journal)
        try harness.check(child.journal, since: before, thoroughly: false)
        for path in [journal, journal + ".errors"] { try FileManager.default.removeItem(atPath: path) }
        try openAtFull()
    }

    private func acknowledged(_ journal: CrashJournal) -> Int {
        (0..<harness.scenario.lanes).reduce(0) { $0 + Int(journal.acknowledged(lane: $1)) }
    }

    /// Waits until no lane gets on: each is refused again and again, and no other is acknowledged meanwhile.
    private func waitUntilFull(_ child: CrashChildProcess) throws {
        var (taken, refused) = (-1, child.journal.refusals)
        try child.wait { journal in
            let now = acknowledged(journal)
            if now != taken { (taken, refused) = (now, journal.refusals) }
            return journal.refusals >= refused + UInt64(5 * harness.scenario.lanes)
        }
        summary.fillings += 1
    }

    /// Opening for writing on the full disk succeeds or says that there is no room; either way nothing is lost.
    private func openAtFull() throws {
        do {
            let store = try KeyValueStore.open(at: harness.store, configuration: harness.scenario.configuration)
            try harness.checkModels(try harness.contents(of: store))
            do { try store.close() } catch { if error.code != .noSpace { throw error } }
            summary.openedAtFull += 1
        } catch let error as StoreError {
            try CrashFailure.require(error.code == .noSpace, "opening at full throws \(error)")
            summary.refusedAtFull += 1
        }
        var configuration = harness.scenario.configuration
        configuration.readOnly = true
        let store = try KeyValueStore.open(at: harness.store, configuration: configuration)
        try harness.checkModels(try harness.contents(of: store))
        try store.close()
    }
}
#endif
