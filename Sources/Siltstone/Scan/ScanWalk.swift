import Synchronization

/// One walk over a range of a store: what cursors and `forEach` do.
struct ScanWalk: ~Copyable {
    /// Kept by whoever walks. To retain it, and to release it, would be a tenth of a short walk, as all locked operations wait
    /// for what came before them.
    private let path: Borrowed<ScanPath>
    /// Retained. As an ordinary reference it would be retained once more for each look at it.
    private let scan: Borrowed<Scan>
    /// The scan's.
    private let merge: Borrowed<MergingCursor>
    private let sequence: SequenceNumber
    /// Sets of range tombstones that the walk has to mind; none, mostly.
    private let tombstones: [RangeTombstones]
    /// Where the walk is among them, and whether that is known: after a seek it is not.
    private var stretch = TombstoneStretch()
    private var hasStretch = false
    /// Whether all records come with their sequence numbers, which are needed where a tombstone covers them.
    private var isNumbered = false
    let direction: ScanDirection
    /// Where the range begins, in this direction, unless ``begin(at:)`` says it; nil for the first of all.
    var nearEnd: [UInt8]?
    /// Where it ends, in this direction; nil for the last of all.
    var farEnd: [UInt8]?
    /// The ranges of a walk over several, of which ``nearEnd`` and ``farEnd`` are the current one.
    var ranges: RangeCourse?
    /// Entries that may still be handed out.
    private(set) var left: Int
    private(set) var isStarted = false
    /// The records that were read last, and what is left of them in the range.
    private(set) var span = RecordRow.none
    var next: RecordPlace?
    var end: RecordPlace?
    /// Whether those were the last ones of the range.
    var isLastSpan = false

    /// A walk over a range.
    /// - Parameters: as of the other initialiser.
    init(_ path: ScanPath, at snapshot: SequenceNumber? = nil, _ range: ScanRange) throws(StoreError) {
        try self.init(path, at: snapshot, range.direction, farEnd: range.farEnd, limit: range.limit)
        nearEnd = range.nearEnd
    }

    /// A walk over several ranges, which seeks from one to the next.
    /// - Parameters: as of ``init(_:at:_:farEnd:limit:)``.
    ///   - ranges: sorted and disjoint.
    init(
        _ path: ScanPath, at snapshot: SequenceNumber?, over ranges: [KeyRange], _ direction: ScanDirection, limit: Int
    ) throws(StoreError) {
        var course = RangeCourse(ranges, direction)
        let first = course.next()
        try self.init(
            path, at: snapshot, direction, farEnd: first?.farEnd(direction), limit: first == nil ? 0 : limit)
        nearEnd = first?.nearEnd(direction)
        self.ranges = course
    }

