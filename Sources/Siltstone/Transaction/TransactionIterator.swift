/// One scan of a transaction over one or several ranges: the entries of its snapshot, merged with its own writes.
///
/// The scan sees the writes that were made before it started, or before its ``FrozenTransaction`` was made. It returns
/// rows of the snapshot's records without copying, cut where a write comes in between, and each write as its own row.
/// It records in the transaction's read set how far it has read, so that changes after that position are no conflict.
///
/// Used by one task or thread at a time.
final class TransactionIterator {
    private let transaction: TransactionState
    /// The scan of the snapshot.
    private var base: ScanIterator
    /// The writes that the scan sees.
    private let writes: WriteBuffer
    /// The ranges of the scan, and the part of the current one from its start or from the target of the last seek.
    private var ranges: RangeIterator
    private var range: KeyRange
    private let isForward: Bool
    /// The number of that part in the read set; nil if reads are not checked.
    private var number: Int?
    /// The number of entries that the scan may still return.
    private var remaining: Int

    /// The part of the snapshot's row that was not returned yet.
    private var baseNext: RecordPlace?
    private var baseEnd: RecordPlace?
    private var isBaseAtEnd = false
    /// The position of the next write; nil after the last one.
    private var place: SortedWrites.Place?
    /// The row that was returned last.
    private var row: RecordRow?
    /// Whether ``row`` is ``own``.
    private var isRowOwn = false
    /// The storage for one write as a row.
    private let own = HeapArray<Record>(count: 1)
    /// The bytes that ``own`` refers to.
    private var ownBytes: HeapBytes?

    /// - Parameters:
    ///   - path: unowned. The caller keeps it and the transaction's snapshot alive during the scan.
    ///   - snapshot: the last change that the scan sees.
    ///   - ranges: sorted and disjoint.
    ///   - frozen: the writes that the scan sees; nil for those that were made before it.
    /// - Throws: ``StoreError`` if the transaction has ended, or the store is closed.
    init(
        _ transaction: TransactionState, _ path: ScanPath, at snapshot: SequenceNumber, over ranges: [KeyRange],
        _ direction: ScanDirection, limit: Int?, seeing frozen: WriteBuffer?
    ) throws(StoreError) {
        let (current, number) = try transaction.beginScan()
        let writes = frozen ?? current
        self.transaction = transaction
        self.writes = writes
        self.number = number
        self.ranges = RangeIterator(ranges, direction)
        range = self.ranges.next() ?? KeyRange(to: [])
        isForward = direction == .forward
        remaining = max(0, limit ?? .max)
        base = try ScanIterator(
            path, at: snapshot, over: range, direction, limit: writes.isEmpty ? limit : nil)
        place = firstPlace()
    }

    // MARK: Rows

    /// Returns the next records as a row; see ``ScanIterator/nextRow(behind:)``.
    func nextRow(behind taken: RecordPlace?) throws(StoreError) -> RecordRow? {
        use(upTo: taken)
        while remaining > 0 {
            if let next = try findRow() {
                row = next
                // Recorded before the row is returned, because the caller may commit while it uses the row.
                note(through: next.start == next.end ? next.start : next.end - 1)
                return next
            }
            note(through: nil)
            if try !enterNextRange() { return nil }
        }
        return nil
    }

    /// Moves to the start of the next range. Returns false if there is none.
    private func enterNextRange() throws(StoreError) -> Bool {
        var rest = ranges
        guard let next = rest.next() else { return false }
        number = try transaction.beginScan().number
        // Moved on only now, so that a call after an error skips no range.
        (ranges, range) = (rest, next)
        place = firstPlace()
        (baseNext, baseEnd, isBaseAtEnd) = (nil, nil, false)
        try base.moveOn(to: next)
        return true
    }

    /// Handles the record at which a row ended early; see ``ScanIterator/handOther(_:to:)``.
    func handOther(
        _ record: RecordPlace, to body: (RawSpan, RawSpan) throws -> Bool
    ) throws -> Bool {
        if isRowOwn { return try unsafe body(record.key.buffer.bytes, record.value.buffer.bytes) }
        if base.isHidden(record) { remaining &+= 1 }
        return try base.handOther(record, to: body)
    }

