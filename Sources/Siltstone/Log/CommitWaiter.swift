import Dispatch
import Synchronization

/// One thread's wait for a group's sync, which another one ends by ``call()``.
///
/// The thread looks again and again for a while, giving way each time, before it goes to sleep: to wake it takes many
/// times what its own write does, above all where the processor has gone to sleep, too. RocksDB does so
/// (`enable_write_thread_adaptive_yield`).
final class CommitWaiter: Sendable {
    private enum State {
        static let waiting: UInt8 = 0
        static let asleep: UInt8 = 1
        static let called: UInt8 = 2
    }

    private let state = Atomic<UInt8>(State.waiting)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Ends the wait, begun or not. Once for each.
    func call() {
        if state.exchange(State.called, ordering: .acquiringAndReleasing) == State.asleep { semaphore.signal() }
    }

    /// Waits for the call. To be used again afterwards.
    /// - Parameter patience: how long to stay awake; nil for not at all.
    func wait(staying patience: CommitPatience? = nil) {
        if !(patience.map { isCalled(within: $0) } ?? false) {
            let sleeps = state.compareExchange(
                expected: State.waiting, desired: State.asleep, ordering: .acquiringAndReleasing
            ).exchanged
            if sleeps { semaphore.wait() }
        }
        // Whoever has called touches the state no more.
        state.store(State.waiting, ordering: .relaxed)
    }

    private func isCalled(within patience: CommitPatience) -> Bool {
        let start = Platform.monotonicNanoseconds()
        let limit = patience.limit(now: start)
        var last = start
        while last &- start < limit {
            Platform.yieldThread()
            if state.load(ordering: .acquiring) == State.called { return true }
            let now = Platform.monotonicNanoseconds()
            if now &- last > CommitPatience.longestYield {
                patience.noteBusy(now: now)
                return false
            }
            last = now
        }
        return false
    }
}
