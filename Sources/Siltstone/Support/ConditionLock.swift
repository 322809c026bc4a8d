/// A mutex with a condition variable.
///
/// `Synchronization.Mutex` has no condition variable. A semaphore beside it would lose wake-ups or need a count of its
/// own. POSIX has the pair. The state that the lock guards is stored beside it, in the owner.
final class ConditionLock: Sendable {
    private let pair = Platform.MutexAndCondition()
    private let rank: LockRank

    /// Creates a lock that nobody holds.
    /// - Parameter rank: the lock's rank in the lock order, which debug builds check.
    init(_ rank: LockRank = .unranked) {
        self.rank = rank
    }

    deinit { pair.destroy() }

    @inline(__always)
    func lock() {
        HeldLocks.check(rank)
        pair.lock()
        HeldLocks.add(rank)
    }

    @inline(__always)
    func unlock() {
        HeldLocks.remove(rank)
        pair.unlock()
    }

    /// Takes the lock if nobody holds it. The rank is not checked, because a thread that does not wait cannot cause a
    /// deadlock.
    func tryLock() -> Bool {
        let isTaken = pair.tryLock()
        if isTaken { HeldLocks.add(rank) }
        return isTaken
    }

    /// Releases the lock, waits for a wake-up, and takes the lock again. It may wake without a cause.
    func wait() { pair.wait() }

    /// Wakes all waiting threads.
    func wakeAll() { pair.wakeAll() }

    /// Runs `body` under the lock.
    @inline(__always)
    func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        lock()
        defer { unlock() }
        return try body()
    }
}
