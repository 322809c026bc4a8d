import Synchronization

/// Decides which versions of a key survive a flush or a compaction.
///
/// Snapshots divide the sequence numbers into stripes, each from one snapshot to the next. Of the versions of a key in
/// one stripe, only the newest can ever be visible. A tombstone or range tombstone in the oldest stripe hides only
/// older data. If no older data exists below, it is dropped too. (LevelDB `DoCompactionWork`; RocksDB
/// `CompactionIterator`.)
struct VersionFilter: ~Copyable {
    /// Sequence numbers of live snapshots, ascending.
    private let snapshots: [SequenceNumber]
    private let tombstones: RangeTombstones
    /// True if no older data exists below the inputs anywhere in their key range.
    private let isBottom: Bool

    /// The key of the previous record.
    private var key = KeyBuffer()
    /// Stripe of the previous version of `key`; −1 before the first record.
    private var stripe = -1

    init(snapshots: [SequenceNumber], tombstones: RangeTombstones, isBottom: Bool) {
        self.snapshots = snapshots
        self.tombstones = tombstones
        self.isBottom = isBottom
    }

    /// The stripe of a change, which is the number of snapshots older than the change.
    private func stripe(of sequence: SequenceNumber) -> Int {
        snapshots.indices.partitioningIndex { snapshots[$0] >= sequence }
    }

    /// Returns the sequence number with which a record survives; nil if the record is dropped.
    ///
    /// Records must come in key order, and the versions of one key newest first. A record that every snapshot sees and
    /// that has no older data below it gets sequence number 0. The format defines 0 as older than every other number,
    /// and it takes fewer bytes.
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

    /// True if a newer range tombstone in the same stripe covers the record.
    private func isHidden(_ record: Record, in stripe: Int) -> Bool {
        let visible = stripe < snapshots.count ? snapshots[stripe] : .greatest
        return tombstones.newestCovering(record.key, visible: visible) > record.sequence
    }

    /// The range tombstones that survive.
    func keptTombstones() -> [RangeTombstone] {
        tombstones.tombstones.filter { !(isBottom && stripe(of: $0.sequence) == 0) }
    }
}
