import Synchronization

extension MemTable {
    /// Removes all keys in `[start, end)`, as far as they are older. One thread at a time, as an insert; an empty range
    /// only uses up its sequence number.
    func insertRangeTombstone(start: Bytes, end: Bytes, sequence: SequenceNumber) {
        if compareKeys(start, end) < 0 {
            rangeTombstoneLog.append(RangeTombstone(start: Array(start), end: Array(end), sequence: sequence))
            state.value.rangeTombstones.store(rangeTombstoneLog.count, ordering: .releasing)
        }
        count(sequence: sequence)
    }

    /// The range tombstones inserted so far. They are kept apart: ``lookup(_:visible:)`` and cursors do not heed them.
    /// - Complexity: one load where there are none; see ``RangeTombstoneLog/tombstones``.
    @inline(__always)
    var rangeTombstones: RangeTombstones { rangeTombstoneLog.tombstones }

    /// Range tombstones inserted so far.
    var rangeTombstoneCount: Int { rangeTombstoneLog.count }
}
