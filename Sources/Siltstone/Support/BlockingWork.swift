package import Dispatch

/// Runs work that may block on threads outside the cooperative pool, on behalf of asynchronous callers.
package enum BlockingWork {
    private static let queue = DispatchQueue(label: "siltstone.blocking", attributes: .concurrent)

    /// Runs `body`, and returns its outcome. Cancellation does not stop it.
    /// - Parameter other: the queue to run it on. Nil: one that all callers share, whose threads may all be blocked.
    package static func run<R: Sendable>(
        on other: DispatchQueue? = nil, _ body: @escaping @Sendable () throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        let result: Result<R, StoreError> = await withCheckedContinuation { continuation in
            (other ?? queue).async {
                continuation.resume(returning: Result { () throws(StoreError) in try body() })
            }
        }
        return try result.get()
    }
}
