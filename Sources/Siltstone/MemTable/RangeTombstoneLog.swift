import Synchronization

/// The range tombstones of a memtable, and the set of them that readers use, which is built when a reader asks for it.
///
/// The set is built lazily, because building it takes time proportional to the number of tombstones. If every insert
/// built it, a thousand inserts would cost a million steps. If reads and inserts alternate, each read copies the set,
/// and sorts nothing.
final class RangeTombstoneLog: Sendable {
    /// Up to this number, tombstones are added to the set one by one. Above it, sorting all is cheaper than copying the
    /// set for each.
    private static let few = 8
    /// A memtable with this number of tombstones is sealed. Overlapping ranges take memory, and each build of the set
    /// time, up to the square of their number; a flush keeps only what readers need. (RocksDB bounds it by
    /// `memtable_max_range_deletions`.)
    static let most = 1024

    private struct State {
        var set = RangeTombstones.empty
        /// Tombstones that are not in `set` yet.
        var pending: [RangeTombstone] = []
    }

    private let state = Locked(State(), rank: .leaf)
    private let bytes = Atomic<Int>(0)

    /// The approximate size of the tombstones in memory, in bytes.
    var byteCount: Int { bytes.load(ordering: .relaxed) }

    /// Appends a tombstone. Readers that ask for the set afterwards see it.
    func append(_ tombstone: RangeTombstone) {
        state.withLock { $0.pending.append(tombstone) }
        // Each tombstone is stored twice, as it arrived and cut into fragments: each time two arrays with their
        // headers.
        let size = 2 * (tombstone.start.count + tombstone.end.count + 2 * 32 + MemoryLayout<RangeTombstone>.stride)
        bytes.store(bytes.load(ordering: .relaxed) + size, ordering: .relaxed)
    }

    /// The set of all tombstones added so far.
    /// - Complexity: a lock, and the building of the set if some are new.
    var tombstones: RangeTombstones {
        state.withLock { state in
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
