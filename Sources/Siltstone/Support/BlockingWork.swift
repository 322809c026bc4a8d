import Dispatch

/// A queue for blocking work on behalf of asynchronous callers of one store.
struct BlockingQueue: Sendable {
    private let queue = DispatchQueue(label: "siltstone.blocking", attributes: .concurrent)

    /// Runs blocking work on a thread outside the cooperative pool.
    ///
    /// Cancellation does not stop the work. It runs to its end, and the caller gets its outcome.
    func run<R: Sendable>(_ body: @escaping @Sendable () throws(StoreError) -> R) async throws(StoreError) -> R {
        try await BlockingWork.run(on: queue, body)
    }
}

/// Runs work that may block on threads outside the cooperative pool, for callers that have no engine yet.
enum BlockingWork {
    private static let queue = DispatchQueue(label: "siltstone.open", attributes: .concurrent)

    /// Runs `body` to its end, even if the task is cancelled meanwhile.
    static func run<R: Sendable>(
        on queue: DispatchQueue = queue, _ body: @escaping @Sendable () throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        let result: Result<R, StoreError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Result { () throws(StoreError) in try body() })
            }
        }
        return try result.get()
    }
}
