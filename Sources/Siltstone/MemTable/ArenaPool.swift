/// Arenas that wait for their next memtable.
///
/// The first touch of a page costs about as much as the inserts that fill it, so an arena whose memtable was flushed
/// is kept, pages and all, for the next. The pool is bounded in bytes: what does not fit goes back to the system.
///
/// `@unchecked Sendable`: what changes is touched under `lock` only.
final class ArenaPool: @unchecked Sendable {
    /// The most that waits, in bytes of capacity.
    let maximumBytes: Int
    private let lock = ConditionLock()
    private var idle: [ArenaMapping] = []
    private var idleBytes = 0
    /// Arenas that were taken and not given back.
    private var usedCount = 0
    /// How many there are to be at a time, in use or waiting.
    private let usualCount: Int

    /// Creates an empty pool.
    /// - Parameters:
    ///   - maximumBytes: capacity that may wait in it; twice that of a memtable lets one fill while one is flushed
    ///     without ever going to the system.
    ///   - usualCount: none waits that makes them more than that with those in use. Where a slow reader keeps one, there are
    ///     more for that long.
    init(maximumBytes: Int, usualCount: Int = .max) {
        self.maximumBytes = maximumBytes
        self.usualCount = usualCount
    }

    deinit { for arena in idle { arena.unmap() } }

    /// Bytes of the arenas that wait.
    var heldBytes: Int { lock.withLock { idleBytes } }

    /// How many arenas wait.
    var idleCount: Int { lock.withLock { idle.count } }

    /// An arena of the capacity that `capacity` is rounded up to: a used one, its bytes undefined, or a new one.
    /// - Throws: as ``ArenaMapping/init(capacity:)``.
    func take(capacity: Int) throws(StoreError) -> ArenaMapping {
        if let used = takeIdle(ArenaMapping.roundedCapacity(capacity)) { return used }
        let arena = try ArenaMapping(capacity: capacity)
        lock.withLock { usedCount += 1 }
        return arena
    }

    private func takeIdle(_ capacity: Int) -> ArenaMapping? {
        lock.withLock {
            // The last one in: its pages are the most likely to be in the caches.
            guard let index = idle.lastIndex(where: { $0.capacity == capacity }) else { return nil }
            idleBytes -= capacity
            usedCount += 1
            return idle.remove(at: index)
        }
    }

    /// Gives all that wait back to the system.
    func clear() {
        let arenas = lock.withLock {
            defer { (idle, idleBytes) = ([], 0) }
            return idle
        }
        for arena in arenas { arena.unmap() }
    }

    /// Takes over an arena that nobody uses any more.
    func give(_ arena: ArenaMapping) {
        let isKept = lock.withLock {
            usedCount -= 1
            guard arena.capacity <= maximumBytes - idleBytes, usedCount + idle.count < usualCount else { return false }
            idle.append(arena)
            idleBytes += arena.capacity
            return true
        }
        if !isKept { arena.unmap() }
    }
}
