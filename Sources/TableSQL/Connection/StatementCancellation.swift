package import Foundation
import Synchronization

/// Cancels the statements of a connection, from any thread: the running one, and those that come until the request is
/// forgotten. Otherwise a request between two statements would be lost.
///
/// The request uses a connection of its own, on a new thread, because C libraries wait for the answer without a limit.
/// A frozen server keeps that thread until it wakes.
package final class StatementCancellation: Sendable {
    private struct State {
        var isRunning = false
        var isRequested = false
        /// Requests to the server without an answer yet.
        var requests = 0
    }

    private let state = Mutex(State())
    /// Signals that a request has its answer. Statements that nobody cancels never lock it.
    private let answer = NSCondition()
    private let request: @Sendable () -> Void

    /// - Parameter request: sends the request and waits for the answer. If it fails, the statement runs on to its end
    ///   or its time-out.
    package init(_ request: @escaping @Sendable () -> Void) { self.request = request }

    /// Whether cancellation was requested, and not forgotten since.
    package var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Marks the start of a statement.
    /// - Returns: false if cancellation was requested: then nothing has started.
    package func begin() -> Bool {
        state.withLock { state in
            if state.isRequested { return false }
            state.isRunning = true
            return true
        }
    }

    /// Forgets the request.
    package func forget() { state.withLock { $0.isRequested = false } }

    /// Marks the end of a statement. Waits for pending requests, which would otherwise cancel the next statement.
    /// - Parameter limit: in seconds; evaluated if a request is pending.
    /// - Returns: false if a request got no answer in time: the connection must not be used again.
    package func end(limit: @autoclosure () -> TimeInterval) -> Bool {
        let isPending = state.withLock { state in
            state.isRunning = false
            return state.requests > 0
        }
        if !isPending { return true }
        let end = Date(timeIntervalSinceNow: limit())
        answer.lock()
        defer { answer.unlock() }
        while hasPendingRequests { if !answer.wait(until: end) { return !hasPendingRequests } }
        return true
    }

    private var hasPendingRequests: Bool { state.withLock { $0.requests > 0 } }

    /// Requests cancellation. Returns at once.
    package func cancel() {
        let isNeeded = state.withLock { state in
            defer { state.isRequested = true }
            guard state.isRunning, !state.isRequested else { return false }
            state.requests += 1
            return true
        }
        guard isNeeded else { return }
        Thread.detachNewThread {
            self.request()
            self.state.withLock { $0.requests -= 1 }
            // Under the lock: a statement that ends has either seen the new number, or waits already.
            self.answer.lock()
            self.answer.broadcast()
            self.answer.unlock()
        }
    }
}