    /// Like ``handOther(_:to:)``, for a row of keys; see ``ScanIterator/handOtherKey(_:to:)``.
    func handOtherKey(_ record: RecordPlace, to body: (RawSpan) throws -> Bool) rethrows -> Bool {
        if isRowOwn { return try unsafe body(record.key.buffer.bytes) }
        if base.isHidden(record) { remaining &+= 1 }
        return try base.handOtherKey(record, to: body)
    }

    /// Moves to a key of the ranges, like ``Cursor/seek(to:)``. The keys read from there on form a new part in the read
    /// set.
    func seek(to key: [UInt8]) throws(StoreError) {
        use(upTo: row.map { $0.start + 1 })
        number = try transaction.beginScan().number
        // For a hidden record, `ScanIterator.discountHidden()` has raised `ScanIterator.remaining`, and this lowers it
        // again. Otherwise the count of an unlimited scan would overflow, and the seek would treat the scan as ended.
        if !isBaseAtEnd { base.take(upTo: baseNext) }
        (baseNext, baseEnd, isBaseAtEnd) = (nil, nil, false)
        // A backward scan excludes its start, so it starts at the key's successor.
        let rest = isForward ? KeyRange(from: key) : KeyRange(to: KeyRange.successor(of: key))
        ranges.seek(to: rest.to ?? rest.from)
        guard let next = ranges.next() else {
            (number, place, isBaseAtEnd) = (nil, nil, true)
            return
        }
        range = next.intersection(rest)
        place = firstPlace()
        base.enter(next)
        try base.seek(to: key)
    }

    /// Returns the next record, valid until the next call. Must not be mixed with ``nextRow(behind:)``.
    func nextRecord() throws(StoreError) -> Record? {
        var taken = row.map { $0.start + 1 }
        while let next = try nextRow(behind: taken) {
            let record = next.start
            if isRowOwn || !base.isHidden(record) {
                // Records this record only, because the caller has not read the rest of the row.
                note(through: record)
                return record.record
            }
            // The next call counts the hidden record as a returned entry.
            remaining &+= 1
            base.discountHidden()
            taken = record + 1
        }
        row = nil
        return nil
    }

    /// Runs `body` with the value of the record that ``nextRecord()`` returned last.
    func withValue<R>(of record: Record, _ body: (Bytes) throws(StoreError) -> R) throws(StoreError) -> R {
        isRowOwn ? try body(record.value) : try base.withValue(of: record, body)
    }

    /// Ends the scan: the read set keeps only the part of the last row that the caller has used.
    /// - Parameter taken: the position after the last record that the caller has used; nil for the complete row.
    func end(behind taken: RecordPlace?) {
        guard let row, let taken, taken > row.start, taken < row.end else { return }
        note(through: taken - 1)
    }

    /// Marks the records of the last row before `taken` as used.
    private func use(upTo taken: RecordPlace?) {
        guard let row, let taken else { return }
        remaining &-= taken - row.start
        if isRowOwn {
            place = place.flatMap(advanced)
        } else {
            baseNext = taken
        }
        self.row = nil
    }

    // MARK: Merge

    /// Returns the next row of the snapshot or of the writes.
    private func findRow() throws(StoreError) -> RecordRow? {
        isRowOwn = false
        while true {
            let record = try nextBase()
            let (write, order) = nextWrite(from: record)
            if write == nil { place = nil }  // No later row needs to be compared with a write.
            if let write, order >= 0 {
                if let record, order == 0 { baseNext = record + 1 }
                if !write.isDeletion { return ownRow(write) }
                place = place.flatMap(advanced)
            } else if let record {
                if !isDeleted(record) { return baseRow(from: record, before: write) }
                baseNext = record + 1
            } else {
                return nil
            }
        }
    }

    /// Returns the next write, nil if there is none in the range, and the order of a record of the snapshot and that
    /// write: negative if the record comes first, 0 if both have one key or if there is no record.
    private func nextWrite(from record: RecordPlace?) -> (write: SortedWrites.Write?, order: Int) {
        guard let place, let write = writes.writes[place] else { return (nil, 0) }
        return writes.batch.withPayload { payload in
            let key = write.key(in: payload)
            return isBeyondEnd(key) ? (nil, 0) : (write, record.map { compare($0.key, key) } ?? 0)
        }
    }

