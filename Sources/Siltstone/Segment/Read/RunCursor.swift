/// Iterates over the records of a run, segment by segment. Its methods have the contract of ``SegmentCursor``, but the
/// key of a seek must not point into a returned record.
struct RunCursor: ~Copyable {
    /// The cursor of the segment at `index`, if one is open. Kept for the next seek.
    ///
    /// Declared before `run`. Under the thread sanitizer, Swift 6.3 reports a mutation of a noncopyable value as an
    /// access to the address that its first field holds. If that field were `run`, cursors of many threads would seem
    /// to race on the run that they share.
    private let cursor = HeapSlot<SegmentCursor>()
    /// True if ``cursor`` holds a value.
    private var isOpen = false
    private let run: Run
    private let caching: Bool
    /// Index of the current segment in the run; −1 before the first seek, or if the position is before all segments.
    private var index: Int
    /// True if the first step of the next seek has already entered its segment.
    private var isApproached = false

    /// - Parameter caching: see ``SegmentReader/block(_:pin:caching:)``.
    init(_ run: Run, caching: Bool) {
        self.run = run
        self.caching = caching
        index = -1
    }

    deinit { if isOpen { _ = cursor.take() } }

    /// Moves the cursor, see ``SegmentCursor/seek(_:_:reading:)``.
    mutating func seek(
        _ key: Bytes?, _ direction: ScanDirection = .forward, reading count: Int = 0
    ) throws(StoreError) {
        if arrive(at: key, direction) { try cursor.value.seek(key, direction, reading: count) }
    }

    /// The first step of a seek to `key`, see ``SegmentCursor/approach(_:)``. The caller must then seek.
    mutating func approach(_ key: Bytes, _ direction: ScanDirection) {
        isApproached = false
        if arrive(at: key, direction) { cursor.value.approach(key) }
        isApproached = true
    }

    /// The second step of a seek, see ``SegmentCursor/narrow(_:_:reading:)``.
    mutating func narrow(_ key: Bytes, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        if isOpen { try cursor.value.narrow(key, direction, reading: count) }
    }

    /// Opens a cursor on the segment of a seek, unless the first step of the seek has done so.
    /// - Returns: true if the run has a segment for this seek.
    @inline(__always)
    private mutating func arrive(at key: Bytes?, _ direction: ScanDirection) -> Bool {
        let wasApproached = isApproached
        isApproached = false
        guard let key else { return enter(direction == .forward ? 0 : run.segments.count - 1) }
        if wasApproached { return isOpen }
        let next = run.index(of: key)
        return enter(direction == .forward ? max(0, next) : next)
    }

    /// Opens a cursor on a segment. A seek must then position it.
    /// - Returns: true if the segment exists.
    @inline(__always)
    private mutating func enter(_ next: Int) -> Bool {
        if next == index, isOpen { return true }
        if isOpen { _ = cursor.take() }
        index = next
        isOpen = next >= 0 && next < run.segments.count
        if isOpen { cursor.fill(SegmentCursor(run.segments[next], caching: caching)) }
        return isOpen
    }

    /// Releases pinned blocks. The next seek pins blocks again.
    mutating func rest() {
        isApproached = false
        if isOpen { cursor.value.rest() }
    }

    /// Appends the next records in a direction. If it appends none, there are no more.
    mutating func fill(
        _ batch: inout RecordBatch, _ direction: ScanDirection = .forward, limit: Int, visible: SequenceNumber?,
        numbered: Bool = true
    ) throws(StoreError) {
        let before = batch.count
        let (step, last) = direction == .forward ? (1, run.segments.count - 1) : (-1, 0)
        while true {
            if isOpen {
                try cursor.value.fill(&batch, direction, limit: limit, visible: visible, numbered: numbered)
            }
            if batch.count > before || (last - index) * step <= 0 { return }
            if enter(index + step) { try cursor.value.seek(nil, direction) }
        }
    }
}

/// A sorted run: segments in key order whose key ranges do not overlap.
///
/// Adjacent ranges may share a key. If a segment's last key is the end of a range tombstone, which is exclusive, it may
/// also be the next segment's first key. A record of a key is always in the last segment whose first key is not larger
/// than the key.
final class Run: Sendable {
    /// The run's number in the manifest. In level 0 a larger number is newer.
    let number: UInt64
    /// In key order.
    let segments: [SegmentReader]
    let recordCount: Int
    /// First key of each segment. The readers own the bytes.
    private let firstKeys: HeapArray<Bytes>

    /// - Parameter segments: in any order.
    init(number: UInt64, segments: [SegmentReader]) {
        self.number = number
        self.segments = segments.sorted { $0.info.firstKey.lexicographicallyPrecedes($1.info.firstKey) }
        recordCount = segments.reduce(0) { $0 + $1.info.recordCount }
        firstKeys = HeapArray(count: segments.count)
        for (index, segment) in self.segments.enumerated() { firstKeys[index] = segment.firstKey.bytes }
    }

    var fileBytes: Int { segments.reduce(0) { $0 + $1.info.fileBytes } }

    /// Index of the last segment whose first key is not larger than `key`; −1 if there is none.
    /// - Complexity: O(log n) for n segments
    @inline(__always)
    func index(of key: Bytes) -> Int {
        (0..<segments.count).partitioningIndex { compareKeysByWords(firstKeys[$0], key) > 0 } &- 1
    }

    /// The only segment that can contain records of `key`; nil if there is none.
    @inline(__always)
    func segment(for key: Bytes) -> SegmentReader? {
        let index = index(of: key)
        return index < 0 ? nil : segments[index]
    }

    /// The segments whose key ranges overlap `[from, to]`. A nil bound is open.
    func overlapping(from: [UInt8]?, to: [UInt8]?) -> [SegmentReader] {
        segments.filter { segment in
            if let to, to.lexicographicallyPrecedes(segment.info.firstKey) { return false }
            if let from, segment.info.lastKey.lexicographicallyPrecedes(from) { return false }
            return true
        }
    }
}
