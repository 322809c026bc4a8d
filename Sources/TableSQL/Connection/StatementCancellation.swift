package import Foundation

/// Cancels what a connection runs, from any thread.
///
/// The server is asked over a connection of its own, and C libraries wait for that without a limit; so a thread is made for
/// it. A frozen server keeps that thread until it wakes.
package final class StatementCancellation: @unchecked Sendable {
    // `@unchecked Sendable`: the state is guarded by `condition`.
    private let condition = NSCondition()
    private let request: @Sendable () -> Void
    private var isRunning = false
    private var isRequestedNow = false
    /// Requests that the server has not answered.
    private var requests = 0

    /// - Parameter request: asks the server, and waits for its answer. A failure is noticed by the statement, which goes on
    ///   or ends at its limit.
    package init(_ request: @escaping @Sendable () -> Void) { self.request = request }

    /// Whether what runs was cancelled.
    package var isRequested: Bool { locked { isRequestedNow } }

    /// Something begins that can be cancelled.
    package func begin() {
        locked {
            isRunning = true
            isRequestedNow = false
        }
    }

    /// It has ended. A request that is still on its way would meet the next statement, so this waits for it.
    /// - Parameter limit: in seconds.
    /// - Returns: false where the request was not answered in time: the connection must not be used again.
    package func end(limit: TimeInterval) -> Bool {
        locked {
            isRunning = false
            guard requests > 0 else { return true }
            let end = Date(timeIntervalSinceNow: limit)
            while requests > 0 { if !condition.wait(until: end) { return requests == 0 } }
            return true
        }
    }

    /// Asks the server to cancel what runs; does nothing where nothing runs. Returns at once.
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
