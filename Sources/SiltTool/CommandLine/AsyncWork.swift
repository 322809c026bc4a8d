import Dispatch
import Synchronization

/// Asynchronous work of commands, which are synchronous.
enum AsyncWork {
    /// Runs asynchronous work to its end. The calling thread blocks, so it must be none of the cooperative pool.
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
