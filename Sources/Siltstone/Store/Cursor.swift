import Synchronization

/// Walks the entries of a snapshot in key order.
///
/// The cursor stays good, and sees the same, whatever is written, flushed or compacted meanwhile, and after its snapshot
/// was released. Used by one task or thread at a time. An error is thrown, never taken for the end; the cursor cannot go
/// on after one.
public final class Cursor {
    private let engine: Engine
    /// Keeps the memtables and segments that the records lie in.
    private let view: ReadView
    private let sequence: SequenceNumber
    private let merge: MergingCursor
    private let tombstones: [RangeTombstones]
    private let range: ScanRange
    /// The far end of the range, nil where that is open: a copy, as the array would be retained for each record.
    private let farEnd: HeapBytes?
    private var left: Int
    private var isStarted = false
    private var failure: StoreError?

    /// A cursor on what a snapshot sees.
    convenience init(_ snapshot: Snapshot, _ range: ScanRange) throws(StoreError) {
        try snapshot.engine.checkOpen()
        // Any view later than the snapshot will do: what the snapshot sees is kept in all of them. The snapshot must
        // not go before the view is taken.
        let view = withExtendedLifetime(snapshot) { snapshot.engine.views.current() }
        self.init(snapshot.engine, view, snapshot.sequence, range)
    }

    /// A cursor on what the store holds now. It needs no snapshot: the view that it keeps is its own, and what flushes and
    /// compactions do is seen in later ones only.
    convenience init(_ engine: Engine, _ range: ScanRange) throws(StoreError) {
        try engine.checkOpen()
        let (view, sequence) = engine.currentView()
        self.init(engine, view, sequence, range)
    }

    private init(_ engine: Engine, _ view: ReadView, _ sequence: SequenceNumber, _ range: ScanRange) {
        self.engine = engine
        self.view = view
        self.sequence = sequence
        self.range = range
        farEnd = (range.direction == .forward ? range.to : range.from).map { HeapBytes(copying: $0) }
        left = range.limit
        merge = MergingCursor(view.sources(), range.direction, visible: sequence, limit: range.limit)
        tombstones = view.rangeTombstones()
    }

    /// The next entry, copied; nil at the end.
    /// - Throws: ``StoreError`` where the disk fails or is damaged. Not where the store was closed since the cursor was
    ///   made: it goes on to its end.
    public func next() throws(StoreError) -> Entry? {
        guard let record = try nextRecord() else { return nil }
        return try engine.withResolvedValue(record, view.version) { value in
            Entry(key: [UInt8](record.key), value: [UInt8](value))
        }
    }

    /// Calls `body` with each entry that is left, without copying.
    /// - Parameter body: gets key and value, which are good until it returns; returns false to stop.
    /// - Throws: ``StoreError``, or what `body` throws.
    public func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        while let record = try nextRecord() {
            let goesOn: Bool
            if record.kind == .value {
                goesOn = try body(record.key.bytes, record.value.bytes)
            } else {
                let result = try engine.withResolvedValue(record, view.version) { value -> Result<Bool, any Error> in
                    Result { try body(record.key.bytes, value.bytes) }
                }
                goesOn = try result.get()
            }
            if !goesOn { return }
        }
    }

    /// The next visible record, good until the next call.
    @inline(__always)
    func nextRecord() throws(StoreError) -> Record? {
        if let failure { throw failure }
        if left == 0 { return nil }
        do {
            if !isStarted { try start() }
            while let record = try merge.next() {
                // Before anything else: behind the end there may be no end of removals.
                if isOutside(record.key) { break }
                if record.kind == .tombstone { continue }
                if !tombstones.isEmpty, isRemoved(record) { continue }
                left &-= 1
                return record
            }
            left = 0
            return nil
        } catch {
            failure = error
            throw error
        }
    }

    private func start() throws(StoreError) {
        isStarted = true
        let key = range.direction == .forward ? range.from : range.to
        guard let key else { return try merge.seek(nil) }
        try withContiguousBytes(key) { bytes throws(StoreError) in try merge.seek(bytes) }
    }

    /// Whether a range tombstone that the snapshot sees covers a record, and is newer.
    private func isRemoved(_ record: Record) -> Bool {
        tombstones.contains { $0.newestCovering(record.key, visible: sequence) > record.sequence }
    }

    /// Whether a key lies beyond the far end of the range.
    @inline(__always)
    private func isOutside(_ key: Bytes) -> Bool {
        guard let farEnd else { return false }
        let order = compareKeys(key, farEnd.bytes)
        return range.direction == .forward ? order >= 0 : order < 0
    }
}
