import Synchronization

/// Decides which versions of a key outlive a flush or a compaction.
///
/// Snapshots cut history into stripes: a stripe is what lies between one snapshot and the next. Of the versions in one
/// stripe only the newest can ever be seen. A tombstone, or a range tombstone, that no snapshot is older than, hides
/// nothing once no older data lies below; then it goes too. (LevelDB `DoCompactionWork`; RocksDB `CompactionIterator`.)
struct VersionFilter: ~Copyable {
    /// Sequence numbers of live snapshots, ascending.
    private let snapshots: [SequenceNumber]
    private let tombstones: RangeTombstones
    /// Whether nothing older than the inputs lies below them, anywhere in their key range.
    private let isBottom: Bool

    private var key = KeyBuffer()
    /// Stripe of the version of `key` that came last, or −1.
    private var stripe = -1

    init(snapshots: [SequenceNumber], tombstones: RangeTombstones, isBottom: Bool) {
        self.snapshots = snapshots
        self.tombstones = tombstones
        self.isBottom = isBottom
    }

    /// Number of snapshots that are older than a change: the stripe that it is in.
    private func stripe(of sequence: SequenceNumber) -> Int {
        var low = 0
        var high = snapshots.count
        while low < high {
            let middle = (low + high) / 2
            if snapshots[middle] < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// What becomes of a record: it goes (nil), or stays with this sequence number.
    ///
    /// Records come in key order, newest first for one key. A record that every snapshot sees and that has nothing below
    /// it is given sequence number 0, which is shorter on disk and says just that.
    mutating func keep(_ record: Record) -> SequenceNumber? {
        let stripe = snapshots.isEmpty ? 0 : stripe(of: record.sequence)
        if key.holds(record.key) {
            if stripe == self.stripe { return nil }
        } else {
            key.set(record.key)
        }
        self.stripe = stripe
        if !tombstones.isEmpty, isHidden(record, in: stripe) { return nil }
        let isOldest = stripe == 0 && isBottom
        if isOldest, record.kind == .tombstone { return nil }
        return isOldest ? 0 : record.sequence
    }

    /// Whether a range tombstone of the same stripe, newer than the record, covers it.
    private func isHidden(_ record: Record, in stripe: Int) -> Bool {
        let visible = stripe < snapshots.count ? snapshots[stripe] : .greatest
        return tombstones.newestCovering(record.key, visible: visible) > record.sequence
    }

    /// The range tombstones that stay.
    func keptTombstones() -> [RangeTombstone] {
        tombstones.tombstones.filter { !(isBottom && stripe(of: $0.sequence) == 0) }
    }
}
