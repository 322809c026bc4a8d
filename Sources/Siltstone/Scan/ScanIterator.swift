import Synchronization

/// One scan over a range of a store, or over several. Cursors and `forEach` use it.
///
/// - A *record* is the newest visible version of a key: a value, a pointer into a value file, or a tombstone.
/// - An *entry* is a record that the scan returns. Tombstones and records that a range tombstone deletes are *hidden*.
/// - A *span* is a sequence of records that the merge returns by one call.
/// - A *stretch* is a sequence of keys to which the same range tombstones apply.
/// - A *row* is a part of a span: records in the current range, and in one stretch if there are range tombstones.
/// - A *position* is the gap directly before a key. A forward scan goes on with that key, a backward scan with the next
///   smaller one.
struct ScanIterator: ~Copyable {
    /// Not retained: the caller keeps it alive during the scan. A retain and a release would take a tenth of a short
    /// scan, because atomic operations wait for earlier memory operations.
    private let path: Borrowed<ScanPath>
    /// Owned until ``deinit`` gives it back. An ordinary reference would be retained and released at each use.
    private let scan: Borrowed<Scan>
    /// The merge of ``scan``. Not retained, because ``scan`` keeps it alive.
    private let merge: Borrowed<MergingCursor>
    /// The newest change that the scan sees.
    private let sequence: SequenceNumber
    /// The range tombstones of all memtables and segments of the super version. Most stores have none.
    private let tombstones: [RangeTombstones]
    /// The stretch of the current row.
    private var stretch = TombstoneStretch()
    /// False after a seek within the span. It may have gone back, and a stretch does not know where it starts.
    private var hasStretch = false
    /// Whether the merge reads sequence numbers. Only a stretch that a range tombstone covers needs them.
    private var isNumbered = false
    let direction: ScanDirection
    /// The position at which the range starts in scan order: forward its first key (inclusive), backward its upper
    /// bound (exclusive). Nil if the range is open there, or if ``begin(at:)`` gets the position.
    var startBound: [UInt8]?
    /// The position at which the range stops in scan order: forward its upper bound (exclusive), backward its first key
    /// (inclusive). Nil if the range is open there.
    var stopBound: [UInt8]?
    /// The ranges of a scan over several ranges. ``startBound`` and ``stopBound`` belong to the current one.
    var ranges: RangeIterator?
    /// The number of entries that the scan may still return.
    private(set) var remaining: Int
    /// Whether the first row was read.
    private(set) var isStarted = false
    /// The span that was read last.
    private(set) var span = RecordRow.none
    /// The next record of the current row, and the end of the row. Both nil before the first row.
    var next: RecordPlace?
    var rowEnd: RecordPlace?
    /// Whether the range has no records after ``rowEnd``.
    var isLastRow = false

    /// Makes a scan over one range. The other parameters are those of ``init(_:at:_:stopBound:limit:)``.
    init(
        _ path: ScanPath, at snapshot: SequenceNumber?, over range: KeyRange, _ direction: ScanDirection, limit: Int?
    ) throws(StoreError) {
        try self.init(path, at: snapshot, direction, stopBound: range.stopBound(direction), limit: limit)
        startBound = range.startBound(direction)
    }

    /// Makes a scan that ``begin(at:)`` starts.
    /// - Parameters:
    ///   - path: not retained. The caller keeps it and the store alive during the scan.
    ///   - snapshot: the newest change that the scan sees; nil for the newest visible one. The caller keeps the
    ///     snapshot until this returns. Afterwards the scan's super version keeps the records.
    ///   - direction: the scan order.
    ///   - stopBound: see ``stopBound``.
    ///   - limit: the largest number of entries to return; nil for all.
    init(
        _ path: ScanPath, at snapshot: SequenceNumber?, _ direction: ScanDirection, stopBound: consuming [UInt8]?,
        limit: Int?
    ) throws(StoreError) {
        try path.reads.status.checkOpen()
        // Any super version later than the snapshot is suitable, because all of them keep the versions that the
        // snapshot sees.
        let (scan, now) = path.take()
        self.path = Borrowed(path)
        self.scan = scan
        merge = scan.with { Borrowed($0.merge) }
        sequence = snapshot ?? now
        self.direction = direction
        self.stopBound = stopBound
        remaining = max(0, limit ?? .max)
        tombstones = scan.with { $0.superVersion.rangeTombstones() }
    }

