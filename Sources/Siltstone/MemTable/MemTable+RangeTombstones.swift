import Synchronization

extension MemTable {
    /// Deletes all older versions of keys in `[start, end)`. One thread at a time, like an insert. An empty range only
    /// uses up its sequence number.
    func insertRangeTombstone(start: Bytes, end: Bytes, sequence: SequenceNumber) {
        if compareKeys(start, end) < 0 {
            rangeTombstoneLog.append(RangeTombstone(start: Array(start), end: Array(end), sequence: sequence))
            state.value.rangeTombstones.store(tree.rangeTombstoneCount + 1, ordering: .releasing)
        }
        count(sequence: sequence)
    }

    /// The range tombstones inserted so far. They are kept apart: ``lookup(_:visible:)`` and cursors do not honor them.
    /// - Complexity: one load if there are none; else see ``RangeTombstoneLog/tombstones``.
    @inline(__always)
    var rangeTombstones: RangeTombstones { tree.hasRangeTombstones ? rangeTombstoneLog.tombstones : .empty }
}
