import Dispatch
import Synchronization

/// Runs asynchronous work from a program that is not asynchronous.
enum Blocking {
    /// Waits for `body`, which runs on a task of its own.
    static func wait<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        let box = Box<R>()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do { box.put(.success(try await body())) } catch { box.put(.failure(error)) }
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