    /// A walk to be begun by ``begin(at:)``.
    /// - Parameters:
    ///   - path: the caller keeps it, and the store, as long as the walk.
    ///   - snapshot: the last change that the walk sees; nil for what the store holds now. The caller keeps the snapshot until
    ///     this returns. A walk without one keeps its super version: flushes and compactions show in later ones only.
    ///   - direction: which way it goes.
    ///   - farEnd: where it ends; nil for the last of all.
    ///   - limit: how many entries it hands out at most.
    init(
        _ path: ScanPath, at snapshot: SequenceNumber?, _ direction: ScanDirection, farEnd: consuming [UInt8]?,
        limit: Int
    ) throws(StoreError) {
        try path.reads.status.checkOpen()
        // Any super version later than the snapshot will do: what the snapshot sees is kept in all of them.
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

    /// Moves the walk into the room of its scan, where it has an address. The caller ends the walk by taking it out.
    consuming func moveIntoRoom() -> HeapPlace<ScanWalk> {
        let room = scan.with { $0.room.place }
        room.fill(self)
        return room
    }

    // MARK: Records

    /// The next visible record, good until the next call.
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

    /// Runs `body` with the value of a record that was handed out last.
    /// - Parameter later: a record whose value is likely to be asked for later.
    func withValue<R>(
        of record: Record, before later: RecordPlace? = nil, _ body: (Bytes) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard record.kind == .pointer else { return try body(record.value) }
        if let (value, keeper) = scan.with({ $0.values.value.value(of: record, before: later) }) {
            defer { withExtendedLifetime(keeper) {} }
            return try body(value)
        }
        return try path.object.reads.withResolvedValue(
            record, version, noting: { file in scan.with { $0.values.value.enter(file) } }, body)
    }

    private var version: Version { scan.with { $0.superVersion.version } }

    /// Calls `body` with key and value of each entry that is left.
    /// - Parameter body: gets bytes that are good until it returns; returns false to stop.
    mutating func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        while left > 0, try next != end || readSpan() {
            // In local variables: what `self` holds would be loaded and stored for each record.
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

    /// Calls `body` with key and value of a record whose value lies elsewhere.
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

    /// Whether a record is a tombstone, or removed by one. No method: `self` would be copied for each record.
    @inline(__always)
    private static func isSkipped(_ record: RecordPlace, _ stretch: TombstoneStretch) -> Bool {
        record.kind == .tombstone || record.sequence < stretch.covering
    }

    // MARK: Spans

    /// The next records in a row, which no range tombstone concerns; an empty row before one that may be concerned, and nil
    /// at the end.
    /// - Parameter taken: behind what was handed out of the row before, or otherwise used up.
    mutating func nextRow(behind taken: RecordPlace?) throws(StoreError) -> RecordRow? {
        take(upTo: taken)
        guard left > 0 else { return nil }
        if next == end, try !readSpan() { return nil }
        guard let first = next, let last = end else { return nil }
        if _slowPath(stretch.covering > 0) { return RecordRow(start: first, end: first) }
        return RecordRow(start: first, end: last - first > left ? first + left : last)
    }

    /// Counts the records of the last row before `taken` as handed out.
    @inline(__always)
    mutating func take(upTo taken: RecordPlace?) {
        guard let taken, let before = next else { return }
        left &-= taken - before
        next = taken
    }

    /// Whether a record is hidden: a tombstone, or covered by a range tombstone.
    func isSkipped(_ record: RecordPlace) -> Bool { Self.isSkipped(record, stretch) }

    /// Leaves a record that is hidden out of the count of entries.
    mutating func uncount() { left &+= 1 }

    /// Calls `body` with the record where a row ended early, if it is one that counts.
    mutating func handOther(
        _ record: RecordPlace, to body: (RawSpan, RawSpan) throws -> Bool
    ) throws -> Bool {
        if Self.isSkipped(record, stretch) {
            // It is used up, and no entry.
            left &+= 1
            return true
        }
        return try handPointed(record, to: body)
    }

    /// Goes on behind the record where a row of keys ended early.
    /// - Returns: nil where it is no entry; else what `body` says of its key.
    mutating func handOtherKey(_ record: RecordPlace, to body: (RawSpan) throws -> Bool) rethrows -> Bool {
        if Self.isSkipped(record, stretch) {
            left = left &+ 1
            return true
        }
        return try unsafe body(record.key.buffer.bytes)
    }

    /// Counts the entries that are left, by their keys.
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

    /// Reads the first records, from a key on, which the walk then need not keep: nil for the first of all. To be called at
    /// most once, before anything is asked for.
    mutating func begin(at key: [UInt8]?) throws(StoreError) {
        if left > 0 { _ = try readSpan(first: key) }
    }

    /// Reads the first records of a walk that keeps where it begins.
    mutating func begin() throws(StoreError) {
        if left > 0 { _ = try readSpan() }
    }

    /// Reads the next records, as far as they are in the range; whether there are any.
    private mutating func readSpan() throws(StoreError) -> Bool { try readSpan(first: isStarted ? nil : nearEnd) }

    private mutating func readSpan(first key: [UInt8]?) throws(StoreError) -> Bool {
        try checkPlace()
        do {
            if try isStarted ? readNextSpan() : readFirstSpan(key) { return true }
            return try readNextRange()
        } catch { try fail(error) }
    }

    /// Throws where the walk has failed: its place is not known any more.
    func checkPlace() throws(StoreError) {
        if let failure = scan.with({ $0.failure }) { throw failure }
    }

    /// Ends the walk with an error.
    func fail(_ error: StoreError) throws(StoreError) -> Never {
        scan.with { $0.failure = error }
        throw error
    }

    private mutating func readNextSpan() throws(StoreError) -> Bool {
        if isLastSpan { return false }
        if _slowPath(!tombstones.isEmpty) { return try readNextStretch() }
        let span = try merge.with { merge throws(StoreError) in try merge.nextSpan() }
        guard !span.isEmpty else {
            // A seek may have left records unread.
            leaveSpan()
            isLastSpan = true
            return false
        }
        self.span = span
        (next, end) = (span.start, span.end)
        cutAtFarEnd()
        return next != end
    }

    /// As ``readNextSpan()``, at the beginning of a range, or wherever a seek goes.
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

    private mutating func readFirstSpan(from key: [UInt8]?) throws(StoreError) -> Bool {
        try seek(key)
        guard try readNextSpan() else { return false }
        guard let first = next, _slowPath(Self.isSkipped(first, stretch)) else { return true }
        return try passDeleted(from: key ?? [])
    }

    private mutating func seek(_ key: [UInt8]?) throws(StoreError) {
        if _slowPath(!tombstones.isEmpty) {
            leaveSpan()
            if let key { withContiguousBytes(key) { setStretch(at: $0) } } else { setStretch(at: nil) }
        }
        try seek(key, numbered: stretch.covering > 0)
    }

    private mutating func seek(_ key: [UInt8]?, numbered: Bool) throws(StoreError) {
        isNumbered = numbered
        try merge.with { merge throws(StoreError) in
            merge.restart(direction, visible: sequence, numbered: numbered)
            // A walk without a limit goes on without one, however much it has handed out.
            let limit = left > .max / 2 ? .max : left
            guard let key else { return try merge.seek(nil, limit: limit) }
            try withContiguousBytes(key) { bytes throws(StoreError) in try merge.seek(bytes, limit: limit) }
        }
    }

    // MARK: Range tombstones

    /// As ``readNextSpan()`` where there are range tombstones: a span ends where other ones apply, so that they are asked about
    /// once for a stretch of keys, and not for each.
    private mutating func readNextStretch() throws(StoreError) -> Bool {
        while true {
            // What is left of the records of the stretch before.
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
                // For batches to come; those that are there may stay as they are.
                if stretch.covering == 0, isNumbered { stopNumbering() }
            }
            cutAtStretch()
            return true
        }
    }

    /// Reads the records that come next, whatever applies to them, and stands before them.
    private mutating func readWholeSpan() throws(StoreError) -> Bool {
        let span = try merge.with { merge throws(StoreError) in try merge.nextSpan() }
        guard !span.isEmpty else {
            leaveSpan()
            isLastSpan = true
            return false
        }
        self.span = span
        (next, end) = (span.start, span.start)
        return true
    }

    /// Goes on at a record among those that were read last.
    /// - Returns: whether records follow in the range.
    mutating func goOn(at record: RecordPlace) throws(StoreError) -> Bool {
        if _slowPath(!tombstones.isEmpty) {
            (next, end) = (record, record)
            hasStretch = false
            return try readNextStretch()
        }
        (next, end) = (record, span.end)
        cutAtFarEnd()
        return next != end
    }

    /// Forgets the records that were read.
    private mutating func leaveSpan() {
        span = .none
        (next, end) = (span.end, span.end)
    }

    private mutating func setStretch(at place: Bytes?) {
        stretch = TombstoneStretch(at: place, direction, tombstones, visible: sequence)
        hasStretch = true
    }

    private mutating func stopNumbering() {
        isNumbered = false
        merge.with { $0.stopNumbering() }
    }

    /// Leaves out what lies beyond the stretch, for now.
    private mutating func cutAtStretch() {
        guard let first = next, let last = end, !stretch.holds((last - 1).key, direction) else { return }
        var low = first
        var high = last - 1
        while low < high {
            let middle = low + (high - low) / 2
            if stretch.holds(middle.key, direction) { low = middle + 1 } else { high = middle }
        }
        end = low
        isLastSpan = false
    }

    /// Goes on to the first entry, and takes note of how far that was, for walks to come.
    /// - Returns: whether there is one.
    @inline(never)
    private mutating func passDeleted(from start: [UInt8]) throws(StoreError) -> Bool {
        var count = 0
        var passed: [UInt8]?
        var isFound = false
        // In vain: to ask takes as long as to pass some records.
        var tries = 4
        while let first = next, let end {
            var record = first
            while record != end, Self.isSkipped(record, stretch) { record += 1 }
            next = record
            count += record - first
            // Good until the next records are read.
            if record != first, count >= DeletedRangeCache.fewestToGrow { passed = [UInt8]((record - 1).key) }
            isFound = record != end
            if isFound { break }
            if record != first, !isLastSpan, tries > 0, try !leap(from: start, over: record - 1) { tries -= 1 }
            guard try readNextSpan() else { break }
        }
        if let passed {
            withContiguousBytes(start) { start in
                withContiguousBytes(passed) { passed in
                    path.object.noteDeleted(
                        from: start, through: passed, passing: count, seen: sequence)
                }
            }
        }
        return isFound
    }

    /// Goes on behind what is known to be empty, if there is such right behind the last record that was passed.
    /// - Returns: whether there is.
    private mutating func leap(from start: [UInt8], over record: RecordPlace) throws(StoreError) -> Bool {
        let ranges = path.object.deletedRanges
        guard ranges.hasSeveral else { return false }
        let end = withContiguousBytes(start) { start in
            ranges.end(from: start, through: record.key, seen: sequence)
        }
        guard let end else { return false }
        try seek(end)
        return true
    }

    /// Leaves out what lies beyond the far end of the range. One comparison where nothing does.
    mutating func cutAtFarEnd() {
        guard let farEnd, let first = next, let last = end else { return }
        farEnd.withBytes { bytes in
            guard isBeyond(last - 1, bytes) else { return }
            var cut = first
            while cut < last, !isBeyond(cut, bytes) { cut += 1 }
            end = cut
            isLastSpan = true
        }
    }

    @inline(__always)
    private func isBeyond(_ record: RecordPlace, _ farEnd: Bytes) -> Bool {
        let order = compareKeys(record.key, farEnd)
        return direction == .forward ? order >= 0 : order < 0
    }
}
