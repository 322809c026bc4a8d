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
    /// True if ``keep(_:)`` has kept a newer version of the last record's key, or a tombstone has hidden one.
    private(set) var isOlder = false

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
        isOlder = key.holds(record.key)
        if isOlder {
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

    /// The range tombstones that survive: of each fragment the newest of each stripe, and none of the oldest stripe if
    /// no older data exists below.
    ///
    /// A fragment lists every tombstone that covers it. Where ranges overlap, *n* tombstones make up to *n*² entries, so
    /// those that no reader needs are dropped here. Fragments that touch are joined again.
    /// - Complexity: O(*n* log *s*) in the sequence numbers of all fragments and in the snapshots.
    func keptTombstones() -> [RangeTombstone] {
        var kept: [RangeTombstone] = []
        // The tombstones that end where the next fragment starts, by sequence number: their indices in `kept`.
        var growing: [SequenceNumber: Int] = [:]
        var end: [UInt8] = []
        for fragment in tombstones.fragments {
            var next: [SequenceNumber: Int] = [:]
            for sequence in newestOfStripes(fragment.sequences) {
                if end == fragment.start, let index = growing[sequence] {
                    kept[index].end = fragment.end
                    next[sequence] = index
                } else {
                    next[sequence] = kept.count
                    kept.append(RangeTombstone(start: fragment.start, end: fragment.end, sequence: sequence))
                }
            }
            growing = next
            end = fragment.end
        }
        return kept
    }

    /// Returns the newest sequence number of each stripe.
    /// - Parameter sequences: newest first.
    private func newestOfStripes(_ sequences: [SequenceNumber]) -> [SequenceNumber] {
        var kept: [SequenceNumber] = []
        var last = -1
        for sequence in sequences {
            let stripe = stripe(of: sequence)
            if isBottom, stripe == 0 { break }
            if stripe != last { kept.append(sequence) }
            last = stripe
        }
        return kept
    }
}
