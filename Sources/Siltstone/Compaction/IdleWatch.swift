import Dispatch
import Synchronization

/// Detects when stores become idle, and schedules their tidying: a flush, and a compaction of level 0. One thread
/// serves all stores of the process, and runs only while some store is watched.
///
/// The thread runs one closure on a queue, which sleeps between checks. A Dispatch timer would take file descriptors,
/// and Dispatch aborts the process if none are left.
final class IdleWatch: Sendable {
    static let shared = IdleWatch()

    /// A store is idle after this time without a write, in nanoseconds (100 ms). A busy program rarely pauses for that
    /// long. A person who uses the program often does.
    private static let idleTime: UInt64 = 100_000_000
    /// Interval between checks, in microseconds (10 ms).
    private static let checkInterval: UInt32 = 10_000

    /// A watched store.
    private struct Entry {
        let work: OwnerReference<BackgroundWork>
        /// The store's last sequence number at the previous check.
        let sequence: SequenceNumber
        /// The time at which `sequence` was first seen, in nanoseconds. 0 makes the store idle at the next check,
        /// unless there was a write.
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
    /// - Parameters:
    ///   - sequence: the store's last sequence number.
    ///   - wasIdle: true if the store was already found idle, but its memtable could not be sealed before some
    ///     background work has finished. The store is then idle at the next check, unless there was a write.
    func add(_ work: OwnerReference<BackgroundWork>, _ sequence: SequenceNumber, wasIdle: Bool = false) {
        let since = wasIdle ? 0 : Platform.monotonicNanoseconds()
        let mustStart = state.withLock { state in
            state.entries.append(Entry(work: work, sequence: sequence, since: since))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { queue.async { self.run() } }
    }

    private func run() {
        while true {
            Platform.sleep(microseconds: Self.checkInterval)
            let entries = state.withLock { state in
                defer { state.entries = [] }
                return state.entries
            }
            let remaining = entries.compactMap { check($0) }
            let isDone = state.withLock { state in
                state.entries += remaining
                state.isRunning = !state.entries.isEmpty
                return !state.isRunning
            }
            if isDone { return }
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
