import Foundation

/// Runs what waits for other processes beside the pool that the tests run on: that is only as wide as the cores.
enum OwnThread {
    /// How many run at a time; the others wait for their turn, in order.
    static let width = 2

    private static let queue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = width
        return queue
    }()

    /// Runs `body` once its turn comes.
    static func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.addOperation { continuation.resume(with: Result { try body() }) }
        }
    }
}
