import Synchronization

/// A flag that carries a task's cancellation to work on another thread.
final class CancellationFlag: Sendable {
    private let isCancelled = Atomic(false)

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Throws `CancellationError` after ``cancel()``.
    func check() throws {
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }
}
