/// One of the sorted sources that a scan merges: a memtable or a run.
///
/// A class with one virtual call for each batch; the merge itself works on the batch's memory. An enum of cursors lost:
/// its payload cannot be changed in place. What changes lies behind pointers, as each change of a class's own property
/// costs a check of exclusive access. Used by one reader at a time.
class RecordSource {
    final let batch: UnsafeMutablePointer<RecordBatch>
    /// Records of the next batch.
    private let size: UnsafeMutablePointer<Int>

    /// A short scan should not pay for a long one's read-ahead, so batches begin small and double.
    static let usualBatch = 8
    static let greatestBatch = 64

    init() {
        batch = .allocate(capacity: 1)
        batch.initialize(to: RecordBatch(capacity: Self.usualBatch))
        size = .allocate(capacity: 1)
        size.initialize(to: Self.usualBatch)
    }

    deinit {
        batch.deinitialize(count: 1)
        batch.deallocate()
        size.deallocate()
    }

    /// Says how many records the batch behind the seek to come is to have, up to ``greatestBatch``.
    final func begin(size first: Int) { size.pointee = first }

    /// The second step of a seek to a key, behind ``approach(_:_:)``.
    final func narrow(_ key: Bytes, _ direction: ScanDirection) throws(StoreError) {
        try narrow(key, direction, reading: size.pointee)
    }

    /// Stands at `key`, as the cursor's seek of that direction does; the last step, or all of them where there were none.
    final func seek(_ key: Bytes?, _ direction: ScanDirection) throws(StoreError) {
        try position(key, direction, reading: size.pointee)
    }

    /// Replaces the batch by the next records; an empty one means the end.
    /// - Parameters:
    ///   - limit: how many more are likely to be asked for; not positive where more were than was likely.
    ///   - visible: each key's newest version up to that; nil for all versions, newest first.
    ///   - numbered: whether the records need their sequence numbers.
    final func refill(
        _ direction: ScanDirection, limit: Int, visible: SequenceNumber?, numbered: Bool
    ) throws(StoreError) {
        let wanted = limit > 0 ? min(size.pointee, limit) : size.pointee
        if wanted > batch.pointee.capacity { batch.pointee = RecordBatch(capacity: wanted) }
        batch.pointee.removeAll()
        try fill(limit: wanted, direction, visible: visible, numbered: numbered)
        size.pointee = min(wanted * 2, Self.greatestBatch)
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
    private let cursor: UnsafeMutablePointer<MemTableCursor>

    override var recordCount: Int { cursor.pointee.table.keyCount }

    init(_ table: MemTable) {
        cursor = .allocate(capacity: 1)
        cursor.initialize(to: MemTableCursor(table))
    }

    deinit {
        cursor.deinitialize(count: 1)
        cursor.deallocate()
    }

    override func approach(_ key: Bytes, _ direction: ScanDirection) {
        cursor.pointee.approach(key, before: direction == .backward)
    }

    override func position(_ key: Bytes?, _ direction: ScanDirection, reading count: Int) {
        switch direction {
        case .forward: cursor.pointee.seekForward(key)
        case .backward: cursor.pointee.seekBackward(key)
        }
        cursor.pointee.prefetch(count, direction)
    }

    override func fill(limit: Int, _ direction: ScanDirection, visible: SequenceNumber?, numbered: Bool) {
        switch direction {
        case .forward: cursor.pointee.fillForward(&batch.pointee, limit: limit, visible: visible)
        case .backward: cursor.pointee.fillBackward(&batch.pointee, limit: limit, visible: visible ?? .greatest)
        }
    }
}

/// A run as a source.
final class RunSource: RecordSource {
    private let cursor: UnsafeMutablePointer<RunCursor>
    private let run: Run

    override var recordCount: Int { run.recordCount }

    /// - Parameter caching: as of ``SegmentCursor``.
    init(_ run: Run, caching: Bool = true) {
        self.run = run
        cursor = .allocate(capacity: 1)
        cursor.initialize(to: RunCursor(run, caching: caching))
    }

    deinit {
        cursor.deinitialize(count: 1)
        cursor.deallocate()
    }

    override func approach(_ key: Bytes, _ direction: ScanDirection) { cursor.pointee.approach(key, direction) }

    override func narrow(_ key: Bytes, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        try cursor.pointee.narrow(key, direction, reading: count)
    }

    override func position(_ key: Bytes?, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        switch direction {
        case .forward: try cursor.pointee.seekForward(key, reading: count)
        case .backward: try cursor.pointee.seekBackward(key, reading: count)
        }
    }

    override func fill(
        limit: Int, _ direction: ScanDirection, visible: SequenceNumber?, numbered: Bool
    ) throws(StoreError) {
        switch direction {
        case .forward:
            try cursor.pointee.fillForward(&batch.pointee, limit: limit, visible: visible, numbered: numbered)
        case .backward:
            try cursor.pointee.fillBackward(
                &batch.pointee, limit: limit, visible: visible ?? .greatest, numbered: numbered)
        }
    }

    override func rest() { cursor.pointee.rest() }
}
