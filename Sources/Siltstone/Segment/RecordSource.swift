/// Which way a scan goes.
enum ScanDirection: Sendable {
    case forward, backward
}

/// One of the sorted sources that a scan merges: a memtable or a run.
///
/// A class with one virtual call for each batch; the merge itself works on the batch's memory. An enum of cursors lost:
/// its payload cannot be changed in place. Used by one reader at a time.
class RecordSource {
    final var batch = RecordBatch(capacity: RecordSource.usualBatch)
    private var size = 0

    /// A short scan should not pay for a long one's read-ahead, so batches begin small and double.
    static let usualBatch = 8
    static let greatestBatch = 64

    /// Stands at `key`, as the cursor's seek of that direction does.
    /// - Parameter size: records of the first batch, up to ``greatestBatch``.
    final func seek(_ key: Bytes?, _ direction: ScanDirection, size: Int = usualBatch) throws(StoreError) {
        self.size = size
        try position(key, direction)
    }

    /// Replaces the batch by the next records; an empty one means the end.
    final func refill(_ direction: ScanDirection, visible: SequenceNumber?) throws(StoreError) {
        if size > batch.capacity { batch = RecordBatch(capacity: size) }
        batch.removeAll()
        try fill(limit: size, direction, visible: visible)
        size = min(size * 2, Self.greatestBatch)
    }

    func position(_ key: Bytes?, _ direction: ScanDirection) throws(StoreError) {}

    func fill(limit: Int, _ direction: ScanDirection, visible: SequenceNumber?) throws(StoreError) {}
}

/// A memtable as a source.
final class MemTableSource: RecordSource {
    private var cursor: MemTableCursor

    init(_ table: MemTable) { cursor = MemTableCursor(table) }

    override func position(_ key: Bytes?, _ direction: ScanDirection) {
        switch direction {
        case .forward: cursor.seekForward(key)
        case .backward: cursor.seekBackward(key)
        }
    }

    override func fill(limit: Int, _ direction: ScanDirection, visible: SequenceNumber?) {
        switch direction {
        case .forward: cursor.fillForward(&batch, limit: limit, visible: visible)
        case .backward: cursor.fillBackward(&batch, limit: limit, visible: visible ?? .greatest)
        }
    }
}

/// A run as a source.
final class RunSource: RecordSource {
    private var cursor: RunCursor

    /// - Parameter caching: as of ``SegmentCursor``.
    init(_ run: Run, caching: Bool = true) { cursor = RunCursor(run, caching: caching) }

    override func position(_ key: Bytes?, _ direction: ScanDirection) throws(StoreError) {
        switch direction {
        case .forward: try cursor.seekForward(key)
        case .backward: try cursor.seekBackward(key)
        }
    }

    override func fill(limit: Int, _ direction: ScanDirection, visible: SequenceNumber?) throws(StoreError) {
        switch direction {
        case .forward: try cursor.fillForward(&batch, limit: limit, visible: visible)
        case .backward: try cursor.fillBackward(&batch, limit: limit, visible: visible ?? .greatest)
        }
    }
}
