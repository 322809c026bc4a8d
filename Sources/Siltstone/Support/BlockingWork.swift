import Dispatch

/// Runs work that may block on threads outside the cooperative pool, on behalf of asynchronous callers.
package enum BlockingWork {
    private static let queue = DispatchQueue(label: "siltstone.blocking", attributes: .concurrent)

    /// Runs `body`, and returns its outcome. Cancellation does not stop it.
    package static func run<R: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        let result: Result<R, StoreError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Result { () throws(StoreError) in try body() })
            }
        }
        return try result.get()
    }
}
