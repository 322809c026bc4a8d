import Synchronization

/// One walk over a range of a store: what cursors and `forEach` do.
struct ScanWalk: ~Copyable {
    private let engine: Engine
    private let scan: Scan
    private let sequence: SequenceNumber
    private let tombstones: [RangeTombstones]
    private let range: ScanRange
    /// Entries that may still be handed out.
    private var left: Int
    private var isStarted = false
    /// What is left of the records that were read last.
    private var next: UnsafePointer<Record>?
    private var end: UnsafePointer<Record>?
    /// Whether those were the last ones.
    private var isLastSpan = false

    /// A walk over what a snapshot sees.
    init(_ snapshot: Snapshot, _ range: ScanRange) throws(StoreError) {
        try snapshot.engine.checkOpen()
        // Any view later than the snapshot will do: what the snapshot sees is kept in all of them. The snapshot must
        // not go before the view is taken.
        let (scan, _) = withExtendedLifetime(snapshot) { snapshot.engine.takeScan() }
        self.init(snapshot.engine, scan, snapshot.sequence, range)
    }

    /// A walk over what the store holds now. It needs no snapshot: the view that it keeps is its own, and what flushes and
    /// compactions do is seen in later ones only.
    init(_ engine: Engine, _ range: ScanRange) throws(StoreError) {
        try engine.checkOpen()
        let (scan, sequence) = engine.takeScan()
        self.init(engine, scan, sequence, range)
    }

    private init(_ engine: Engine, _ scan: Scan, _ sequence: SequenceNumber, _ range: ScanRange) {
        self.engine = engine
        self.scan = scan
        self.sequence = sequence
        self.range = range
        left = range.limit
        tombstones = scan.view.rangeTombstones()
    }

    deinit { engine.scans.give(scan) { [engine] in engine.views.isCurrent($0) } }

    // MARK: Records

    /// The next visible record, good until the next call.
    @inline(__always)
    mutating func nextRecord() throws(StoreError) -> Record? {
        while left > 0 {
            if next == end, try !readSpan() { return nil }
            guard let record = next else { return nil }
            next = record + 1
            if Self.isSkipped(record, tombstones, sequence) { continue }
            left &-= 1
            return record.pointee
        }
        return nil
    }

    /// Runs `body` with the value of a record that was handed out last.
    func withValue<R>(of record: Record, _ body: (Bytes) throws(StoreError) -> R) throws(StoreError) -> R {
        try engine.withResolvedValue(record, scan.view.version, body)
    }

    /// Calls `body` with key and value of each entry that is left.
    /// - Parameter body: gets bytes that are good until it returns; returns false to stop.
    mutating func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        while left > 0, try next != end || readSpan() {
            // In local variables: what `self` holds would be loaded and stored for each record.
            guard var record = next, let last = end else { return }
            var left = left
            defer { (next, self.left) = (record, left) }
            while record != last, left > 0 {
                let current = record
                record += 1
                if Self.isSkipped(current, tombstones, sequence) { continue }
                left &-= 1
                if try !hand(current, to: body) { return }
            }
        }
    }

    /// Calls `body` with key and value of a record.
    @inline(__always)
    private func hand(_ record: UnsafePointer<Record>, to body: (RawSpan, RawSpan) throws -> Bool) throws -> Bool {
        let key = record.pointee.key
        if _fastPath(record.pointee.kind == .value) { return try body(key.bytes, record.pointee.value.bytes) }
        return try withValue(of: record.pointee) { value in Result { try body(key.bytes, value.bytes) } }.get()
    }

    /// Whether a record is a tombstone, or removed by one. No method: `self` would be copied for each record.
    @inline(__always)
    private static func isSkipped(
        _ record: UnsafePointer<Record>, _ tombstones: [RangeTombstones], _ sequence: SequenceNumber
    ) -> Bool {
        if record.pointee.kind == .tombstone { return true }
        return _slowPath(!tombstones.isEmpty) && isRemoved(record, tombstones, sequence)
    }

    /// Whether a range tombstone that the walk sees covers a record, and is newer.
    @inline(never)
    private static func isRemoved(
        _ record: UnsafePointer<Record>, _ tombstones: [RangeTombstones], _ sequence: SequenceNumber
    ) -> Bool {
        tombstones.contains {
            $0.newestCovering(record.pointee.key, visible: sequence) > record.pointee.sequence
        }
    }

    // MARK: Spans

    /// Reads the next records, as far as they are in the range; whether there are any.
    private mutating func readSpan() throws(StoreError) -> Bool {
        if let failure = scan.failure { throw failure }
        if isLastSpan { return false }
        do {
            if !isStarted { try start() }
            let span = try scan.merge.nextSpan()
            guard let first = span.baseAddress else {
                isLastSpan = true
                return false
            }
            next = first
            end = first + span.count
        } catch {
            scan.failure = error
            throw error
        }
        cutAtFarEnd()
        return next != end
    }

    private mutating func start() throws(StoreError) {
        isStarted = true
        scan.merge.restart(range.direction, visible: sequence)
        let key = range.direction == .forward ? range.from : range.to
        guard let key else { return try scan.merge.seek(nil, limit: range.limit) }
        try withContiguousBytes(key) { bytes throws(StoreError) in try scan.merge.seek(bytes, limit: range.limit) }
    }

    /// Leaves out what lies beyond the far end of the range. One comparison where nothing does.
    private mutating func cutAtFarEnd() {
        guard let farEnd = range.direction == .forward ? range.to : range.from, let first = next, let last = end else {
            return
        }
        farEnd.withUnsafeBytes { bytes in
            guard isBeyond(last - 1, bytes) else { return }
            var cut = first
            while cut < last, !isBeyond(cut, bytes) { cut += 1 }
            end = cut
            isLastSpan = true
        }
    }

    @inline(__always)
    private func isBeyond(_ record: UnsafePointer<Record>, _ farEnd: Bytes) -> Bool {
        let order = compareKeys(record.pointee.key, farEnd)
        return range.direction == .forward ? order >= 0 : order < 0
    }
}

extension Engine {
    /// A scan of the current view, and what is visible.
    func takeScan() -> (Scan, SequenceNumber) {
        if let scan = scans.take() {
            // Before the look at the view, as in `currentView`.
            let sequence = visible.load(ordering: .acquiring)
            if views.isCurrent(scan.view) { return (scan, sequence) }
        }
        let (view, sequence) = currentView()
        return (Scan(view), sequence)
    }
}
