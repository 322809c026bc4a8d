import Dispatch
import Synchronization

/// Detects when stores become idle, and schedules their tidying: a flush, and a compaction of level 0. One thread
/// serves all stores of the process, and runs only while some store is watched.
///
/// The thread runs one closure on a queue, which sleeps until the next store can be idle. A Dispatch timer would take
/// file descriptors, and Dispatch aborts the process if none are left.
final class IdleWatch: Sendable {
    static let shared = IdleWatch()

    /// A store is idle after this time without a write, in nanoseconds (100 ms). It is found after twice the time at
    /// the latest, because it is looked at once in that time. A busy program rarely pauses for that long. A person who
    /// uses the program often does.
    private static let idleTime: UInt64 = 100_000_000

    /// A watched store.
    private struct Entry {
        let work: OwnerReference<BackgroundWork>
        /// The store's last sequence number at the previous check.
        let sequence: SequenceNumber
        /// The time at which `sequence` was first seen, in nanoseconds.
        let since: UInt64
    }

    private struct State {
        var entries: [Entry] = []
        /// True while the thread runs.
        var isRunning = false
    }

    private let state = Locked(State(), rank: .leaf)
    private let queue = DispatchQueue(label: "siltstone.idle", qos: .utility)

    private init() {}

    /// Watches a store until it is idle, then schedules its tidying.
    /// - Parameter sequence: the store's last sequence number.
    func add(_ work: OwnerReference<BackgroundWork>, _ sequence: SequenceNumber) {
        let mustStart = state.withLock { state in
            state.entries.append(Entry(work: work, sequence: sequence, since: Platform.monotonicNanoseconds()))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { queue.async { self.run() } }
    }

    private func run() {
        // The time at which the first of the stores can be idle. A store that is added meanwhile cannot be before.
        var next = Platform.monotonicNanoseconds() + Self.idleTime
        while true {
            let now = Platform.monotonicNanoseconds()
            if next > now { Platform.sleep(microseconds: UInt32((next - now) / 1000) + 1) }
            let entries = state.withLock { state in
                defer { state.entries = [] }
                return state.entries
            }
            let remaining = entries.compactMap { check($0) }
            let first = state.withLock { state in
                state.entries += remaining
                state.isRunning = !state.entries.isEmpty
                return state.entries.map(\.since).min()
            }
            guard let first else { return }
            next = first + Self.idleTime
        }
    }

    /// Checks one store, and schedules its tidying if it is idle.
    /// - Returns: the entry to check again; nil if the store is gone or closing, or if its tidying was scheduled.
    private func check(_ entry: Entry) -> Entry? {
        guard let work = entry.work.value, !work.status.isStopping else { return nil }
        let (sequence, now) = (work.reads.visible, Platform.monotonicNanoseconds())
        if sequence != entry.sequence { return Entry(work: entry.work, sequence: sequence, since: now) }
        if now - entry.since < Self.idleTime { return entry }
        work.tidySoon(since: sequence)
        return nil
    }
}
