/// Merges sorted sources and writes the surviving records into segments of bounded size. Flushes and compactions use
/// it.
final class SegmentMerge {
    /// The functions of the store that the merge calls.
    struct Environment {
        /// Creates a segment file.
        var newSegment: () throws(StoreError) -> SegmentWriter
        /// Moves the value of a pointer record and returns the new pointer; nil if the value stays.
        var relocate: (Record) throws(StoreError) -> ValuePointer? = { _ in nil }
        /// Gets the bytes of a value that is kept for snapshots only, because the segment has a newer version.
        var onOlderValue: (_ bytes: Int) -> Void = { _ in }
        /// Gets the bytes that were read since its last call: keys and values, plus ``SegmentMerge/recordOverhead`` for
        /// each record. Returns true to cancel the merge.
        var onProgress: (_ bytes: Int) -> Bool = { _ in false }
    }

    /// Approximate bytes that a record takes in a memtable in addition to its key and value.
    static let recordOverhead = 40
    /// Bytes between two calls of `onProgress`.
    private static let checkInterval = 64 << 10

    private let segmentBytes: Int
    private let environment: Environment

    /// The range tombstones that survive.
    private var tombstones: [RangeTombstone] = []
    private var writer: SegmentWriter?
    private var finished: [SegmentInfo] = []
    /// First key of the current segment, to which range tombstones are clipped; nil for the first segment, which is
    /// open at the start.
    private var segmentStart: [UInt8]?
    /// Key of the last record, once the current segment is full.
    private var lastKey: [UInt8] = []
    /// Buffer for relocated pointers.
    private let pointerBytes = MutableBytes.allocate(byteCount: ValuePointer.size, alignment: 8)

    /// - Parameter segmentBytes: size at which a new segment starts, in bytes of uncompressed blocks.
    init(segmentBytes: Int, _ environment: Environment) {
        self.segmentBytes = segmentBytes
        self.environment = environment
    }

    deinit { pointerBytes.deallocate() }

    /// Runs the complete merge. Called once.
    /// - Parameters:
    ///   - sources: newest first.
    ///   - inputTombstones: the range tombstones of all sources.
    ///   - snapshots: sequence numbers of live snapshots, ascending.
    ///   - isBottom: true if no older data exists below the sources in their key range.
    /// - Returns: the segments, synced, in key order; empty if no record or range tombstone survives.
    func run(
        _ sources: [RecordSource], _ inputTombstones: [RangeTombstone], snapshots: [SequenceNumber], isBottom: Bool
    ) throws(StoreError) -> [SegmentInfo] {
        // Local variables instead of properties. For every record, a property would be checked for exclusive access at
        // each change, and the writer would be retained at each use.
        let cursor = MergingCursor(sources)
        var filter = VersionFilter(
            snapshots: snapshots, tombstones: RangeTombstones(inputTombstones), isBottom: isBottom)
        var open: Borrowed<SegmentWriter>?
        tombstones = filter.keptTombstones()
        try cursor.seek(nil)
        var sinceCheck = 0
        while let record = try cursor.next() {
            sinceCheck &+= record.key.count &+ record.value.count &+ Self.recordOverhead
            if sinceCheck >= Self.checkInterval {
                let bytes = sinceCheck
                sinceCheck = 0
                if environment.onProgress(bytes) {
                    throw StoreError(.closed, "the store was closed during a compaction")
                }
            }
            guard let sequence = filter.keep(record) else { continue }
            try add(record, sequence, isOlder: filter.isOlder, to: &open)
        }
        if writer == nil, !tombstones.isEmpty { writer = try environment.newSegment() }
        try finishSegment(before: nil)
        return finished
    }

    /// Writes a record that survives.
    /// - Parameters:
    ///   - sequence: the sequence number that the record gets.
    ///   - isOlder: whether a newer version of the key was written before.
    ///   - open: the writer of the current segment, which the merge owns; nil before its first record.
    @inline(__always)
    private func add(
        _ record: Record, _ sequence: SequenceNumber, isOlder: Bool, to open: inout Borrowed<SegmentWriter>?
    ) throws(StoreError) {
        var record = record
        record.sequence = sequence
        if record.kind == .pointer, let moved = try environment.relocate(record) {
            moved.write(to: pointerBytes)
            record.value = pointerBytes.bytes
        }
        if let full = open, full.with({ $0.dataBytes >= segmentBytes }) {
            // All versions of a key go into the same segment, because readers search for a key in only one segment of a
            // run.
            let startsKey = lastKey.withBytes { !keysEqual($0, record.key) }
            if startsKey {
                open = nil
                try finishSegment(before: Array(record.key))
            }
        }
        let current = if let open { open } else { try beginSegment() }
        open = current
        if isOlder, record.kind == .pointer, let pointer = ValuePointer(record.value) {
            environment.onOlderValue(ValueRecord.size(key: record.key.count, value: Int(pointer.length)))
        }
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

    /// Finishes the current segment. Clips the range tombstones to its key range, which ends before `end`.
    private func finishSegment(before end: [UInt8]?) throws(StoreError) {
        guard let current = writer else { return }
        writer = nil
        let part = tombstones.compactMap { clip($0, before: end) }
        if !part.isEmpty { current.append(rangeTombstones: part) }
        segmentStart = end
        finished.append(try current.finish())
    }

    /// The part of a tombstone that is in the current segment; nil if there is none.
    private func clip(_ tombstone: RangeTombstone, before end: [UInt8]?) -> RangeTombstone? {
        var part = tombstone
        if let start = segmentStart, part.start.lexicographicallyPrecedes(start) { part.start = start }
        if let end, end.lexicographicallyPrecedes(part.end) { part.end = end }
        return part.start.lexicographicallyPrecedes(part.end) ? part : nil
    }
}
