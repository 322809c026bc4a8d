import Foundation
import Siltstone

@testable import CrashChild

extension CrashHarness {
    /// Checks each checkpoint that was begun in this round, and removes it.
    ///
    /// It is a store of its own, and holds for each lane what the lane had written up to some moment of the round. One
    /// that was in the making is that too, or no store at all.
    mutating func checkCheckpoints(_ journal: CrashJournal, since before: [CrashModel]) throws {
        guard let maintenance = scenario.maintenanceLane else { return }
        let acknowledged = before[maintenance].nextIndex + journal.acknowledged(lane: maintenance)
        let prefix = "store.checkpoint-"
        let numbers = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasPrefix(prefix) }
            .compactMap { UInt64($0.dropFirst(prefix.count)) }
        for number in numbers {
            let path = directory + "/" + prefix + String(number)
            let isDone = number < acknowledged
            // The floors are those of the last checkpoint that was begun, which may not have a directory yet.
            if let checkpoint = try openCheckpoint(path, isDone: isDone) {
                try check(checkpoint, since: before, floors: journal.checkpoint == number + 1 ? journal : nil)
                try checkpoint.close()
                summary.checkpoints += 1
            }
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// Opens a checkpoint; nil where it was in the making, and has not become a store.
    private func openCheckpoint(_ path: String, isDone: Bool) throws -> KeyValueStore? {
        var configuration = scenario.configuration
        configuration.createIfMissing = false
        do { return try KeyValueStore.open(at: path, configuration: configuration) } catch {
            let hasCurrent = FileManager.default.fileExists(atPath: path + "/CURRENT")
            if !isDone, !hasCurrent, error.code == .notFound || error.code == .corrupt { return nil }
            throw error
        }
    }

    private func check(_ checkpoint: KeyValueStore, since before: [CrashModel], floors: CrashJournal?) throws {
        let problems = try checkpoint.verify().problems
        try CrashFailure.require(problems.isEmpty, "verify finds in a checkpoint \(problems)")
        let contents = try contents(of: checkpoint)
        for var model in before where model.lane != scenario.maintenanceLane {
            let content = contents.lanes[model.lane]
            let first = model.nextIndex
            if let counter = content[CrashWorkload.counterKey(ofLane: model.lane)],
                let last = UInt64(String(decoding: counter, as: UTF8.self))
            {
                while model.nextIndex <= last, model.nextIndex < models[model.lane].nextIndex {
                    model.advance(workload)
                }
            }
            if let difference = model.difference(from: content) { throw CrashFailure("checkpoint: \(difference)") }
            if let floor = floors?.floor(lane: model.lane) {
                try CrashFailure.require(
                    model.nextIndex >= first + floor,
                    "a checkpoint lacks of lane \(model.lane) what was acknowledged before it began")
            }
        }
    }
}
