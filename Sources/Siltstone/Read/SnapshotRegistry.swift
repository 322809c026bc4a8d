/// The sequence numbers that live snapshots stand at: what flushes and compactions must keep visible.
final class SnapshotRegistry: Sendable {
    /// How many snapshots stand at each number.
    private let counts = Locked<[SequenceNumber: Int]>([:], rank: .leaf)

    /// Registers a snapshot at what is visible now.
    ///
    /// The number is read under the lock that ``live()`` takes: a flush or compaction that does not see this snapshot
    /// reads only changes that are not newer than it, of which the snapshot sees the newest version.
    func register(_ visible: () -> SequenceNumber) -> SequenceNumber {
        counts.withLock { counts in
            let sequence = visible()
            counts[sequence, default: 0] += 1
            return sequence
        }
    }

    /// Forgets a snapshot.
    func release(_ sequence: SequenceNumber) {
        counts.withLock { counts in
            guard let count = counts[sequence] else { return }
            counts[sequence] = count > 1 ? count - 1 : nil
        }
    }

    /// The numbers of live snapshots, ascending.
    func live() -> [SequenceNumber] { counts.withLock { $0.keys.sorted() } }

    var count: Int { counts.withLock { $0.values.reduce(0, +) } }
}
