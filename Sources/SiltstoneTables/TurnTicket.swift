import Synchronization

/// The place of a task in the queue of a ``TurnGate``, which the task's cancellation takes back.
///
/// A cancelled ticket stays in the queue until its turn comes, and is then skipped: its removal would be a search.
final class TurnTicket: Sendable {
    private enum State {
        case new
        case waiting(begin: @Sendable () -> Void, cancelled: @Sendable () -> Void)
        /// It has got its turn, or was cancelled before.
        case used
    }

    private let state = Mutex(State.new)

    /// Sets the two ends of the wait, of which one will be called, once.
    /// - Parameters:
    ///   - begin: begins the work; see ``use()``.
    ///   - cancelled: ends the wait of a task that was cancelled. Called at once if it was cancelled before.
    func wait(begin: @escaping @Sendable () -> Void, cancelled: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if case .used = state { return true }
            state = .waiting(begin: begin, cancelled: cancelled)
            return false
        }
        if isCancelled { cancelled() }
    }

    /// Takes the work, which a cancellation no longer stops.
    /// - Returns: the beginning of the work, for the caller to call with the lock; nil if the task was cancelled.
    func use() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard case .waiting(let begin, _) = state else { return nil }
            state = .used
            return begin
        }
    }

    /// Ends the wait. Does nothing if the work has begun.
    func cancel() {
        let cancelled = state.withLock { state -> (@Sendable () -> Void)? in
            defer { state = .used }
            if case .waiting(_, let cancelled) = state { return cancelled }
            return nil
        }
        cancelled?()
    }
}
