import Dispatch
import Synchronization

/// Asynchronous parts of the demonstration.
enum DemoTask {
    /// Runs asynchronous work to its end. The main thread may block: it is none of the pool's.
    static func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Void, any Error>?>(nil)
        Task {
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
            done.signal()
        }
        done.wait()
        try result.withLock { $0 }?.get()
    }
}
