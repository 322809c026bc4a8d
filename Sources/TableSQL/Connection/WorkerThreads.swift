import Foundation

/// Threads for blocking work. Their number is unlimited; each ends after 10 s without work.
///
/// Dispatch lost: its concurrent queues stop at 64 blocked threads, so work that waits for a connection could keep the
/// work that would release one from running.
package final class WorkerThreads: @unchecked Sendable {
    // `@unchecked Sendable`: all state is guarded by `condition`.
    private let condition = NSCondition()
    private var work: [@Sendable () -> Void] = []
    private var idle = 0
    private let name: String
    private static let rest = 10.0

    package init(name: String) { self.name = name }

    /// Runs `body` on one of the threads, and suspends until it ends.
    package func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            start { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Runs `body` on one of the threads.
    package func start(_ body: @escaping @Sendable () -> Void) {
        condition.lock()
        work.append(body)
        let isThreadNeeded = idle < work.count
        if !isThreadNeeded { condition.signal() }
        condition.unlock()
        guard isThreadNeeded else { return }
        NamedThread.start(name) { self.serve() }
    }

    private func serve() {
        while let body = next() { body() }
    }

    /// Waits for work; nil after 10 s without any.
    private func next() -> (@Sendable () -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        idle += 1
        defer { idle -= 1 }
        let end = Date(timeIntervalSinceNow: Self.rest)
        while work.isEmpty {
            if !condition.wait(until: end), work.isEmpty { return nil }
        }
        return work.removeFirst()
    }
}
