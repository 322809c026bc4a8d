/// The sequence numbers of all live snapshots. Flushes and compactions must keep the versions that these snapshots see.
final class SnapshotRegistry: Sendable {
    /// A lock around the dictionary itself would need the dictionary's type at run time. To make it, Swift searches all
    /// conformances of the process for `Hashable`, which took a quarter of an opening.
    private struct State {
        /// The number of snapshots at each sequence number.
        var counts: [SequenceNumber: Int] = [:]
    }

    private let state = Locked(State(), rank: .leaf)

    /// Registers a snapshot at the newest visible sequence number, and returns that number.
    ///
    /// The number is loaded under the lock that ``live()`` takes. If a flush or compaction misses this snapshot, it
    /// called ``live(andAt:)`` earlier, with a number that is no greater than the snapshot's. So it keeps the newest
    /// version of each key that the snapshot sees.
    func register(_ visible: () -> SequenceNumber) -> SequenceNumber {
        state.withLock { state in
            let sequence = visible()
            state.counts[sequence, default: 0] += 1
            return sequence
        }
    }

    /// Unregisters a snapshot.
    func release(_ sequence: SequenceNumber) {
        state.withLock { state in
            guard let count = state.counts[sequence] else { return }
            state.counts[sequence] = count > 1 ? count - 1 : nil
        }
    }

    /// The sequence numbers of live snapshots, ascending.
    func live() -> [SequenceNumber] { state.withLock { $0.counts.keys.sorted() } }

    /// The sequence numbers of live snapshots, ascending, and of the next one.
    /// - Parameter visible: the newest visible sequence number, loaded before the call. While a commit is ingested,
    ///   segments have newer changes for a moment, and the next snapshot must not see them.
    func live(andAt visible: SequenceNumber) -> [SequenceNumber] {
        let live = live()
        return live.last.map { $0 < visible } ?? true ? live + [visible] : live
    }

    var count: Int { state.withLock { $0.counts.values.reduce(0, +) } }
}
