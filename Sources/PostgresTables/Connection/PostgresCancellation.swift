#if PostgreSQL
import CPostgreSQL
import Foundation

/// Cancels what a connection runs, from any thread.
///
/// libpq asks the server over a connection of its own, and waits for it without a limit; so it does this on a thread that is
/// made for it. A frozen server keeps that thread until it wakes.
final class PostgresCancellation: @unchecked Sendable {
    // `@unchecked Sendable`: the state is guarded by `condition`; libpq allows PQcancel on any thread.
    private let condition = NSCondition()
    private let key: OpaquePointer?
    private var isRunning = false
    private var isRequestedNow = false
    /// Requests that libpq has not answered.
    private var requests = 0

    init(_ connection: OpaquePointer) { key = PQgetCancel(connection) }

    deinit { PQfreeCancel(key) }

    /// Whether what runs was cancelled.
    var isRequested: Bool { locked { isRequestedNow } }

    /// Something begins that can be cancelled.
    func begin() {
        locked {
            isRunning = true
            isRequestedNow = false
        }
    }

    /// It has ended. A request that is still on its way would meet the next statement, so this waits for it.
    /// - Parameter limit: in seconds.
    /// - Returns: false where the request was not answered in time: the connection must not be used again.
    func end(limit: TimeInterval) -> Bool {
        locked {
            isRunning = false
            guard requests > 0 else { return true }
            let end = Date(timeIntervalSinceNow: limit)
            while requests > 0 { if !condition.wait(until: end) { return requests == 0 } }
            return true
        }
    }

    /// Asks the server to cancel what runs; does nothing where nothing runs. Returns at once.
    func cancel() {
        let isNeeded = locked { () -> Bool in
            guard isRunning, !isRequestedNow else { return false }
            isRequestedNow = true
            requests += 1
            return true
        }
        guard isNeeded else { return }
        Thread.detachNewThread {
            var message = [CChar](repeating: 0, count: 256)
            // A failure is noticed by the statement, which goes on or ends at its limit.
            _ = PQcancel(self.key, &message, Int32(message.count))
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
#endif
