import Dispatch
import Siltstone

/// The transaction lock: a FIFO lock for threads and tasks.
///
/// A thread blocks and a task suspends. The lock is handed over directly, so no one overtakes. A cancelled task stops
/// waiting, unless it waits to commit.
final class TurnGate: Sendable {
    private enum Waiter: Sendable {
        case thread(DispatchSemaphore)
        case task(CheckedContinuation<Void, Never>)
        case ticket(TurnTicket)
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

    /// Acquires the lock; suspends the task, even if it is cancelled. Release it by ``give()``.
    func take() async {
        await withCheckedContinuation { continuation in
            let isOurs = enter(.task(continuation))
            if isOurs { continuation.resume() }
        }
    }

    /// Begins work as soon as it has the lock. The work must call ``give()``.
    /// - Parameter begin: resumes the continuation, or starts work on another thread that does so, and returns. The
    ///   thread that releases the lock calls it.
    /// - Throws: `CancellationError` if the task is cancelled before the work has begun; and what the work throws.
    func takeUnlessCancelled<R: Sendable>(
        _ begin: @escaping @Sendable (CheckedContinuation<R, any Error>) -> Void
    ) async throws -> R {
        let ticket = TurnTicket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                ticket.wait {
                    begin(continuation)
                } cancelled: {
                    continuation.resume(throwing: CancellationError())
                }
                guard enter(.ticket(ticket)) else { return }
                if let begin = ticket.use() { begin() } else { give() }
            }
        } onCancel: {
            ticket.cancel()
        }
    }

    /// Acquires the lock, or queues a waiter.
    /// - Returns: whether the caller has the lock.
    private func enter(_ waiter: Waiter) -> Bool {
        state.withLock { state in
            if state.isTaken { state.waiters.append(waiter) }
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }

    /// Releases the lock to the longest waiter.
    func give() {
        while true {
            let next: Waiter? = state.withLock { state in
                let next = state.next()
                if next == nil { state.isTaken = false }
                return next
            }
            switch next {
            case .ticket(let ticket):
                // A cancelled one is skipped.
                guard let begin = ticket.use() else { continue }
                begin()
            case .thread(let semaphore): semaphore.signal()
            case .task(let continuation): continuation.resume()
            case nil: break
            }
            return
        }
    }

    /// Whether nobody has the lock.
    var isFree: Bool { state.withLock { !$0.isTaken } }

    /// The number of waiters, cancelled ones included.
    var waiterCount: Int { state.withLock { $0.waiters.count - $0.first } }
}
