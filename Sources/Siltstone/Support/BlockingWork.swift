import Dispatch

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
