/// Writes a sorted stream of records, with what outlives it, into segments of bounded size: the heart of flushes and of
/// compactions.
final class SegmentMerge {
    /// What the merge asks of the store around it.
    struct Environment {
        /// Begins a segment file.
        var newSegment: () throws(StoreError) -> SegmentWriter
        /// Writes the value of a pointer record elsewhere and returns its new place; nil where it may stay.
        var relocate: (Record) throws(StoreError) -> ValuePointer? = { _ in nil }
        /// Whether to give up; asked now and then, with the bytes that were read since the last time: of keys and values, and
        /// ``SegmentMerge/recordOverhead`` for each record.
        var shouldStop: (_ bytes: Int) -> Bool = { _ in false }
    }

    /// About what a record takes in a memtable beside its key and value.
    static let recordOverhead = 40
    /// Bytes between two questions whether to give up.
    private static let checkInterval = 64 << 10

    private let cursor: MergingCursor
    private let snapshots: [SequenceNumber]
    private let inputTombstones: RangeTombstones
    private let isBottom: Bool
    private let segmentBytes: Int
    private let environment: Environment

    /// The range tombstones that stay.
    private var tombstones: [RangeTombstone] = []
    private var writer: SegmentWriter?
    private var finished: [SegmentInfo] = []
    /// Where the segment that is being written begins, for the range tombstones that it gets its part of; nil: at the
    /// beginning of all keys.
    private var segmentStart: [UInt8]?
    private var lastKey: [UInt8] = []
    /// Scratch for relocated pointers.
    private let pointerBytes = MutableBytes.allocate(byteCount: ValuePointer.size, alignment: 8)

    /// - Parameters:
    ///   - sources: newest first.
    ///   - tombstones: the range tombstones of all sources.
    ///   - snapshots: sequence numbers of live snapshots, ascending.
    ///   - isBottom: whether nothing older lies below the sources in their key range.
    init(
        sources: [RecordSource], tombstones: [RangeTombstone], snapshots: [SequenceNumber], isBottom: Bool,
        segmentBytes: Int, environment: Environment
    ) {
        cursor = MergingCursor(sources)
        inputTombstones = RangeTombstones(tombstones)
        self.snapshots = snapshots
        self.isBottom = isBottom
        self.segmentBytes = segmentBytes
        self.environment = environment
    }

    deinit { pointerBytes.deallocate() }

    /// Runs to the end.
    /// - Returns: the segments, synced, in key order; none where nothing outlives the merge.
    func run() throws(StoreError) -> [SegmentInfo] {
        // Variables, not properties: each change of one would be checked for exclusive access, and each look at the writer
        // would retain it, for every record.
        var filter = VersionFilter(snapshots: snapshots, tombstones: inputTombstones, isBottom: isBottom)
        var open: Borrowed<SegmentWriter>?
        tombstones = filter.keptTombstones()
        try cursor.seek(nil)
        var sinceCheck = 0
        while let record = try cursor.next() {
            sinceCheck &+= record.key.count &+ record.value.count &+ Self.recordOverhead
            if sinceCheck >= Self.checkInterval {
                let bytes = sinceCheck
                sinceCheck = 0
                if environment.shouldStop(bytes) {
                    throw StoreError(.closed, "the store was closed during a compaction")
                }
            }
            guard let sequence = filter.keep(record) else { continue }
            try add(record, sequence, to: &open)
        }
        if writer == nil, !tombstones.isEmpty { writer = try environment.newSegment() }
        try finishSegment(before: nil)
        return finished
    }

    /// - Parameter open: the segment that is written, which the merge holds.
    @inline(__always)
    private func add(
        _ record: Record, _ sequence: SequenceNumber, to open: inout Borrowed<SegmentWriter>?
    ) throws(StoreError) {
        var record = record
        record.sequence = sequence
        if record.kind == .pointer, let moved = try environment.relocate(record) {
            moved.write(to: pointerBytes)
            record.value = pointerBytes.bytes
        }
        if let full = open, full.with({ $0.dataBytes >= segmentBytes }) {
            // The versions of one key stay together: a reader looks for a key in one segment of a run.
            let startsKey = lastKey.withBytes { !keysEqual($0, record.key) }
            if startsKey {
                open = nil
                try finishSegment(before: Array(record.key))
            }
        }
        let current = if let open { open } else { try beginSegment() }
        open = current
        let isFull = try current.with { writer throws(StoreError) in
            try writer.append(record)
            return writer.dataBytes >= segmentBytes
        }
        if isFull { lastKey = Array(record.key) }
    }

    private func beginSegment() throws(StoreError) -> Borrowed<SegmentWriter> {
        let new = try environment.newSegment()
        writer = new
        return Borrowed(new)
    }

    /// Ends the segment in the making, and gives it the part of the range tombstones that lies before `end`.
    private func finishSegment(before end: [UInt8]?) throws(StoreError) {
        guard let current = writer else { return }
        writer = nil
        let part = tombstones.compactMap { clip($0, before: end) }
        if !part.isEmpty { current.append(rangeTombstones: part) }
        segmentStart = end
        finished.append(try current.finish())
    }

    private func clip(_ tombstone: RangeTombstone, before end: [UInt8]?) -> RangeTombstone? {
        var part = tombstone
        if let start = segmentStart, part.start.lexicographicallyPrecedes(start) { part.start = start }
        if let end, end.lexicographicallyPrecedes(part.end) { part.end = end }
        return part.start.lexicographicallyPrecedes(part.end) ? part : nil
    }
}
