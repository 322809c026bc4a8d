/// A mutex with a condition to wait on.
///
/// `Synchronization.Mutex` has no condition variable, and a semaphore beside it would lose wake-ups or need a count of
/// its own; POSIX has the pair. What the lock guards lives beside it, in the owner.
final class ConditionLock: Sendable {
    private let pair = Platform.MutexAndCondition()
    #if DEBUG
    private let rank: LockRank
    #endif

    /// - Parameter rank: the lock's place in the order of locks, which debug builds check.
    init(_ rank: LockRank = .unranked) {
        #if DEBUG
        self.rank = rank
        #endif
    }

    deinit { pair.destroy() }

    @inline(__always)
    func lock() {
        #if DEBUG
        HeldLocks.check(rank)
        #endif
        pair.lock()
        #if DEBUG
        HeldLocks.add(rank)
        #endif
    }

    @inline(__always)
    func unlock() {
        #if DEBUG
        HeldLocks.remove(rank)
        #endif
        pair.unlock()
    }

    /// Takes the lock if nobody has it. Any order will do: a thread that does not wait closes no circle.
    func tryLock() -> Bool {
        let isTaken = pair.tryLock()
        #if DEBUG
        if isTaken { HeldLocks.add(rank) }
        #endif
        return isTaken
    }

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
