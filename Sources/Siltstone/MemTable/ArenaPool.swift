/// Arenas that wait for their next memtable.
///
/// The first touch of a page costs about as much as the inserts that fill it, so an arena whose memtable was flushed
/// is kept, pages and all, for the next. The pool is bounded in bytes: what does not fit goes back to the system.
///
/// `@unchecked Sendable`: `idle` and `idleBytes` are touched under `lock` only.
final class ArenaPool: @unchecked Sendable {
    /// The most that waits, in bytes of capacity.
    let maximumBytes: Int
    private let lock = ConditionLock()
    private var idle: [ArenaMapping] = []
    private var idleBytes = 0

    /// Creates an empty pool.
    /// - Parameter maximumBytes: capacity that may wait in it; twice that of a memtable lets one fill while one is
    ///   flushed without ever going to the system.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    deinit { for arena in idle { arena.unmap() } }

    /// How many arenas wait.
    var idleCount: Int { lock.withLock { idle.count } }

    /// An arena of the capacity that `capacity` is rounded up to: a used one, its bytes undefined, or a new one.
    /// - Throws: as ``ArenaMapping/init(capacity:)``.
    func take(capacity: Int) throws(StoreError) -> ArenaMapping {
        if let used = takeIdle(ArenaMapping.roundedCapacity(capacity)) { return used }
        return try ArenaMapping(capacity: capacity)
    }

    private func takeIdle(_ capacity: Int) -> ArenaMapping? {
        lock.withLock {
            // The last one in: its pages are the most likely to be in the caches.
            guard let index = idle.lastIndex(where: { $0.capacity == capacity }) else { return nil }
            idleBytes -= capacity
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
            guard arena.capacity <= maximumBytes - idleBytes else { return false }
            idle.append(arena)
            idleBytes += arena.capacity
            return true
        }
        if !isKept { arena.unmap() }
    }
}
