package import Foundation

/// Cancels the running statement of a connection, from any thread.
///
/// The request uses a connection of its own, on a new thread, because C libraries wait for the answer without a limit.
/// A frozen server keeps that thread until it wakes.
package final class StatementCancellation: @unchecked Sendable {
    // `@unchecked Sendable`: the state is guarded by `condition`.
    private let condition = NSCondition()
    private let request: @Sendable () -> Void
    private var isRunning = false
    private var isRequestedNow = false
    /// Requests without an answer yet.
    private var requests = 0

    /// - Parameter request: sends the request and waits for the answer. If it fails, the statement runs on to its end
    ///   or its time-out.
    package init(_ request: @escaping @Sendable () -> Void) { self.request = request }

    /// Whether the running statement was cancelled.
    package var isRequested: Bool { locked { isRequestedNow } }

    /// Marks the start of a statement.
    package func begin() {
        locked {
            isRunning = true
            isRequestedNow = false
        }
    }

    /// Marks the end of a statement. Waits for pending requests, which would otherwise cancel the next statement.
    /// - Parameter limit: in seconds.
    /// - Returns: false if a request got no answer in time: the connection must not be used again.
    package func end(limit: TimeInterval) -> Bool {
        locked {
            isRunning = false
            guard requests > 0 else { return true }
            let end = Date(timeIntervalSinceNow: limit)
            while requests > 0 { if !condition.wait(until: end) { return requests == 0 } }
            return true
        }
    }

    /// Requests cancellation if a statement runs. Returns at once.
    package func cancel() {
        let isNeeded = locked { () -> Bool in
            guard isRunning, !isRequestedNow else { return false }
            isRequestedNow = true
            requests += 1
            return true
        }
        guard isNeeded else { return }
        Thread.detachNewThread {
            self.request()
            self.locked {
                self.requests -= 1
                self.condition.broadcast()
            }
        }
    }

    private func locked<R>(_ body: () -> R) -> R {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }
}
