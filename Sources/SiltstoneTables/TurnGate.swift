import Dispatch
import Siltstone

/// The transaction lock: a FIFO lock for threads and tasks.
///
/// A thread blocks and a task suspends. The lock is handed over directly, so no one overtakes.
final class TurnGate: Sendable {
    private enum Waiter: Sendable {
        case thread(DispatchSemaphore)
        case task(CheckedContinuation<Void, Never>)
        case work(@Sendable () -> Void)
    }

    private struct State {
        var isTaken = false
        /// The waiters, in order, from index ``first``.
        var waiters: [Waiter] = []
        var first = 0

        mutating func next() -> Waiter? {
            guard first < waiters.count else {
                waiters.removeAll(keepingCapacity: true)
                first = 0
                return nil
            }
            defer { first += 1 }
            if first > 64, first * 2 > waiters.count {
                waiters.removeFirst(first)
                first = 0
            }
            return waiters[first]
        }
    }

    private let state = Locked(State())

    /// Acquires the lock; blocks the thread. Release it by ``give()``.
    func take() {
        let semaphore: DispatchSemaphore? = state.withLock { state in
            if !state.isTaken {
                state.isTaken = true
                return nil
            }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiters.append(.thread(semaphore))
            return semaphore
        }
        semaphore?.wait()
    }

    /// Acquires the lock; suspends the task. Release it by ``give()``.
    func take() async {
        let isOurs = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if isOurs { return }
        await withCheckedContinuation { continuation in
            let isOurs = state.withLock { state in
                if !state.isTaken {
                    state.isTaken = true
                    return true
                }
                state.waiters.append(.task(continuation))
                return false
            }
            if isOurs { continuation.resume() }
        }
    }

    /// Begins work as soon as it has the lock. The work must call ``give()``.
    /// - Parameter begin: starts the work on another thread and returns. The thread that releases the lock calls it.
    func take(_ begin: @escaping @Sendable () -> Void) {
        let isOurs = state.withLock { state in
            if state.isTaken { state.waiters.append(.work(begin)) }
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if isOurs { begin() }
    }

    /// Releases the lock to the longest waiter.
    func give() {
        let next: Waiter? = state.withLock { state in
            let next = state.next()
            if next == nil { state.isTaken = false }
            return next
        }
        switch next {
        case .thread(let semaphore): semaphore.signal()
        case .task(let continuation): continuation.resume()
        case .work(let begin): begin()
        case nil: break
        }
    }
}
