import Dispatch
import Foundation
import Siltstone

/// The child's life: open, write, and, unless it is killed before, close.
struct CrashRun: Sendable {
    let arguments: CrashArguments
    let journal: CrashJournal
    let workload: CrashWorkload
    /// Whoever started the child; when that process is gone, nobody would ever end this one.
    let parent = getppid()

    private var scenario: CrashScenario { arguments.scenario }

    init(_ arguments: CrashArguments) throws {
        self.arguments = arguments
        journal = try CrashJournal(path: arguments.journal, isNew: false)
        workload = CrashWorkload(scenario: arguments.scenario, seed: arguments.seed)
    }

    func run() throws {
        journal.phase = .opening
        var configuration = scenario.configuration
        configuration.fileSystem = NotingFileSystem(journal: journal)
        let store = try KeyValueStore.open(at: arguments.store, configuration: configuration)
        journal.phase = .writing
        runLanes(on: store)
        journal.phase = .closing
        try store.close()
        journal.phase = .closed
    }

    /// Runs every lane on a thread of its own; an error in one ends the process, and so the parent learns of it.
    private func runLanes(on store: KeyValueStore) {
        let lanes = DispatchGroup()
        for lane in 0..<scenario.lanes {
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
        if lane == scenario.maintenanceLane, end < UInt64.max { end = first + 1 + arguments.stopAfter / 64 }
        for index in first..<end {
            let operation = try workload.operation(lane: lane, index: index) { try store.get($0) }
            journal.begin(lane: lane)
            try perform(operation, lane, index, on: store)
            journal.acknowledge(lane: lane)
            if index % 32 == 0, getppid() != parent { exit(2) }
        }
    }

    private func perform(_ operation: CrashOperation, _ lane: Int, _ index: UInt64, on store: KeyValueStore) throws {
        if case .checkpoint(let number) = operation {
            journal.noteFloors(lanes: scenario.lanes, checkpoint: number)
            journal.begin(.checkpoint)
        }
        defer { if case .checkpoint = operation { journal.end(.checkpoint) } }
        while true {
            do {
                return try operation.perform(on: store, checkpoints: arguments.store + ".checkpoint-")
            } catch {
                guard scenario.fillsDisk, (error as? StoreError)?.code == .noSpace else { throw error }
            }
            try checkRefusal(operation, lane, index, on: store)
            journal.noteRefusal()
            if getppid() != parent { exit(2) }
            usleep(2_000)
        }
    }

    /// A write that was refused for want of space has changed nothing, and what was there before can still be read.
    private func checkRefusal(
        _ refused: CrashOperation, _ lane: Int, _ index: UInt64, on store: KeyValueStore
    ) throws {
        for case .put(let key, _) in refused.changes where try store.contains(key) {
            throw CrashOperation.ConditionFailed(operation: refused)
        }
        guard index > arguments.firstIndexes[lane] else { return }
        let before = workload.operation(lane: lane, index: index - 1) { _ in nil }
        for case .put(let key, let value) in before.changes where try store.get(key) != value {
            throw CrashOperation.ConditionFailed(operation: before)
        }
    }
}
