/// A value that is reached under a lock only.
///
/// `Synchronization.Mutex` does the same and lost: on Linux, a contended one is handed over inside the kernel, where
/// ThreadSanitizer does not see it, and every use of what it guards is reported as a race. The cost is the same.
package final class Locked<Value: Sendable>: Sendable {
    private let lock: ConditionLock
    private let value: HeapCell<Value>

    /// - Parameter rank: the lock's place in the order of locks, which debug builds check.
    package init(_ value: Value, rank: LockRank = .unranked) {
        lock = ConditionLock(rank)
        self.value = HeapCell(value)
    }

    /// Runs `body` on the value, under the lock. Not to be called again from within.
    @inline(__always)
    package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value.value)
    }

    /// Runs `body` on the value, under the lock, until it returns something: again after each ``wakeAll()``, and now and
    /// then without cause. Blocks the thread meanwhile.
    package func wait<R>(until body: (inout Value) -> R?) -> R {
        lock.lock()
        defer { lock.unlock() }
        while true {
            if let result = body(&value.value) { return result }
            lock.wait()
        }
    }

    /// Wakes all that wait for the value to change.
    package func wakeAll() { lock.wakeAll() }
}
