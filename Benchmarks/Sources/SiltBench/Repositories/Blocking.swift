import Dispatch
import Synchronization

/// Runs asynchronous work from a program that is not asynchronous.
enum Blocking {
    /// Waits for `body`, which runs on a task of its own.
    static func wait<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        let box = Box<R>()
        let done = DispatchSemaphore(value: 0)
        let task = Task.detached { try await body() }
        // A second task signals. A task lets go of its body before it has a result; a body that signals by itself still
        // holds its store afterwards, and closes the store's files while the caller removes them.
        Task.detached {
            box.put(await task.result)
            done.signal()
        }
        done.wait()
        guard let result = box.take() else { throw BenchmarkError("a task has ended without a result") }
        return try result.get()
    }

    private final class Box<R: Sendable>: Sendable {
        private let value = Mutex<Result<R, any Error>?>(nil)

        func put(_ result: Result<R, any Error>) { value.withLock { $0 = result } }

        func take() -> Result<R, any Error>? { value.withLock { $0 } }
    }
}
