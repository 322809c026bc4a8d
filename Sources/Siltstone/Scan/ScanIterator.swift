import Synchronization

/// One scan over a range of a store. Cursors and `forEach` use it.
struct ScanIterator: ~Copyable {
    /// Unowned: the caller keeps it alive during the scan. A retain and a release would take a tenth of a short scan,
    /// because all locked operations wait for earlier memory operations.
    private let path: Borrowed<ScanPath>
    /// Retained. An ordinary reference would be retained again for each use.
    private let scan: Borrowed<Scan>
    /// The merging cursor of ``scan``, which keeps it alive.
    private let merge: Borrowed<MergingCursor>
    /// The last change that the scan sees.
    private let sequence: SequenceNumber
    /// The sets of range tombstones that the scan must honor. There are mostly none.
    private let tombstones: [RangeTombstones]
    /// The stretch of keys around the current position, and whether it is known: it is not after a seek in the span.
    private var stretch = TombstoneStretch()
    private var hasStretch = false
    /// Whether all records are read with their sequence numbers. They are needed only if a range tombstone covers some
    /// records.
    private var isNumbered = false
    let direction: ScanDirection
    /// The end of the range at which the scan starts, unless ``begin(at:)`` gives it; nil for the first key in scan
    /// order.
    var nearEnd: [UInt8]?
    /// The end of the range at which the scan ends; nil for the last key in scan order.
    var farEnd: [UInt8]?
    /// The ranges of a scan over several ranges; ``nearEnd`` and ``farEnd`` belong to the current one.
    var ranges: RangeIterator?
    /// The number of entries that the scan may still return.
    private(set) var left: Int
    /// Whether the first span was read.
    private(set) var isStarted = false
    /// The span of records that was read last. ``next`` and ``end`` bound the unread part of it that is in the range.
    private(set) var span = RecordRow.none
    var next: RecordPlace?
    var end: RecordPlace?
    /// Whether the range has no records after ``end``.
    var isLastSpan = false

    /// Makes a scan over one range. The other parameters are those of ``init(_:at:_:farEnd:limit:)``.
    init(_ path: ScanPath, at snapshot: SequenceNumber? = nil, _ range: ScanRange) throws(StoreError) {
        let (keys, direction) = (range.keys, range.direction)
        try self.init(path, at: snapshot, direction, farEnd: keys.farEnd(direction), limit: range.limit)
        nearEnd = keys.nearEnd(direction)
    }

    /// Makes a scan over several ranges, sorted and disjoint, which seeks from one to the next.
    init(
        _ path: ScanPath, at snapshot: SequenceNumber?, over ranges: [KeyRange], _ direction: ScanDirection, limit: Int
    ) throws(StoreError) {
        var iterator = RangeIterator(ranges, direction)
        let first = iterator.next()
        try self.init(
            path, at: snapshot, direction, farEnd: first?.farEnd(direction), limit: first == nil ? 0 : limit)
        nearEnd = first?.nearEnd(direction)
        self.ranges = iterator
    }

    /// Makes a scan that ``begin(at:)`` starts.
    /// - Parameters:
    ///   - path: unowned. The caller keeps it and the store alive during the scan.
    ///   - snapshot: the last change that the scan sees; nil for the newest visible one. The caller keeps the snapshot
    ///     until this returns. The scan keeps its super version, so it does not see the effects of later flushes and
    ///     compactions.
    ///   - direction: the scan order.
    ///   - farEnd: the end of the range at which the scan ends; nil for no bound.
    ///   - limit: the largest number of entries to return.
    init(
        _ path: ScanPath, at snapshot: SequenceNumber?, _ direction: ScanDirection, farEnd: consuming [UInt8]?,
        limit: Int
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
        self.farEnd = farEnd
        left = limit
        tombstones = scan.with { $0.superVersion.rangeTombstones() }
    }

    deinit {
        path.with { $0.give(scan) }
    }

