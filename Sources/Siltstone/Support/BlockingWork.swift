import Dispatch

/// A queue for blocking work on behalf of asynchronous callers of one store.
struct BlockingQueue: Sendable {
    private let queue = DispatchQueue(label: "siltstone.blocking", attributes: .concurrent)

    /// Runs blocking work on a thread that is not of the cooperative pool.
    ///
    /// Cancellation does not stop it: what was begun is finished, and its outcome told.
    func run<R: Sendable>(_ body: @escaping @Sendable () throws(StoreError) -> R) async throws(StoreError) -> R {
        try await BlockingWork.run(on: queue, body)
    }
}

/// Runs work that may block on threads that are not of the cooperative pool, for callers that have no engine yet.
enum BlockingWork {
    private static let queue = DispatchQueue(label: "siltstone.open", attributes: .concurrent)

    /// Runs `body` to its end, whether or not the task is cancelled meanwhile.
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
