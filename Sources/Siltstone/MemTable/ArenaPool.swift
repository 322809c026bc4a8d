/// Arenas that wait for their next memtable.
///
/// The first touch of a page costs about as much as the inserts that fill it, so an arena whose memtable was flushed
/// is kept, pages and all, for the next. The pool is bounded in bytes: what does not fit goes back to the system.
final class ArenaPool: Sendable {
    /// The most that waits, in bytes of capacity.
    let maximumBytes: Int
    private let state = Locked(State())
    /// How many there are to be at a time, in use or waiting.
    private let usualCount: Int

    private struct State {
        var idle: [ArenaMapping] = []
        var idleBytes = 0
        /// Arenas that were taken and not given back.
        var usedCount = 0
    }

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

    deinit { clear() }

    /// Bytes of the arenas that wait.
    var heldBytes: Int { state.withLock { $0.idleBytes } }

    /// How many arenas wait.
    var idleCount: Int { state.withLock { $0.idle.count } }

    /// An arena of the capacity that `capacity` is rounded up to: a used one, its bytes undefined, or a new one.
    /// - Throws: as ``ArenaMapping/init(capacity:)``.
    func take(capacity: Int) throws(StoreError) -> ArenaMapping {
        if let used = takeIdle(ArenaMapping.roundedCapacity(capacity)) { return used }
        let arena = try ArenaMapping(capacity: capacity)
        state.withLock { $0.usedCount += 1 }
        return arena
    }

    private func takeIdle(_ capacity: Int) -> ArenaMapping? {
        state.withLock { state in
            // The last one in: its pages are the most likely to be in the caches.
            guard let index = state.idle.lastIndex(where: { $0.capacity == capacity }) else { return nil }
            state.idleBytes -= capacity
            state.usedCount += 1
            return state.idle.remove(at: index)
        }
    }

    /// Gives all that wait back to the system.
    func clear() {
        let arenas = state.withLock { state in
            defer { (state.idle, state.idleBytes) = ([], 0) }
            return state.idle
        }
        for arena in arenas { arena.unmap() }
    }

    /// Takes over an arena that nobody uses any more.
    func give(_ arena: ArenaMapping) {
        let isKept = state.withLock { state in
            state.usedCount -= 1
            guard arena.capacity <= maximumBytes - state.idleBytes, state.usedCount + state.idle.count < usualCount
            else { return false }
            state.idle.append(arena)
            state.idleBytes += arena.capacity
            return true
        }
        if !isKept { arena.unmap() }
    }
}
