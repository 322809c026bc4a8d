import Dispatch
import Siltstone

/// The turn of writers: one at a time has it, in the order in which they asked.
///
/// A thread that asks waits, a task suspends. The turn is handed over directly, so nobody overtakes.
final class TurnGate: Sendable {
    private enum Waiter: Sendable {
        case thread(DispatchSemaphore)
        case task(CheckedContinuation<Void, Never>)
        case work(@Sendable () -> Void)
    }

    private struct State {
        var isTaken = false
        /// Those that wait, from ``first`` on.
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

    /// Waits for the turn, and blocks the thread meanwhile. To be given by ``give()``.
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

    /// Waits for the turn. To be given by ``give()``.
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

    /// Has work begun once it has the turn, which the work gives by ``give()``.
    /// - Parameter begin: begins the work on a thread of its own, and returns. Called by whoever gives the turn.
    func take(_ begin: @escaping @Sendable () -> Void) {
        let isOurs = state.withLock { state in
            if state.isTaken { state.waiters.append(.work(begin)) }
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if isOurs { begin() }
    }

    /// Hands the turn to the one that has waited longest.
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