    /// Moves the scan into the storage of its ``Scan``, where it has an address. The caller ends the scan by taking it
    /// out again (`HeapPlace.take()`).
    consuming func moveToStorage() -> HeapPlace<ScanIterator> {
        let place = scan.with { $0.iteratorStorage.place }
        place.fill(self)
        return place
    }

    // MARK: Records

    /// Returns the next visible record, valid until the next call; nil at the end.
    @inline(__always)
    mutating func nextRecord() throws(StoreError) -> Record? {
        while left > 0 {
            if next == end, try !readSpan() { return nil }
            guard let record = next else { return nil }
            next = record + 1
            if Self.isSkipped(record, stretch) { continue }
            left &-= 1
            return record.record
        }
        return nil
    }

    /// Runs `body` with the value of the record that was returned last. Reads it from its value file if the record
    /// holds a pointer.
    /// - Parameter later: a record whose value the scan will probably need later, to be prefetched.
    func withValue<R>(
        of record: Record, before later: RecordPlace? = nil, _ body: (Bytes) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard record.kind == .pointer else { return try body(record.value) }
        if let (value, keeper) = scan.with({ $0.recentValueFile.value.value(of: record, before: later) }) {
            defer { withExtendedLifetime(keeper) {} }
            return try body(value)
        }
        return try path.object.reads.withResolvedValue(
            record, version, noting: { file in scan.with { $0.recentValueFile.value.enter(file) } }, body)
    }

    private var version: Version { scan.with { $0.superVersion.version } }

