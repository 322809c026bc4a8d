#if PostgreSQL || MySQL
import Foundation
import Synchronization
import TestServers

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A thread's work, whose end can be awaited.
final class Background<R: Sendable>: Sendable {
    private let result = Mutex<Result<R, any Error>?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> R) {
        Thread.detachNewThread {
            let result = Result { try body() }
            self.result.withLock { $0 = result }
            self.end.signal()
        }
    }

    func get() throws -> R {
        end.wait()
        guard let result = result.withLock({ $0 }) else { throw ServerFailure("The thread has no result.") }
        return try result.get()
    }
}

/// Polls until a condition holds; a hang fails the test.
func waitUntil(_ what: String, _ condition: () throws -> Bool) throws {
    for _ in 0..<6000 {
        if try condition() { return }
        usleep(5000)
    }
    throw ServerFailure("Not within 30 s: \(what)")
}
#endif
