import Dispatch

/// Runs blocking work on Dispatch threads, because blocked threads of Swift's cooperative pool would be missing for all
/// tasks.
struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// - Parameter concurrent: whether several pieces of work may run at once.
    init(label: String, concurrent: Bool = false) {
        queue = DispatchQueue(label: label, attributes: concurrent ? .concurrent : [])
    }

    /// Runs `body` and suspends until it ends.
    func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
