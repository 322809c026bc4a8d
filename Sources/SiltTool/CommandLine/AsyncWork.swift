import Dispatch
import Synchronization

/// Runs asynchronous work in synchronous commands.
enum AsyncWork {
    /// Runs asynchronous work to its end. Blocks; never call it on the cooperative pool.
    static func wait<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Result<R, any Error>>(.failure(CancellationError()))
        Task {
            let outcome: Result<R, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
            done.signal()
        }
        done.wait()
        return try result.withLock { $0 }.get()
    }
}
