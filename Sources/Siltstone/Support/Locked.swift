/// A value that is accessible only under a lock.
///
/// `Synchronization.Mutex` would do the same at the same cost. But on Linux a contended one is handed over inside the
/// kernel, where ThreadSanitizer does not see it, and every use of the guarded value is reported as a race.
package final class Locked<Value: Sendable>: Sendable {
    private let lock: ConditionLock
    private let value: HeapCell<Value>

    /// Creates a lock around a value.
    /// - Parameter rank: the lock's rank in the lock order, which debug builds check.
    package init(_ value: Value, rank: LockRank = .unranked) {
        lock = ConditionLock(rank)
        self.value = HeapCell(value)
    }

    /// Runs `body` on the value, under the lock. `body` must not take the lock again.
    @inline(__always)
    package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        try lock.withLock { () throws(E) in try body(&value.value) }
    }

    /// Runs `body` on the value, under the lock, until it returns a result: again after each ``wakeAll()``, and
    /// sometimes without a cause. Blocks the thread meanwhile.
    package func wait<R>(until body: (inout Value) -> R?) -> R {
        lock.withLock {
            while true {
                if let result = body(&value.value) { return result }
                lock.wait()
            }
        }
    }

    /// Wakes all threads that wait for the value to change.
    package func wakeAll() { lock.wakeAll() }
}
