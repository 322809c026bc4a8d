/// A sorted source of a merge: a memtable or a run. Used by one reader at a time.
///
/// A class with one virtual call per batch. The merge itself works on the memory of the batches. An enum of cursors was
/// measured slower, because its payload cannot be changed in place. The mutable state is in heap cells.
class RecordSource {
    /// The current batch: the records that ``refill(_:limit:visible:numbered:)`` has read.
    final let batch = HeapCell(RecordBatch(capacity: usualBatch))
    /// Most records in the next batch.
    private let size = HeapCell(usualBatch)

    /// Batches start small and double, so that a short scan does not pay for the read-ahead of a long one.
    static let usualBatch = 8
    static let greatestBatch = 64

    init() {}

    /// Sets the number of records in the first batch after the next seek, up to ``greatestBatch``.
    final func begin(size first: Int) { size.value = first }

    /// The second step of a seek to `key`, after ``approach(_:_:)``.
    final func narrow(_ key: Bytes, _ direction: ScanDirection) throws(StoreError) {
        try narrow(key, direction, reading: size.value)
    }

    /// The last step of a seek. Without the earlier steps, it does the complete seek. Positions the source as the
    /// cursor's seek in that direction does.
    final func seek(_ key: Bytes?, _ direction: ScanDirection) throws(StoreError) {
        try position(key, direction, reading: size.value)
    }

    /// Replaces the batch with the next records. An empty batch means the end.
    /// - Parameters:
    ///   - limit: number of records that the caller will probably still read; not positive if it has already read more
    ///     than expected.
    ///   - visible: the newest version of each key with at most this sequence number; nil for all versions, newest
    ///     first.
    ///   - numbered: true if the records need their sequence numbers.
    final func refill(
        _ direction: ScanDirection, limit: Int, visible: SequenceNumber?, numbered: Bool
    ) throws(StoreError) {
        let wanted = limit > 0 ? min(size.value, limit) : size.value
        if wanted > batch.value.capacity { batch.value = RecordBatch(capacity: wanted) }
        batch.value.removeAll()
        try fill(limit: wanted, direction, visible: visible, numbered: numbered)
        size.value = min(wanted * 2, Self.greatestBatch)
    }

    // MARK: For subclasses

    /// Number of records in the source.
    var recordCount: Int { 0 }

    /// The first step of a seek to `key`, which must follow. Prefetches the memory that the second step reads first.
    func approach(_ key: Bytes, _ direction: ScanDirection) {}

    /// The second step. Prefetches the memory that the last step reads next, and `count` records from there. Records
    /// returned earlier are no longer valid.
    func narrow(_ key: Bytes, _ direction: ScanDirection, reading count: Int) throws(StoreError) {}

    /// The last step, see ``seek(_:_:)``. `count` records are likely to be read from there.
    func position(_ key: Bytes?, _ direction: ScanDirection, reading count: Int) throws(StoreError) {}

    /// Appends at most `limit` records to ``batch``; none at the end.
    func fill(
        limit: Int, _ direction: ScanDirection, visible: SequenceNumber?, numbered: Bool
    ) throws(StoreError) {}

    /// Releases pinned memory until the next seek.
    func rest() {}
}

/// A memtable as a source.
final class MemTableSource: RecordSource {
    private let cursor: HeapCell<MemTableCursor>

    override var recordCount: Int { cursor.value.table.keyCount }

    init(_ table: MemTable) {
        cursor = HeapCell(MemTableCursor(table))
    }

    override func approach(_ key: Bytes, _ direction: ScanDirection) {
        cursor.value.approach(key, before: direction == .backward)
    }

    override func position(_ key: Bytes?, _ direction: ScanDirection, reading count: Int) {
        cursor.value.seek(key, direction)
        cursor.value.prefetch(count, direction)
    }

    override func fill(limit: Int, _ direction: ScanDirection, visible: SequenceNumber?, numbered: Bool) {
        cursor.value.fill(&batch.value, direction, limit: limit, visible: visible)
    }
}

/// A run as a source.
final class RunSource: RecordSource {
    private let cursor: HeapCell<RunCursor>
    private let run: Run

    override var recordCount: Int { run.recordCount }

    /// - Parameter caching: see ``SegmentReader/block(_:pin:caching:)``.
    init(_ run: Run, caching: Bool = true) {
        self.run = run
        cursor = HeapCell(RunCursor(run, caching: caching))
    }

    override func approach(_ key: Bytes, _ direction: ScanDirection) { cursor.value.approach(key, direction) }

    override func narrow(_ key: Bytes, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        try cursor.value.narrow(key, direction, reading: count)
    }

    override func position(_ key: Bytes?, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        try cursor.value.seek(key, direction, reading: count)
    }

    override func fill(
        limit: Int, _ direction: ScanDirection, visible: SequenceNumber?, numbered: Bool
    ) throws(StoreError) {
        try cursor.value.fill(&batch.value, direction, limit: limit, visible: visible, numbered: numbered)
    }

    override func rest() { cursor.value.rest() }
}
