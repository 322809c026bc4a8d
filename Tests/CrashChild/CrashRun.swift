import Dispatch
import Foundation
import Siltstone

/// The child's life: open, write, and, unless it is killed before, close.
struct CrashRun: Sendable {
    let arguments: CrashArguments
    let journal: CrashJournal
    let workload: CrashWorkload

    init(_ arguments: CrashArguments) throws {
        self.arguments = arguments
        journal = try CrashJournal(path: arguments.journal, isNew: false)
        workload = CrashWorkload(scenario: arguments.scenario, seed: arguments.seed)
    }

    func run() throws {
        journal.phase = .opening
        let store = try KeyValueStore.open(at: arguments.store, configuration: arguments.scenario.configuration)
        journal.phase = .writing
        runLanes(on: store)
        journal.phase = .closing
        try store.close()
        journal.phase = .closed
    }

    /// Runs every lane on a thread of its own; an error in one ends the process, and so the parent learns of it.
    private func runLanes(on store: KeyValueStore) {
        let lanes = DispatchGroup()
        for lane in 0..<arguments.scenario.lanes {
            lanes.enter()
            let thread = Thread {
                do { try runLane(lane, on: store) } catch {
                    FileHandle.standardError.write(Data("lane \(lane): \(error)\n".utf8))
                    exit(1)
                }
                lanes.leave()
            }
            thread.stackSize = 4 << 20
            thread.start()
        }
        lanes.wait()
    }

    private func runLane(_ lane: Int, on store: KeyValueStore) throws {
        let first = arguments.firstIndexes[lane]
        var end = arguments.stopAfter == 0 ? UInt64.max : first + arguments.stopAfter
        // One of its operations takes as long as many writes.
        if lane == arguments.scenario.maintenanceLane, end < UInt64.max { end = first + 1 + arguments.stopAfter / 64 }
        for index in first..<end {
            let operation = try workload.operation(lane: lane, index: index) { try store.get($0) }
            journal.begin(lane: lane)
            try operation.perform(on: store, checkpoints: arguments.store + ".checkpoint-")
            journal.acknowledge(lane: lane)
            if index % 32 == 0, lane == 0 {
                let statistics = store.statistics
                journal.flushes = UInt64(statistics.flushes)
                journal.compactions = UInt64(statistics.compactions)
            }
        }
    }
}