    deinit {
        path.with { $0.give(scan) }
    }

    /// Moves this iterator into storage of its ``Scan``, so that it has a fixed address. To end the scan, the caller
    /// takes the iterator out again by `HeapPlace.take()` and drops it.
    consuming func moveToStorage() -> HeapPlace<ScanIterator> {
        let place = scan.with { $0.iteratorStorage.place }
        place.fill(self)
        return place
    }

    // MARK: Records

    /// Returns the record of the next entry, valid until the next call; nil at the end.
    @inline(__always)
    mutating func nextRecord() throws(StoreError) -> Record? {
        guard remaining > 0, let record = try nextEntry() else { return nil }
        next = record + 1
        remaining &-= 1
        return record.record
    }

    /// Moves to the next entry; nil at the end of the scan.
    @inline(__always)
    private mutating func nextEntry() throws(StoreError) -> RecordPlace? {
        while true {
            if next == rowEnd, try !readRow() { return nil }
            guard let record = next else { return nil }
            if _fastPath(!Self.isHidden(record, stretch)) { return record }
            do throws(StoreError) { try passHidden() } catch { try fail(error) }
        }
    }

    /// Runs `body` with the value of a record of the current span. Fetches the value if it is in a value file.
    /// - Parameter later: a record whose value the scan will probably need later. Its value is prefetched.
    func withValue<R>(
        of record: Record, before later: RecordPlace? = nil, _ body: (Bytes) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard record.kind == .pointer else { return try body(record.value) }
        // The value is most often in the same file as the previous one. The mapping keeps its bytes valid.
        if let (value, mapping) = scan.with({ $0.recentValueFile.value.value(of: record, before: later) }) {
            defer { withExtendedLifetime(mapping) {} }
            return try body(value)
        }
        return try path.object.reads.withResolvedValue(
            record, version, noting: { file in scan.with { $0.recentValueFile.value.enter(file) } }, body)
    }

    private var version: Version { scan.with { $0.superVersion.version } }

