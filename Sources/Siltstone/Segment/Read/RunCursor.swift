/// Walks the records of a run, one segment after the other. The contract is the segment cursor's.
struct RunCursor: ~Copyable {
    /// On the segment of the index, if there is one; kept for the next seek.
    ///
    /// Before the run: under the thread sanitizer, Swift 6.3 reports a change of a noncopyable value at the address that its
    /// first field holds. Many threads have cursors on one run.
    private let cursor = HeapSlot<SegmentCursor>()
    /// Whether ``cursor`` is there.
    private var isOpen = false
    private let run: Run
    private let caching: Bool
    private var index: Int
    /// Whether the first step of the seek to come has entered its segment.
    private var isApproached = false

    init(_ run: Run, caching: Bool) {
        self.run = run
        self.caching = caching
        index = -1
    }

    deinit { if isOpen { _ = cursor.take() } }

    /// Stands before the first record whose key is not below `key`; nil: before the first of all.
    /// - Parameter count: records that are likely to be read from there.
    mutating func seekForward(_ key: Bytes?, reading count: Int = 0) throws(StoreError) {
        if arrive(at: key, .forward) { try cursor.value.seekForward(key, reading: count) }
    }

    /// Stands behind the last record whose key is below `key`; nil: behind the last of all.
    /// - Parameter count: records that are likely to be read from there.
    mutating func seekBackward(_ key: Bytes?, reading count: Int = 0) throws(StoreError) {
        if arrive(at: key, .backward) { try cursor.value.seekBackward(key, reading: count) }
    }

    /// The first step of a seek to a key, which has to follow, as the segment cursor's.
    mutating func approach(_ key: Bytes, _ direction: ScanDirection) {
        isApproached = false
        if arrive(at: key, direction) { cursor.value.approach(key) }
        isApproached = true
    }

    /// The second step.
    mutating func narrow(_ key: Bytes, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        if isOpen { try cursor.value.narrow(key, direction, reading: count) }
    }

    /// Enters the segment of a seek, where the first step has not.
    /// - Returns: whether there is one.
    @inline(__always)
    private mutating func arrive(at key: Bytes?, _ direction: ScanDirection) -> Bool {
        let wasApproached = isApproached
        isApproached = false
        guard let key else { return enter(direction == .forward ? 0 : run.segments.count - 1) }
        if wasApproached { return isOpen }
        let next = run.index(of: key)
        return enter(direction == .forward ? max(0, next) : next)
    }

    /// Puts a cursor on a segment, which must be positioned by a seek.
    /// - Returns: whether there is that segment.
    @inline(__always)
    private mutating func enter(_ next: Int) -> Bool {
        if next == index, isOpen { return true }
        if isOpen { _ = cursor.take() }
        index = next
        isOpen = next >= 0 && next < run.segments.count
        if isOpen { cursor.fill(SegmentCursor(run.segments[next], caching: caching)) }
        return isOpen
    }

    /// Gives up blocks that are kept alive, until the next seek.
    mutating func rest() {
        isApproached = false
        if isOpen { cursor.value.rest() }
    }

    /// Appends records in ascending order; none appended means that there are no more.
    mutating func fillForward(
        _ batch: inout RecordBatch, limit: Int, visible: SequenceNumber?, numbered: Bool = true
    ) throws(StoreError) {
        let before = batch.count
        while true {
            if isOpen {
                try cursor.value.fillForward(&batch, limit: limit, visible: visible, numbered: numbered)
            }
            if batch.count > before || index >= run.segments.count - 1 { return }
            if enter(index + 1) { try cursor.value.seekForward(nil) }
        }
    }

    /// Appends records in descending order; none appended means that there are no more.
    mutating func fillBackward(
        _ batch: inout RecordBatch, limit: Int, visible: SequenceNumber, numbered: Bool = true
    ) throws(StoreError) {
        let before = batch.count
        while true {
            if isOpen {
                try cursor.value.fillBackward(&batch, limit: limit, visible: visible, numbered: numbered)
            }
            if batch.count > before || index <= 0 { return }
            if enter(index - 1) { try cursor.value.seekBackward(nil) }
        }
    }
}
