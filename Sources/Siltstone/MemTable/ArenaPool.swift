/// Idle arenas for the next memtables.
///
/// The first access to a page costs about as much as the inserts that fill it. So the arena of a flushed memtable is
/// kept with its pages for the next memtable. An arena that exceeds the pool's limits of bytes and number is
/// unmapped.
final class ArenaPool: Sendable {
    /// Largest total capacity of idle arenas, in bytes.
    let maximumBytes: Int
    private let state = Locked(State(), rank: .leaf)
    /// The largest number of arenas, in use and idle together, after a returned one is kept.
    private let usualCount: Int

    private struct State {
        /// In the order of their return.
        var idle: [ArenaMapping] = []
        var idleBytes: Int { idle.reduce(0) { $0 + $1.capacity } }
        /// Number of arenas that were taken and not returned.
        var usedCount = 0
    }

    /// Creates an empty pool.
    /// - Parameters:
    ///   - maximumBytes: largest total capacity of idle arenas, in bytes. With twice the capacity of a memtable, one
    ///     memtable fills while another is flushed, and neither needs a new mapping.
    ///   - usualCount: largest number of arenas, in use and idle together, after a returned one is kept. A slow reader
    ///     can keep an arena in use, so that one more is mapped; this limit unmaps the surplus.
    init(maximumBytes: Int, usualCount: Int = .max) {
        self.maximumBytes = maximumBytes
        self.usualCount = usualCount
    }

    deinit { clear() }

    /// Total capacity of the idle arenas, in bytes.
    var heldBytes: Int { state.withLock { $0.idleBytes } }

    /// Takes an arena whose capacity is `capacity` rounded up: a used one with undefined bytes, or a new one.
    /// - Throws: as ``ArenaMapping/init(capacity:)``.
    func take(capacity: Int) throws(StoreError) -> ArenaMapping {
        if let used = takeIdle(ArenaMapping.roundedCapacity(capacity)) { return used }
        let arena = try ArenaMapping(capacity: capacity)
        state.withLock { $0.usedCount += 1 }
        return arena
    }

    /// Takes an idle arena of exactly this capacity; nil if there is none.
    private func takeIdle(_ capacity: Int) -> ArenaMapping? {
        state.withLock { state in
            // The arena that was returned last, because its pages are the most likely to be in the caches.
            guard let index = state.idle.lastIndex(where: { $0.capacity == capacity }) else { return nil }
            state.usedCount += 1
            return state.idle.remove(at: index)
        }
    }

    /// Unmaps all idle arenas.
    func clear() {
        let arenas = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for arena in arenas { arena.unmap() }
    }

    /// Returns an arena, which nobody uses any more, to the pool. It is unmapped if it would exceed a limit.
    func give(_ arena: ArenaMapping) {
        let isKept = state.withLock { state in
            state.usedCount -= 1
            guard arena.capacity <= maximumBytes - state.idleBytes, state.usedCount + state.idle.count < usualCount
            else { return false }
            state.idle.append(arena)
            return true
        }
        if !isKept { arena.unmap() }
    }
}