    /// Calls `body` with the key and the value of each remaining entry.
    /// - Parameter body: gets bytes that are valid until it returns. It returns false to stop.
    mutating func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        while left > 0, try next != end || readSpan() {
            // Local variables, because members of `self` would be loaded and stored for each record.
            guard var record = next, let last = end else { return }
            var left = left
            defer { (next, self.left) = (record, left) }
            let stretch = stretch
            let isPlain = stretch.covering == 0
            while record != last, left > 0 {
                let current = record
                record += 1
                let isValue = current.kind == .value
                if _slowPath(!isValue || !isPlain), Self.isSkipped(current, stretch) { continue }
                left &-= 1
                let goesOn =
                    unsafe _fastPath(isValue)
                    ? try body(current.key.buffer.bytes, current.value.buffer.bytes)
                    : try handPointed(current, to: body)
                if !goesOn { return }
            }
        }
    }

    /// Calls `body` with the key and the value of a record whose value is in a value file.
    @inline(never)
    private func handPointed(
        _ record: RecordPlace, to body: (RawSpan, RawSpan) throws -> Bool
    ) throws -> Bool {
        let later = record + RecentValueFile.distance
        let isThere = end.map { later < $0 } ?? false
        return try withValue(of: record.record, before: isThere ? later : nil) { value in
            Result { try unsafe body(record.key.buffer.bytes, value.buffer.bytes) }
        }.get()
    }

    /// Whether a record is a tombstone, or deleted by a range tombstone. Static, because a method would copy `self` for
    /// each record.
    @inline(__always)
    private static func isSkipped(_ record: RecordPlace, _ stretch: TombstoneStretch) -> Bool {
        record.kind == .tombstone || record.sequence < stretch.covering
    }

    // MARK: Spans
    //
    // A caller asks for a row and uses its records in order. It may stop early at a record that is no plain value: a
    // tombstone, a pointer to a value file, or one in a range tombstone. It gives that record to ``handOther(_:to:)``,
    // or skips it by ``isSkipped(_:)`` and ``discountHidden()``, and asks for the next row behind it.

    /// Returns the next records as a row in which no range tombstone applies. If a range tombstone covers the next
    /// record, returns an empty row at that record; the caller then passes the record to ``handOther(_:to:)``. Returns
    /// nil at the end.
    /// - Parameter taken: the position after the last record of the previous row that the caller has used; nil for the
    ///   first row.
    mutating func nextRow(behind taken: RecordPlace?) throws(StoreError) -> RecordRow? {
        take(upTo: taken)
        guard left > 0 else { return nil }
        if next == end, try !readSpan() { return nil }
        guard let first = next, let last = end else { return nil }
        if _slowPath(stretch.covering > 0) { return RecordRow(start: first, end: first) }
        return RecordRow(start: first, end: last - first > left ? first + left : last)
    }

    /// Moves to `taken`, a position in the previous row, and counts the records before it as returned.
    @inline(__always)
    mutating func take(upTo taken: RecordPlace?) {
        guard let taken, let before = next else { return }
        left &-= taken - before
        next = taken
    }

    /// Whether a record is hidden: a tombstone, or deleted by a range tombstone.
    func isSkipped(_ record: RecordPlace) -> Bool { Self.isSkipped(record, stretch) }

    /// Corrects the count for a hidden record, which ``take(upTo:)`` counts as a returned entry.
    mutating func discountHidden() { left &+= 1 }

    /// Handles the record at which a row ended early. Calls `body` with it, unless it is hidden.
    /// - Returns: the result of `body`; true if the record is hidden.
    mutating func handOther(
        _ record: RecordPlace, to body: (RawSpan, RawSpan) throws -> Bool
    ) throws -> Bool {
        if Self.isSkipped(record, stretch) {
            // The next call of ``nextRow(behind:)`` counts the record as returned, but it is not an entry.
            left &+= 1
            return true
        }
        return try handPointed(record, to: body)
    }

    /// Handles the record at which a row of keys ended early. Calls `body` with its key, unless it is hidden.
    /// - Returns: the result of `body`; true if the record is hidden.
    mutating func handOtherKey(_ record: RecordPlace, to body: (RawSpan) throws -> Bool) rethrows -> Bool {
        if Self.isSkipped(record, stretch) {
            left = left &+ 1
            return true
        }
        return try unsafe body(record.key.buffer.bytes)
    }

    /// Counts the remaining entries by reading their records, without fetching values from value files.
    mutating func count() throws(StoreError) -> Int {
        var count = 0
        while left > 0 {
            if next == end, try !readSpan() { break }
            guard var record = next, let last = end else { break }
            let before = count
            while record != last, count - before < left {
                if !Self.isSkipped(record, stretch) { count &+= 1 }
                record += 1
            }
            next = record
            left &-= count - before
        }
        return count
    }

    /// Reads the first records from `key` on; nil for the first key in scan order. The scan then need not keep its
    /// start in ``nearEnd``. Called at most once, before any record is read.
    mutating func begin(at key: [UInt8]?) throws(StoreError) {
        if left > 0 { _ = try readSpan(first: key) }
    }

    /// Reads the next span of records, up to the end of the range. Returns whether there are any.
    private mutating func readSpan() throws(StoreError) -> Bool { try readSpan(first: isStarted ? nil : nearEnd) }

    /// Reads the next span of records, up to the end of the range. If the current range has no more, moves to the next
    /// range that has records.
    /// - Parameter key: the start, for the first span only; nil for the first key in scan order.
    private mutating func readSpan(first key: [UInt8]?) throws(StoreError) -> Bool {
        try checkPlace()
        do {
            if try isStarted ? readNextSpan() : readFirstSpan(key) { return true }
            return try readNextRange()
        } catch { try fail(error) }
    }

    /// Throws the earlier error if the scan has failed, because its position is then unknown.
    func checkPlace() throws(StoreError) {
        if let failure = scan.with({ $0.failure }) { throw failure }
    }

    /// Ends the scan with an error.
    func fail(_ error: StoreError) throws(StoreError) -> Never {
        scan.with { $0.failure = error }
        throw error
    }

    /// Reads the next span of the current range. Returns false at the end of the range.
    private mutating func readNextSpan() throws(StoreError) -> Bool {
        if isLastSpan { return false }
        if _slowPath(!tombstones.isEmpty) { return try readNextStretch() }
        guard try readWholeSpan() else { return false }
        end = span.end
        cutAtFarEnd()
        return next != end
    }

    /// Like ``readNextSpan()``, but first seeks to the start of a range or to the target of a seek.
    mutating func readFirstSpan(_ key: [UInt8]?) throws(StoreError) -> Bool {
        isStarted = true
        guard direction == .forward else {
            try seek(key)
            return try readNextSpan()
        }
        let deletedRanges = path.with { Borrowed($0.deletedRanges) }
        if _slowPath(deletedRanges.with { $0.hasRanges }),
            let known = withContiguousBytes(
                key ?? [], { deletedRanges.object.end(from: $0, visible: sequence) })
        {
            return try readFirstSpan(from: known)
        }
        return try readFirstSpan(from: key)
    }

    /// Reads the first span from `key` on. If its first record is hidden, moves to the first entry.
    private mutating func readFirstSpan(from key: [UInt8]?) throws(StoreError) -> Bool {
        try seek(key)
        guard try readNextSpan() else { return false }
        guard let first = next, _slowPath(Self.isSkipped(first, stretch)) else { return true }
        return try passDeleted(from: key ?? [])
    }

    /// Moves the merge to a key; nil for the first key in scan order. Also finds the stretch of range tombstones there.
    private mutating func seek(_ key: [UInt8]?) throws(StoreError) {
        if _slowPath(!tombstones.isEmpty) {
            leaveSpan()
            if let key { withContiguousBytes(key) { setStretch(at: $0) } } else { setStretch(at: nil) }
        }
        try seek(key, numbered: stretch.covering > 0)
    }

    /// Moves the merge to a key. If `numbered`, records are read with their sequence numbers.
    private mutating func seek(_ key: [UInt8]?, numbered: Bool) throws(StoreError) {
        isNumbered = numbered
        try merge.with { merge throws(StoreError) in
            merge.restart(direction, visible: sequence, numbered: numbered)
            // A scan without a limit stays unlimited, although `left` decreases with each returned entry.
            let limit = left > .max / 2 ? .max : left
            guard let key else { return try merge.seek(nil, limit: limit) }
            try withContiguousBytes(key) { bytes throws(StoreError) in try merge.seek(bytes, limit: limit) }
        }
    }

    // MARK: Range tombstones

    /// Like ``readNextSpan()``, for a scan with range tombstones. It cuts the span where other tombstones start to
    /// apply, so that the tombstones are looked up once for each stretch of keys instead of once for each key.
    private mutating func readNextStretch() throws(StoreError) -> Bool {
        while true {
            // The records of the span after the previous stretch come first.
            guard let first = end, first != span.end else {
                guard try readWholeSpan() else { return false }
                continue
            }
            next = first
            end = span.end
            cutAtFarEnd()
            guard next != end else { return false }
            if !hasStretch || !stretch.holds(first.key, direction) {
                let place = direction == .forward ? nil : [UInt8](first.key) + [0]
                if let place {
                    withContiguousBytes(place) { setStretch(at: $0) }
                } else {
                    setStretch(at: first.key)
                }
                if stretch.covering > 0, !isNumbered {
                    let place = place ?? [UInt8](first.key)
                    leaveSpan()
                    isLastSpan = false
                    try seek(place, numbered: true)
                    continue
                }
                // Applies to the batches that are read from now on; the present ones may keep their numbers.
                if stretch.covering == 0, isNumbered { stopNumbering() }
            }
            cutAtStretch()
            return true
        }
    }

    /// Reads the next span, regardless of the range tombstones that apply, and moves to its start.
    @inline(__always)
    private mutating func readWholeSpan() throws(StoreError) -> Bool {
        let span = try merge.with { merge throws(StoreError) in try merge.nextSpan() }
        guard !span.isEmpty else {
            // After a seek, `next` and `end` may still refer to the previous span, so they are cleared.
            leaveSpan()
            isLastSpan = true
            return false
        }
        self.span = span
        (next, end) = (span.start, span.start)
        return true
    }

    /// Continues at a record of the span that was read last.
    /// - Returns: whether the range has records from there on.
    mutating func resume(at record: RecordPlace) throws(StoreError) -> Bool {
        if _slowPath(!tombstones.isEmpty) {
            (next, end) = (record, record)
            hasStretch = false
            return try readNextStretch()
        }
        (next, end) = (record, span.end)
        cutAtFarEnd()
        return next != end
    }

    /// Drops the span of records that was read last.
    private mutating func leaveSpan() {
        span = .none
        (next, end) = (span.end, span.end)
    }

    /// Looks up the range tombstones that apply at a position.
    private mutating func setStretch(at place: Bytes?) {
        stretch = TombstoneStretch(at: place, direction, tombstones, visible: sequence)
        hasStretch = true
    }

    /// Reads later batches without sequence numbers.
    private mutating func stopNumbering() {
        isNumbered = false
        merge.with { $0.stopNumbering() }
    }

    /// Cuts the records after the current stretch off. A later call returns them.
    private mutating func cutAtStretch() {
        guard let first = next, let last = end, !stretch.holds((last - 1).key, direction) else { return }
        end = first + (0..<(last - 1 - first)).partitioningIndex { !stretch.holds((first + $0).key, direction) }
        isLastSpan = false
    }

    /// Moves to the first entry, and records the deleted keys that it has passed for later scans.
    /// - Returns: whether there is an entry.
    @inline(never)
    private mutating func passDeleted(from start: [UInt8]) throws(StoreError) -> Bool {
        var count = 0
        var passed: [UInt8]?
        var isFound = false
        // The cache is not asked again after this many misses. Each one takes as long as passing some records.
        var tries = 4
        while let first = next, let end {
            var record = first
            while record != end, Self.isSkipped(record, stretch) { record += 1 }
            next = record
            count += record - first
            // Copied, because the key is valid only until the next records are read.
            if record != first, count >= DeletedRangeCache.fewestToGrow { passed = [UInt8]((record - 1).key) }
            isFound = record != end
            if isFound { break }
            if record != first, !isLastSpan, tries > 0, try !skipDeletedRange(from: start, over: record - 1) {
                tries -= 1
            }
            guard try readNextSpan() else { break }
        }
        if let passed {
            withContiguousBytes(start, passed) { start, passed in
                path.object.noteDeleted(from: start, through: passed, passing: count, seen: sequence)
            }
        }
        return isFound
    }

    /// Skips a range that is known to be empty, if one lies directly after the last record that was passed.
    /// - Returns: whether there was one.
    private mutating func skipDeletedRange(from start: [UInt8], over record: RecordPlace) throws(StoreError) -> Bool {
        let ranges = path.object.deletedRanges
        guard ranges.hasSeveral else { return false }
        let end = withContiguousBytes(start) { start in
            ranges.end(from: start, through: record.key, seen: sequence)
        }
        guard let end else { return false }
        try seek(end)
        return true
    }

    /// Cuts off the records after the end of the range. If there are none, this takes one comparison.
    mutating func cutAtFarEnd() {
        guard let farEnd, let first = next, let last = end else { return }
        farEnd.withBytes { bytes in
            guard isFrom(last - 1, bytes) else { return }
            var cut = first
            while cut < last, !isFrom(cut, bytes) { cut += 1 }
            end = cut
            isLastSpan = true
        }
    }

    /// Whether a record comes at or after a position, in scan order.
    @inline(__always)
    func isFrom(_ record: RecordPlace, _ place: Bytes) -> Bool {
        let order = compareKeys(record.key, place)
        return direction == .forward ? order >= 0 : order < 0
    }
}
