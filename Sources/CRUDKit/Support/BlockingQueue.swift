import Dispatch

/// Runs what waits for the disk on a thread of Dispatch: one that waits in the pool of Swift's tasks would be missing
/// there for everyone.
struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// A queue that runs one thing at a time, or several at once.
    init(label: String, concurrent: Bool = false) {
        queue = DispatchQueue(label: label, attributes: concurrent ? .concurrent : [])
    }

    /// Runs `body` and waits for it, without holding a thread.
    func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