    /// Returns the snapshot's next record, which may be a tombstone; nil at the end.
    private func nextBase() throws(StoreError) -> RecordPlace? {
        while !isBaseAtEnd {
            if let baseNext, baseNext != baseEnd { return baseNext }
            guard let next = try base.nextRow(behind: baseNext) else { break }
            baseNext = next.start
            // An empty row stands for one record that may be hidden.
            baseEnd = next.start == next.end ? next.start + 1 : next.end
            isBaseRowEmpty = next.start == next.end
        }
        isBaseAtEnd = true
        return nil
    }

    /// Whether the snapshot's scan returned an empty row at ``baseNext``. Then ``handOther(_:to:)`` handles the record.
    private var isBaseRowEmpty = false

    /// Returns the snapshot's records from `start` on, up to the next write or deleted range.
    /// - Parameter write: the next write; nil if there is none in the range.
    private func baseRow(from start: RecordPlace, before write: SortedWrites.Write?) -> RecordRow {
        guard var end = baseEnd, !isBaseRowEmpty else { return RecordRow(start: start, end: start) }
        if end - start > remaining { end = start + remaining }
        if let write {
            writes.batch.withPayload { payload in
                let key = write.key(in: payload)
                var cut = start + 1
                while cut < end, compare(cut.key, key) < 0 { cut += 1 }
                end = cut
            }
        }
        if !writes.deleted.isEmpty {
            var cut = start + 1
            while cut < end, !isDeleted(cut) { cut += 1 }
            end = cut
        }
        return RecordRow(start: start, end: end)
    }

    /// Copies a write to ``own``, and returns it as a row.
    private func ownRow(_ write: SortedWrites.Write) -> RecordRow {
        let bytes = writes.batch.withPayload { payload in
            HeapBytes(copying: [UInt8](write.key(in: payload)) + [UInt8](write.value(in: payload)))
        }
        own[0] = Record(
            key: Bytes(rebasing: bytes.bytes[..<write.keyCount]),
            value: Bytes(rebasing: bytes.bytes[write.keyCount...]), sequence: 0, kind: .value)
        ownBytes = bytes
        isRowOwn = true
        return RecordRow(start: own.elements.recordPlace(0), end: own.elements.recordPlace(0) + 1)
    }

    /// Whether a deleted range of the transaction hides a record of the snapshot.
    private func isDeleted(_ record: RecordPlace) -> Bool {
        !writes.deleted.isEmpty && writes.deleted.contains(record.key)
    }

    /// Compares two keys in scan order: negative if the first one comes before the other.
    private func compare(_ key: Bytes, _ other: Bytes) -> Int {
        isForward ? compareKeys(key, other) : compareKeys(other, key)
    }

    // MARK: Writes

    /// The position of the first write at or after the start of the range, in scan order. If there is none, this is the
    /// end position in a forward scan, and nil in a backward one.
    private func firstPlace() -> SortedWrites.Place? {
        writes.batch.withPayload { payload in
            if isForward {
                return range.from.withBytes { writes.writes.firstPlace(notBelow: $0, in: payload) }
            }
            let end = range.to.map { $0.withBytes { writes.writes.firstPlace(notBelow: $0, in: payload) } }
            return writes.writes.place(before: end ?? writes.writes.end)
        }
    }

    /// The position of the next write, in scan order. After the last one, this is the end position in a forward scan,
    /// and nil in a backward one.
    private func advanced(_ place: SortedWrites.Place) -> SortedWrites.Place? {
        isForward ? writes.writes.place(after: place) : writes.writes.place(before: place)
    }

    /// Whether a key lies after the end of the range, in scan order.
    private func isBeyondEnd(_ key: Bytes) -> Bool {
        isForward ? range.ends(before: key) : range.begins(behind: key)
    }

    // MARK: Read set

    /// Records that the scan has read through a record, or to its end if `record` is nil.
    private func note(through record: RecordPlace?) {
        guard let number else { return }
        var read = range
        if let key = record.map({ [UInt8]($0.key) }) {
            if isForward { read.to = KeyRange.successor(of: key) } else { read.from = key }
        }
        transaction.updateScan(number, read)
    }
}