    /// Calls `body` with the key and the value of each remaining entry.
    /// - Parameter body: gets bytes that are valid until it returns. It returns false to stop.
    mutating func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        while remaining > 0, var record = try nextEntry(), let rowEnd {
            // Local variables, because members of `self` would be loaded and stored for each record.
            var remaining = remaining
            defer { (next, self.remaining) = (record, remaining) }
            let stretch = stretch
            let isPlain = stretch.covering == 0
            while record != rowEnd, remaining > 0 {
                let current = record
                let isValue = current.kind == .value
                if _slowPath(!isValue || !isPlain), Self.isHidden(current, stretch) { break }
                record += 1
                remaining &-= 1
                let goesOn =
                    _fastPath(isValue)
                    ? try unsafe body(current.key.buffer.bytes, current.value.buffer.bytes)
                    : try handResolved(current, to: body)
                if !goesOn { return }
            }
        }
    }

    /// Calls `body` with the key and the value of an entry. Fetches the value if it is in a value file.
    @inline(never)
    private func handResolved(
        _ record: RecordPlace, to body: (RawSpan, RawSpan) throws -> Bool
    ) throws -> Bool {
        let later = record + RecentValueFile.distance
        let isInRow = rowEnd.map { later < $0 } ?? false
        return try withValue(of: record.record, before: isInRow ? later : nil) { value in
            // A result, because `body` may throw any error, and this closure only a `StoreError`.
            Result { try unsafe body(record.key.buffer.bytes, value.buffer.bytes) }
        }.get()
    }

    /// Whether a record is hidden. Static, because a method would copy `self` for each record.
    @inline(__always)
    private static func isHidden(_ record: RecordPlace, _ stretch: TombstoneStretch) -> Bool {
        record.kind == .tombstone || record.sequence < stretch.covering
    }

    // MARK: Rows
    //
    // The caller's own loop works on rows. It gets a row from ``nextRow(behind:)`` and uses the records in order, up to
    // the first that it cannot use itself: for entries the first that is not a plain value, for keys the first
    // tombstone. It passes that record to ``handOther(_:to:)`` or ``handOtherKey(_:to:)``, and gets the next row behind
    // it. The scan of a transaction finds hidden records by ``isHidden(_:)``, and reports them by ``discountHidden()``.

    /// Returns the next row, with at most ``remaining`` records, of which the first is an entry; nil at the end. If a
    /// range tombstone covers the row, returns an empty row at its first record. The caller passes that record to
    /// ``handOther(_:to:)``.
    /// - Parameter taken: the place after the last record of the previous row that the caller has used; nil for the
    ///   first row.
    mutating func nextRow(behind taken: RecordPlace?) throws(StoreError) -> RecordRow? {
        take(upTo: taken)
        guard remaining > 0, let first = try nextEntry(), let last = rowEnd else { return nil }
        if _slowPath(stretch.covering > 0) { return RecordRow(start: first, end: first) }
        return RecordRow(start: first, end: last - first > remaining ? first + remaining : last)
    }

    /// Moves to `taken`, a place in the previous row, and counts all records before it as returned entries.
    @inline(__always)
    mutating func take(upTo taken: RecordPlace?) {
        guard let taken, let before = next else { return }
        remaining &-= taken - before
        next = taken
    }

    /// Whether a record is hidden: a tombstone, or deleted by a range tombstone.
    func isHidden(_ record: RecordPlace) -> Bool { Self.isHidden(record, stretch) }

    /// Makes up for a hidden record, which the next ``take(upTo:)`` counts as an entry.
    mutating func discountHidden() { remaining &+= 1 }

    /// Handles the record at which the caller's loop over a row stopped. Calls `body` with its key and value, unless
    /// the record is hidden.
    /// - Returns: the result of `body`; true if the record is hidden.
    mutating func handOther(
        _ record: RecordPlace, to body: (RawSpan, RawSpan) throws -> Bool
    ) throws -> Bool {
        if Self.isHidden(record, stretch) {
            discountHidden()
            return true
        }
        return try handResolved(record, to: body)
    }

    /// Like ``handOther(_:to:)``, for a loop over keys. Calls `body` with the key only.
    mutating func handOtherKey(_ record: RecordPlace, to body: (RawSpan) throws -> Bool) rethrows -> Bool {
        if Self.isHidden(record, stretch) {
            discountHidden()
            return true
        }
        return try unsafe body(record.key.buffer.bytes)
    }

    /// Counts the remaining entries by reading their records, without fetching values from value files.
    mutating func count() throws(StoreError) -> Int {
        var count = 0
        while remaining > 0, let first = try nextEntry(), let rowEnd {
            var record = first
            while record != rowEnd, record - first < remaining, !Self.isHidden(record, stretch) { record += 1 }
            next = record
            remaining &-= record - first
            count &+= record - first
        }
        return count
    }

    /// Starts the scan at a position, and reads the first row. The caller need not set ``startBound`` then. Called at
    /// most once, before any record is read.
    /// - Parameter key: nil for the first key in scan order.
    mutating func begin(at key: [UInt8]?) throws(StoreError) {
        if remaining > 0 { _ = try readRow(first: key) }
    }

    /// Reads the next row. Returns false at the end of the scan.
    private mutating func readRow() throws(StoreError) -> Bool { try readRow(first: isStarted ? nil : startBound) }

    /// Reads the next row. If the current range has no more records, moves to the next range that has some.
    /// - Parameter key: the position of the first row, ignored afterwards; nil for the first key in scan order.
    private mutating func readRow(first key: [UInt8]?) throws(StoreError) -> Bool {
        try checkNotFailed()
        do {
            if try isStarted ? readNextRow() : readFirstRow(key) { return true }
            return try readNextRange()
        } catch { try fail(error) }
    }

    /// Throws the error that ended the scan, if there was one. After an error, the position of the merge is unknown.
    func checkNotFailed() throws(StoreError) {
        if let failure = scan.with({ $0.failure }) { throw failure }
    }

    /// Ends the scan with an error.
    func fail(_ error: StoreError) throws(StoreError) -> Never {
        scan.with { $0.failure = error }
        throw error
    }

    /// Reads the next row of the current range. Returns false at the end of the range.
    private mutating func readNextRow() throws(StoreError) -> Bool {
        if isLastRow { return false }
        if _slowPath(!tombstones.isEmpty) { return try readNextRowInStretch() }
        guard try fetchSpan() else { return false }
        rowEnd = span.end
        cutAtStop()
        return next != rowEnd
    }

    /// Like ``readNextRow()``, but first seeks to a position: the start of a range, or the target of a seek. Passes
    /// deleted records there, so that the range of keys that is known to be empty includes the position. The next scan
    /// then seeks behind that range at once.
    mutating func readFirstRow(_ key: [UInt8]?) throws(StoreError) -> Bool {
        isStarted = true
        // There is no largest key.
        let position = key ?? (direction == .forward ? [] : nil)
        var target: [UInt8]?
        // Not retained for the check, which each scan makes.
        if _slowPath(path.with { $0.deletedRanges.hasRanges }), let position {
            target = path.object.deletedRanges.end(from: position, direction, seen: sequence)
        }
        try seek(target ?? key)
        guard try readNextRow() else { return false }
        guard let first = next, _slowPath(Self.isHidden(first, stretch)) else { return true }
        try passHidden(from: position)
        return next != rowEnd
    }

    /// Moves the merge to a position; nil for the first key in scan order. Also looks up the stretch there.
    private mutating func seek(_ key: [UInt8]?) throws(StoreError) {
        if _slowPath(!tombstones.isEmpty) {
            // Otherwise ``readNextRowInStretch()`` would first return the rest of the old span.
            leaveSpan()
            if let key { withContiguousBytes(key) { setStretch(at: $0) } } else { setStretch(at: nil) }
        }
        try seek(key, numbered: stretch.covering > 0)
    }

    /// Moves the merge to a position. If `numbered`, it then reads sequence numbers.
    private mutating func seek(_ key: [UInt8]?, numbered: Bool) throws(StoreError) {
        isNumbered = numbered
        try merge.with { merge throws(StoreError) in
            merge.restart(direction, visible: sequence, numbered: numbered)
            // Without a limit, `remaining` starts at `.max` and decreases with each entry. The merge must see no limit.
            let limit = remaining > .max / 2 ? .max : remaining
            guard let key else { return try merge.seek(nil, limit: limit) }
            try withContiguousBytes(key) { bytes throws(StoreError) in try merge.seek(bytes, limit: limit) }
        }
    }

    // MARK: Range tombstones

    /// Like ``readNextRow()``, for a store with range tombstones. The row ends with the stretch of its first record. So
    /// the tombstones are looked up once for each stretch instead of once for each key.
    private mutating func readNextRowInStretch() throws(StoreError) -> Bool {
        while true {
            // The next row starts in the rest of the span, or in the next span if there is no rest.
            guard let first = rowEnd, first != span.end else {
                guard try fetchSpan() else { return false }
                continue
            }
            next = first
            rowEnd = span.end
            cutAtStop()
            guard next != rowEnd else { return false }
            if !hasStretch || !stretch.holds(first.key, direction) {
                // A backward scan's position is exclusive, so it is the successor of the key. A forward scan's is the
                // key itself, which need not be copied yet.
                let position = direction == .forward ? nil : [UInt8](first.key) + [0]
                if let position {
                    withContiguousBytes(position) { setStretch(at: $0) }
                } else {
                    setStretch(at: first.key)
                }
                // A record's number tells whether the tombstone deletes the record. Without numbers, the records are
                // read again.
                if stretch.covering > 0, !isNumbered {
                    let position = position ?? [UInt8](first.key)
                    leaveSpan()
                    isLastRow = false
                    try seek(position, numbered: true)
                    continue
                }
                if stretch.covering == 0, isNumbered { stopNumbering() }
            }
            cutAtStretch()
            return true
        }
    }

    /// Reads the next span of the merge. The row is empty at the span's first record, until the caller sets its end.
    /// - Returns: false if there is none.
    @inline(__always)
    private mutating func fetchSpan() throws(StoreError) -> Bool {
        let span = try merge.with { merge throws(StoreError) in try merge.nextSpan() }
        guard !span.isEmpty else {
            // After a seek, `next` and `rowEnd` may still be places in the previous span.
            leaveSpan()
            isLastRow = true
            return false
        }
        self.span = span
        (next, rowEnd) = (span.start, span.start)
        return true
    }

    /// Continues at a record of the current span.
    /// - Returns: whether the range has records from there on.
    mutating func resume(at record: RecordPlace) throws(StoreError) -> Bool {
        if _slowPath(!tombstones.isEmpty) {
            (next, rowEnd) = (record, record)
            hasStretch = false
            return try readNextRowInStretch()
        }
        (next, rowEnd) = (record, span.end)
        cutAtStop()
        return next != rowEnd
    }

    /// Drops the current span and its row.
    private mutating func leaveSpan() {
        span = .none
        (next, rowEnd) = (span.end, span.end)
    }

    /// Looks up the stretch at a position.
    private mutating func setStretch(at position: Bytes?) {
        stretch = TombstoneStretch(at: position, direction, tombstones, visible: sequence)
        hasStretch = true
    }

    /// Makes the merge read later records without sequence numbers. Records that it has already read may have theirs.
    private mutating func stopNumbering() {
        isNumbered = false
        merge.with { $0.stopNumbering() }
    }

    /// Ends the row before the first record after the current stretch. A later row starts with that record.
    private mutating func cutAtStretch() {
        guard let first = next, let last = rowEnd, !stretch.holds((last - 1).key, direction) else { return }
        rowEnd = first + (0..<(last - 1 - first)).partitioningIndex { !stretch.holds((first + $0).key, direction) }
        isLastRow = false
    }

    // MARK: Deleted ranges

    /// Moves past a run of hidden records, to the next entry or to the end of the current range. Skips what earlier
    /// scans have passed, and adds what it passes itself. The next record must be hidden.
    /// - Parameter start: the position before the run, if no entry of the range comes before it.
    @inline(never)
    private mutating func passHidden(from start: [UInt8]? = nil) throws(StoreError) {
        var run = DeletedRun(direction, from: start)
        while let first = next, let last = rowEnd, first != last {
            var record = first
            while record != last, Self.isHidden(record, stretch) { record += 1 }
            next = record
            let count = record - first
            // Most runs end here. Others are copied, because the keys are valid only until the next span is read.
            if record != last, run.count + count < DeletedRun.fewest { return }
            if count > 0 { run.pass(count, first.key, through: (record - 1).key) }
            if record != last { break }
            if run.isLookupDue, let end = run.end, !isLastRow, path.with({ $0.deletedRanges.hasRanges }) {
                let target = path.object.deletedRanges.end(from: end, direction, seen: sequence)
                run.lookedUp(target)
                if let target { try seek(target) }
            }
            guard try readNextRow() else { break }
        }
        guard run.count >= DeletedRun.fewest else { return }
        path.object.add(run, seen: sequence)
        scan.with { $0.lastRun = run }
    }

    /// Returns the run of deleted records that the scan has passed since the last call; nil if it was short.
    func takeRun() -> DeletedRun? {
        scan.with { scan in
            guard scan.lastRun != nil else { return nil }
            defer { scan.lastRun = nil }
            return scan.lastRun
        }
    }

    /// Ends the row where the range stops. If the complete row is in the range, this takes one comparison.
    mutating func cutAtStop() {
        guard let stopBound, let first = next, let last = rowEnd else { return }
        stopBound.withBytes { bytes in
            guard isPast(last - 1, bytes) else { return }
            var cut = first
            while cut < last, !isPast(cut, bytes) { cut += 1 }
            rowEnd = cut
            isLastRow = true
        }
    }

    /// Whether a record comes after a position, in scan order.
    @inline(__always)
    func isPast(_ record: RecordPlace, _ position: Bytes) -> Bool {
        let order = compareKeys(record.key, position)
        return direction == .forward ? order >= 0 : order < 0
    }
}
