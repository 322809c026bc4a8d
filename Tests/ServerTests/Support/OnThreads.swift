#if MySQL
import Foundation
import Testing

/// Runs tests, which block while they wait for servers, on a few threads of their own: the threads of the cooperative pool are
/// as few as the machine's cores, and other tests need them.
struct OnThreads: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
    }
}

extension Trait where Self == OnThreads {
    /// On threads that may block.
    static var onThreads: Self { OnThreads() }
}

/// Runs the parts of tasks on the threads of a queue.
private final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    private let queue: OperationQueue

    private init() {
        queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.addOperation { job.runSynchronously(on: executor) }
    }
}
#endif
