/// A mutex with a condition to wait on.
///
/// `Synchronization.Mutex` has no condition variable, and a semaphore beside it would lose wake-ups or need a count of
/// its own; POSIX has the pair. What the lock guards lives beside it, in the owner.
final class ConditionLock: Sendable {
    private let pair = Platform.MutexAndCondition()

    init() {}

    deinit { pair.destroy() }

    @inline(__always)
    func lock() { pair.lock() }

    @inline(__always)
    func unlock() { pair.unlock() }

    /// Takes the lock if nobody has it.
    func tryLock() -> Bool { pair.tryLock() }

    /// Releases the lock, waits to be woken, and takes the lock again. Wakes without cause happen.
    func wait() { pair.wait() }

    /// Wakes all that wait.
    func wakeAll() { pair.wakeAll() }

    /// Runs `body` under the lock.
    @inline(__always)
    func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        lock()
        defer { unlock() }
        return try body()
    }
}
