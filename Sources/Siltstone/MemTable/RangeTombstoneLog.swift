import Synchronization

/// The range tombstones of a memtable, in order of arrival, and the set that readers see, made of them when first asked
/// for.
///
/// Lazily, because the set costs as much as it has tombstones: made for each of them, a thousand would cost a million.
/// Where reads and removals alternate, each costs a copy of the set, and no sorting.
final class RangeTombstoneLog: Sendable {
    /// Up to how many are added to a set one by one; above, the sorting of all is cheaper than the copying.
    private static let few = 8

    private struct State {
        var set = RangeTombstones.empty
        /// Those that are not in `set` yet.
        var pending: [RangeTombstone] = []
    }

    private let state = Locked(State())
    private let total = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    /// Tombstones added.
    var count: Int { total.load(ordering: .acquiring) }

    /// What they take in memory, roughly, in bytes.
    var byteCount: Int { bytes.load(ordering: .relaxed) }

    /// Adds a tombstone; readers that ask from now on see it.
    func append(_ tombstone: RangeTombstone) {
        state.withLock { $0.pending.append(tombstone) }
        // Once in arrival, once cut to fragments: two arrays with their headers each.
        let size = 2 * (tombstone.start.count + tombstone.end.count + 2 * 32 + MemoryLayout<RangeTombstone>.stride)
        bytes.store(bytes.load(ordering: .relaxed) + size, ordering: .relaxed)
        total.store(total.load(ordering: .relaxed) + 1, ordering: .releasing)
    }

    /// The set of all tombstones added so far.
    /// - Complexity: one load where there are none; else a lock, and the making of the set where some are new.
    var tombstones: RangeTombstones {
        if count == 0 { return .empty }
        return state.withLock { state in
            if !state.pending.isEmpty {
                state.set =
                    state.pending.count <= Self.few
                    ? state.pending.reduce(state.set) { $0.adding($1) }
                    : RangeTombstones(state.set.tombstones + state.pending)
                state.pending.removeAll()
            }
            return state.set
        }
    }
}
