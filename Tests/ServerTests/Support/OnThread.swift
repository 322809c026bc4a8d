#if PostgreSQL || MySQL || SQLite
import Foundation

/// Runs work that blocks on a thread of its own, so that no thread of the cooperative pool waits for it.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
#endif
