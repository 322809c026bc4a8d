import Dispatch
import Synchronization

/// Looks whether stores are idle: one thread for all stores of the process, and only while any of them has been written to
/// lately.
///
/// A thread that sleeps, and no timer of Dispatch: those take file descriptors, and where there are none left they end the
/// process.
final class IdleWatch: Sendable {
    static let shared = IdleWatch()

    /// How long nobody must have written, in nanoseconds. Long beside the pauses of a busy program, short beside those of a
    /// person.
    private static let quietTime: UInt64 = 100_000_000
    /// How often to look, in microseconds.
    private static let step: UInt32 = 10_000

    /// A store that was written to.
    private struct Entry {
        let work: OwnerReference<BackgroundWork>
        /// Its last change when it was looked at last.
        let sequence: SequenceNumber
        /// Since when that is its last change, on the monotonic clock.
        let since: UInt64
    }

    private struct State {
        var entries: [Entry] = []
        var isRunning = false
    }

    private let state = Locked(State(), rank: .leaf)
    private let queue = DispatchQueue(label: "siltstone.idle", qos: .utility)

    private init() {}

    /// Watches a store until it is idle, and has it tidied up then.
    /// - Parameters:
    ///   - sequence: its last change.
    ///   - isQuiet: whether it was found idle already, and is only to be told again soon.
    func add(_ work: OwnerReference<BackgroundWork>, _ sequence: SequenceNumber, isQuiet: Bool = false) {
        let since = isQuiet ? 0 : Platform.monotonicNanoseconds()
        let mustStart = state.withLock { state in
            state.entries.append(Entry(work: work, sequence: sequence, since: since))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { queue.async { self.run() } }
    }

    private func run() {
        while true {
            Platform.sleep(microseconds: Self.step)
            let entries = state.withLock { state in
                defer { state.entries = [] }
                return state.entries
            }
            let left = entries.compactMap { look(at: $0) }
            let isDone = state.withLock { state in
                state.entries += left
                state.isRunning = !state.entries.isEmpty
                return !state.isRunning
            }
            if isDone { return }
        }
    }

    /// - Returns: what is to be looked at again; nil where the store is gone, or was told.
    private func look(at entry: Entry) -> Entry? {
        guard let work = entry.work.value, !work.status.isStopping else { return nil }
        let (sequence, now) = (work.reads.visible.load(ordering: .relaxed), Platform.monotonicNanoseconds())
        if sequence != entry.sequence { return Entry(work: entry.work, sequence: sequence, since: now) }
        if now - entry.since < Self.quietTime { return entry }
        work.tidySoon(since: sequence)
        return nil
    }
}
