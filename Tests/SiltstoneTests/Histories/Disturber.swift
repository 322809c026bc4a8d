import Foundation

@testable import Siltstone

/// A thread beside those that are recorded: it keeps flushes, compactions, checks and copies going, and fills the store
/// with other keys between those of the history.
struct Disturber {
    let store: KeyValueStore
    let lane: HistoryRecorder.Lane
    let checkpointPrefix: String
    var random: SeededGenerator
    private(set) var checkpoints: [Checkpoint] = []

    /// A copy that was made between two times.
    struct Checkpoint: Sendable {
        var path: String
        var invoked: Int
        var returned: Int
    }

    init(_ store: KeyValueStore, _ lane: HistoryRecorder.Lane, checkpointPrefix: String, seed: UInt64) {
        self.store = store
        self.lane = lane
        self.checkpointPrefix = checkpointPrefix
        random = SeededGenerator(seed)
    }

    /// Makes a nuisance of itself until told to stop, or until the store is closed.
    mutating func run(while isOn: () -> Bool) {
        while isOn(), !lane.sawClosed {
            do throws(StoreError) { try step() } catch { lane.note(error) }
            if random.chance(0.5) { usleep(UInt32(random.index(800))) }
        }
        lane.end()
    }

    private mutating func step() throws(StoreError) {
        switch random.index(100) {
        case 0..<30: try store.flush()
        case 30..<40: try store.compact()
        case 40..<50: try compactRange()
        case 50..<54: try verify()
        case 54..<58: try checkpoint()
        case 58..<60: _ = store.statistics
        default: try fill()
        }
    }

    private mutating func compactRange() throws(StoreError) {
        let from = random.index(HistoryKeys.count)
        let to = min(HistoryKeys.count, from + 1 + random.index(5))
        try store.compact(from: HistoryKeys.bytes(from), to: HistoryKeys.bytes(to))
    }

    private func verify() throws(StoreError) {
        let report = try store.verify()
        lane.note(problems: report.problems.map { "\($0)" })
    }

    private mutating func checkpoint() throws(StoreError) {
        let path = "\(checkpointPrefix)-\(lane.number)-\(checkpoints.count)"
        let invoked = lane.recorder.now()
        try store.checkpoint(to: path)
        checkpoints.append(Checkpoint(path: path, invoked: invoked, returned: lane.recorder.now()))
    }

    private mutating func fill() throws(StoreError) {
        for _ in 0..<20 {
            let name = HistoryKeys.filler(behind: random.index(HistoryKeys.count), random.index(20))
            try store.put(name, [UInt8](repeating: 7, count: 200 + random.index(1000)), durability: .buffered)
        }
    }
}
