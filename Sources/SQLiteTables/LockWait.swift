#if SQLite
import CSQLite3
import Foundation
import Synchronization
import TableSQL

/// The wait of a connection's statements for locks of other connections, which a cancellation ends.
///
/// SQLite's own wait (`sqlite3_busy_timeout`) cannot be interrupted.
@safe
final class LockWait: Sendable {
    /// The pauses between two attempts, in seconds: those of SQLite. The last one repeats.
    private static let pauses = [0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.025, 0.025, 0.025, 0.05, 0.05, 0.1]

    private let limit: Double
    private let cancelled = Atomic<Bool>(false)
    private let waiting = Atomic<Bool>(false)

    /// - Parameter limit: the longest wait, in seconds.
    init(limit: Double) { self.limit = limit }

    /// Makes a connection wait by this object, which must outlive it.
    func attach(to handle: OpaquePointer?) {
        let own = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe sqlite3_busy_handler(
            handle,
            { own, attempts in
                guard let own = unsafe own else { return 0 }
                return unsafe Unmanaged<LockWait>.fromOpaque(own).takeUnretainedValue().pause(after: Int(attempts))
                    ? 1 : 0
            }, own)
    }

    /// Runs `body` again while another connection's lock refuses it, for locks for which SQLite itself does not wait.
    /// - Throws: the last error.
    func retrying(_ body: () throws -> Void) throws {
        let deadline = ContinuousClock.now + .seconds(limit)
        for attempt in 0... {
            do { return try body() } catch let error as SQLConnectionError where error.kind == .conflict {
                guard ContinuousClock.now < deadline, pause(after: attempt) else { throw error }
            }
        }
    }

    /// - Returns: whether to try again.
    private func pause(after attempts: Int) -> Bool {
        let pause = Self.pauses[min(attempts, Self.pauses.count - 1)]
        let waited = Self.pauses.prefix(attempts).reduce(0, +) + Double(max(attempts - Self.pauses.count, 0)) * pause
        guard waited + pause <= limit, !isCancelled else { return false }
        waiting.store(true, ordering: .relaxed)
        Thread.sleep(forTimeInterval: pause)
        waiting.store(false, ordering: .relaxed)
        return !isCancelled
    }

    /// Whether a statement waits now.
    var isWaiting: Bool { waiting.load(ordering: .relaxed) }

    /// Whether the wait was cancelled.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Ends the wait, now or before it begins.
    func cancel() { cancelled.store(true, ordering: .releasing) }

    /// Lets statements wait again.
    func forgetCancellation() { cancelled.store(false, ordering: .releasing) }
}
#endif
