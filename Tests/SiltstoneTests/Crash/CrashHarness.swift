import Foundation
import Siltstone
import Testing

@testable import CrashChild

/// One store, and the children that are killed over it.
struct CrashHarness: ~Copyable {
    private let workload: CrashWorkload
    private let scenario: CrashScenario
    private let directory: String
    private var random: SplitMix64
    private var models: [CrashModel]
    private(set) var summary = Summary()

    /// What a run has seen.
    struct Summary: CustomStringConvertible {
        var kills = 0
        var killsWhileOpening = 0
        var killsWhileClosing = 0
        var acknowledged: UInt64 = 0
        var inFlight = 0
        var flushes: UInt64 = 0
        var compactions: UInt64 = 0
        var checkpoints = 0

        var description: String {
            "\(kills) kills (\(killsWhileOpening) while opening, \(killsWhileClosing) while closing), \(acknowledged) "
                + "acknowledged operations, \(inFlight) in flight, \(flushes) flushes, \(compactions) compactions, "
                + "\(checkpoints) checkpoints"
        }
    }

    init(_ scenario: CrashScenario, seed: UInt64) throws {
        self.scenario = scenario
        workload = CrashWorkload(scenario: scenario, seed: seed)
        random = SplitMix64(seed: seed)
        models = (0..<scenario.lanes).map { CrashModel(lane: $0) }
        directory = FileManager.default.temporaryDirectory.path + "/siltstone-crash-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    /// Removes the store; one that failed is better left: call it at the end.
    func remove() throws { try FileManager.default.removeItem(atPath: directory) }

    var store: String { directory + "/store" }

    // MARK: Rounds

    /// Runs one child, ends it, and checks what it left.
    mutating func round(_ number: Int) throws {
        let choice = random.next() % 20
        let before = models
        let isClosing = choice < 3
        let child = try CrashChildProcess(
            CrashArguments(
                scenario: scenario, store: store, journal: directory + "/journal", seed: workload.seed,
                stopAfter: isClosing ? 1 + random.next() % (scenario.operationsPerRound / 2) : 0,
                firstIndexes: models.map(\.nextIndex)))
        if isClosing {
            try killWhileClosing(child)
        } else if choice < 8, number > 0 {
            try killWhileOpening(child)
        } else {
            try killWhileWriting(child)
        }
        let journal = child.journal
        summary.flushes += journal.flushes
        summary.compactions += journal.compactions
        try check(journal, since: before)
    }

    private mutating func killWhileWriting(_ child: CrashChildProcess) throws {
        let goal = 1 + random.next() % scenario.operationsPerRound
        let lane = Int(random.next() % UInt64(scenario.maintenanceLane ?? scenario.lanes))
        try child.wait { $0.acknowledged(lane: lane) >= goal }
        // Anywhere between two operations and the next flush.
        usleep(UInt32(random.next() % 3_000))
        child.kill()
        summary.kills += 1
    }

    private mutating func killWhileOpening(_ child: CrashChildProcess) throws {
        try child.wait { $0.phase != .starting }
        usleep(UInt32(random.next() % 6_000))
        if child.journal.phase == .opening { summary.killsWhileOpening += 1 }
        child.kill()
        summary.kills += 1
    }

    private mutating func killWhileClosing(_ child: CrashChildProcess) throws {
        try child.wait { $0.phase.rawValue >= CrashJournal.Phase.closing.rawValue }
        if random.next() % 4 == 0 { return try child.waitUntilClosed() }
        usleep(UInt32(random.next() % 10_000))
        if child.journal.phase == .closing { summary.killsWhileClosing += 1 }
        child.kill()
        summary.kills += 1
    }

    // MARK: Checks

    /// Checks the store as the dead child left it, changing nothing; often also as the next owner would find it.
    private mutating func check(_ journal: CrashJournal, since before: [CrashModel]) throws {
        if models.allSatisfy({ $0.nextIndex == 0 }), !FileManager.default.fileExists(atPath: store + "/CURRENT") {
            // Killed before the store was made: then nothing can have been acknowledged.
            try #require(models.allSatisfy { journal.begun(lane: $0.lane) == 0 })
            return
        }
        var configuration = scenario.configuration
        configuration.readOnly = true
        let found = try KeyValueStore.open(at: store, configuration: configuration)
        for lane in models.indices { try settle(lane, journal, try content(ofLane: lane, in: found)) }
        try checkWhole(found)
        try found.close()
        try checkCheckpoints(journal, since: before)
        guard random.next() % 4 == 0 else { return }
        let reopened = try KeyValueStore.open(at: store, configuration: scenario.configuration)
        for model in models {
            let difference = model.difference(from: try content(ofLane: model.lane, in: reopened))
            try #require(difference == nil)
        }
        try checkWhole(reopened)
        try reopened.close()
    }

    /// Advances the model of a lane by what was acknowledged, and, if the store says so, by the operation in flight.
    private mutating func settle(_ lane: Int, _ journal: CrashJournal, _ content: [[UInt8]: [UInt8]]) throws {
        let (begun, acknowledged) = (journal.begun(lane: lane), journal.acknowledged(lane: lane))
        for _ in 0..<acknowledged { models[lane].advance(workload) }
        summary.acknowledged += acknowledged
        let difference = models[lane].difference(from: content)
        guard begun > acknowledged else {
            try #require(difference == nil)
            return
        }
        summary.inFlight += 1
        var with = models[lane]
        with.advance(workload)
        models[lane].advance(workload, applying: false)
        if difference == nil { return }
        let other = with.difference(from: content)
        try #require(other == nil, "and without the operation in flight: \(difference ?? "")")
        models[lane] = with
    }

    private func content(ofLane lane: Int, in store: KeyValueStore) throws -> [[UInt8]: [UInt8]] {
        var content: [[UInt8]: [UInt8]] = [:]
        var last: [UInt8] = []
        let cursor = try store.scan(prefix: CrashWorkload.prefix(ofLane: lane))
        while let entry = try cursor.next() {
            try #require(last.lexicographicallyPrecedes(entry.key), "a scan is in ascending order")
            content[entry.key] = entry.value
            last = entry.key
        }
        return content
    }

    /// Checks what concerns the store as a whole: every byte, no key from nowhere, point reads, the sum of all accounts.
    private func checkWhole(_ store: KeyValueStore) throws {
        try #require(try store.verify().problems == [])
        var count = 0
        try store.forEach { _, _ in
            count += 1
            return true
        }
        try #require(count == models.reduce(0) { $0 + $1.entries.count })
        for model in models {
            for (key, value) in model.entries.prefix(50) { try #require(try store.get(key) == value) }
        }
        guard scenario == .transfers, count > 0 else { return }
        let sum = try (0..<CrashWorkload.accounts).reduce(0) { sum, account in
            let value = try #require(try store.get(CrashWorkload.accountKey(account)))
            return sum + (Int(String(decoding: value, as: UTF8.self)) ?? 0)
        }
        try #require(sum == CrashWorkload.accounts * CrashWorkload.openingBalance)
    }

    // MARK: Checkpoints

    /// Checks each checkpoint that was acknowledged in this round: it is a store of its own, and holds for each lane what
    /// the lane had written up to some moment of the round. Removes them, the unfinished one too.
    private mutating func checkCheckpoints(_ journal: CrashJournal, since before: [CrashModel]) throws {
        guard let maintenance = scenario.maintenanceLane else { return }
        let acknowledged = before[maintenance].nextIndex + journal.acknowledged(lane: maintenance)
        let prefix = "store.checkpoint-"
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name.hasPrefix(prefix) {
            let path = directory + "/" + name
            if let number = UInt64(name.dropFirst(prefix.count)), number < acknowledged {
                try checkCheckpoint(path, since: before)
                summary.checkpoints += 1
            }
            try FileManager.default.removeItem(atPath: path)
        }
    }

    private func checkCheckpoint(_ path: String, since before: [CrashModel]) throws {
        let checkpoint = try KeyValueStore.open(at: path, configuration: scenario.configuration)
        try #require(try checkpoint.verify().problems == [])
        for var model in before where model.lane != scenario.maintenanceLane {
            let content = try content(ofLane: model.lane, in: checkpoint)
            if let counter = content[CrashWorkload.counterKey(ofLane: model.lane)],
                let last = UInt64(String(decoding: counter, as: UTF8.self))
            {
                while model.nextIndex <= last, model.nextIndex < models[model.lane].nextIndex {
                    model.advance(workload)
                }
            }
            let difference = model.difference(from: content)
            try #require(difference == nil)
        }
        try checkpoint.close()
    }
}
