/// The sequence numbers of all live snapshots. Flushes and compactions must keep the versions that these snapshots see.
final class SnapshotRegistry: Sendable {
    /// The number of snapshots at each sequence number.
    private let counts = Locked<[SequenceNumber: Int]>([:], rank: .leaf)

    /// Registers a snapshot at the newest visible sequence number, and returns that number.
    ///
    /// The number is loaded under the lock that ``live()`` takes. If a flush or compaction misses this snapshot, it
    /// called ``live()`` earlier. Then all of its input is no newer than the snapshot, which sees the newest version of
    /// each key there, and that version is kept.
    func register(_ visible: () -> SequenceNumber) -> SequenceNumber {
        counts.withLock { counts in
            let sequence = visible()
            counts[sequence, default: 0] += 1
            return sequence
        }
    }

    /// Unregisters a snapshot.
    func release(_ sequence: SequenceNumber) {
        counts.withLock { counts in
            guard let count = counts[sequence] else { return }
            counts[sequence] = count > 1 ? count - 1 : nil
        }
    }

    /// The sequence numbers of live snapshots, ascending.
    func live() -> [SequenceNumber] { counts.withLock { $0.keys.sorted() } }

    var count: Int { counts.withLock { $0.values.reduce(0, +) } }
}
