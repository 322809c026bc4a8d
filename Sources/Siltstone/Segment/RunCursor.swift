/// Walks the records of a run, one segment after the other. The contract is the segment cursor's.
struct RunCursor: ~Copyable {
    private let run: Run
    private let caching: Bool
    private var index: Int
    private var cursor: SegmentCursor?

    init(_ run: Run, caching: Bool) {
        self.run = run
        self.caching = caching
        index = -1
    }

    /// Stands before the first record whose key is not below `key`; nil: before the first of all.
    mutating func seekForward(_ key: Bytes?) throws(StoreError) {
        index = max(0, key.map { run.index(of: $0) } ?? 0)
        cursor = nil
        guard index < run.segments.count else { return }
        var next = SegmentCursor(run.segments[index], caching: caching)
        try next.seekForward(key)
        cursor = next
    }

    /// Stands behind the last record whose key is below `key`; nil: behind the last of all.
    mutating func seekBackward(_ key: Bytes?) throws(StoreError) {
        index = key.map { run.index(of: $0) } ?? run.segments.count - 1
        cursor = nil
        guard index >= 0 else { return }
        var next = SegmentCursor(run.segments[index], caching: caching)
        try next.seekBackward(key)
        cursor = next
    }

    /// Appends records in ascending order; none appended means that there are no more.
    mutating func fillForward(
        _ batch: inout RecordBatch, limit: Int, visible: SequenceNumber?
    ) throws(StoreError) {
        let before = batch.count
        while true {
            try cursor?.fillForward(&batch, limit: limit, visible: visible)
            if batch.count > before || index >= run.segments.count - 1 { return }
            index += 1
            var next = SegmentCursor(run.segments[index], caching: caching)
            try next.seekForward(nil)
            cursor = next
        }
    }

    /// Appends records in descending order; none appended means that there are no more.
    mutating func fillBackward(
        _ batch: inout RecordBatch, limit: Int, visible: SequenceNumber
    ) throws(StoreError) {
        let before = batch.count
        while true {
            try cursor?.fillBackward(&batch, limit: limit, visible: visible)
            if batch.count > before || index <= 0 { return }
            index -= 1
            var next = SegmentCursor(run.segments[index], caching: caching)
            try next.seekBackward(nil)
            cursor = next
        }
    }
}
