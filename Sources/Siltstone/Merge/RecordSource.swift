/// One of the sorted sources that a scan merges: a memtable or a run.
///
/// A class with one virtual call for each batch; the merge itself works on the batch's memory. An enum of cursors lost:
/// its payload cannot be changed in place. What changes lies in cells. Used by one reader at a time.
class RecordSource {
    final let batch = HeapCell(RecordBatch(capacity: usualBatch))
    /// Records of the next batch.
    private let size = HeapCell(usualBatch)

    /// A short scan should not pay for a long one's read-ahead, so batches begin small and double.
    static let usualBatch = 8
    static let greatestBatch = 64

    init() {}

    /// Says how many records the batch behind the seek to come is to have, up to ``greatestBatch``.
    final func begin(size first: Int) { size.value = first }

    /// The second step of a seek to a key, behind ``approach(_:_:)``.
    final func narrow(_ key: Bytes, _ direction: ScanDirection) throws(StoreError) {
        try narrow(key, direction, reading: size.value)
    }

    /// Stands at `key`, as the cursor's seek of that direction does; the last step, or all of them where there were none.
    final func seek(_ key: Bytes?, _ direction: ScanDirection) throws(StoreError) {
        try position(key, direction, reading: size.value)
    }

    /// Replaces the batch by the next records; an empty one means the end.
    /// - Parameters:
    ///   - limit: how many more are likely to be asked for; not positive where more were than was likely.
    ///   - visible: each key's newest version up to that; nil for all versions, newest first.
    ///   - numbered: whether the records need their sequence numbers.
    final func refill(
        _ direction: ScanDirection, limit: Int, visible: SequenceNumber?, numbered: Bool
    ) throws(StoreError) {
        let wanted = limit > 0 ? min(size.value, limit) : size.value
        if wanted > batch.value.capacity { batch.value = RecordBatch(capacity: wanted) }
        batch.value.removeAll()
        try fill(limit: wanted, direction, visible: visible, numbered: numbered)
        size.value = min(wanted * 2, Self.greatestBatch)
    }

    /// Records in all.
    var recordCount: Int { 0 }

    /// The first step of a seek to a key, which has to follow: has loaded what that looks at first.
    func approach(_ key: Bytes, _ direction: ScanDirection) {}

    /// The second step: has loaded what it looks at next. What was handed out is not good any more.
    func narrow(_ key: Bytes, _ direction: ScanDirection, reading count: Int) throws(StoreError) {}

    func position(_ key: Bytes?, _ direction: ScanDirection, reading count: Int) throws(StoreError) {}

    func fill(
        limit: Int, _ direction: ScanDirection, visible: SequenceNumber?, numbered: Bool
    ) throws(StoreError) {}

    /// Gives up what keeps memory alive, until the next seek.
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
        switch direction {
        case .forward: cursor.value.seekForward(key)
        case .backward: cursor.value.seekBackward(key)
        }
        cursor.value.prefetch(count, direction)
    }

    override func fill(limit: Int, _ direction: ScanDirection, visible: SequenceNumber?, numbered: Bool) {
        switch direction {
        case .forward: cursor.value.fillForward(&batch.value, limit: limit, visible: visible)
        case .backward: cursor.value.fillBackward(&batch.value, limit: limit, visible: visible ?? .greatest)
        }
    }
}

/// A run as a source.
final class RunSource: RecordSource {
    private let cursor: HeapCell<RunCursor>
    private let run: Run

    override var recordCount: Int { run.recordCount }

    /// - Parameter caching: as of ``SegmentCursor``.
    init(_ run: Run, caching: Bool = true) {
        self.run = run
        cursor = HeapCell(RunCursor(run, caching: caching))
    }

    override func approach(_ key: Bytes, _ direction: ScanDirection) { cursor.value.approach(key, direction) }

    override func narrow(_ key: Bytes, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        try cursor.value.narrow(key, direction, reading: count)
    }

    override func position(_ key: Bytes?, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        switch direction {
        case .forward: try cursor.value.seekForward(key, reading: count)
        case .backward: try cursor.value.seekBackward(key, reading: count)
        }
    }

    override func fill(
        limit: Int, _ direction: ScanDirection, visible: SequenceNumber?, numbered: Bool
    ) throws(StoreError) {
        switch direction {
        case .forward:
            try cursor.value.fillForward(&batch.value, limit: limit, visible: visible, numbered: numbered)
        case .backward:
            try cursor.value.fillBackward(
                &batch.value, limit: limit, visible: visible ?? .greatest, numbered: numbered)
        }
    }

    override func rest() { cursor.value.rest() }
}
