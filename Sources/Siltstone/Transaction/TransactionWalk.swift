/// One scan of a transaction over a range: the entries of its snapshot, merged with its own writes.
///
/// The scan sees the writes that were made before it started. It returns rows of the snapshot's records without
/// copying, cut where a write comes in between, and each write as its own row. It records in the transaction's read set
/// how far it has read, so that changes after that position are no conflict.
///
/// Used by one task or thread at a time.
final class TransactionWalk {
    private let transaction: TransactionState
    /// The scan of the snapshot.
    private var base: ScanWalk
    /// The writes that were made before the scan started.
    private let writes: WriteBuffer
    /// The range of the scan, and the part of it from the start or from the target of the last seek.
    private let fullRange: ScanRange
    private var range: ScanRange
    /// The number of that part in the read set; nil if reads are not checked.
    private var number: Int?
    /// The number of entries that the scan may still return.
    private var left: Int

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
    /// - Throws: ``StoreError`` if the transaction has ended, or the store is closed.
    init(
        _ transaction: TransactionState, _ path: ScanPath, at snapshot: SequenceNumber, _ range: ScanRange
    ) throws(StoreError) {
        let (writes, number) = try transaction.beginWalk()
        self.transaction = transaction
        self.writes = writes
        self.number = number
        fullRange = range
        self.range = range
        left = range.limit
        var unlimited = range
        unlimited.limit = writes.isEmpty ? range.limit : .max
        base = try ScanWalk(path, at: snapshot, unlimited)
        place = firstPlace()
    }

    private var isForward: Bool { range.direction == .forward }

    // MARK: Rows

    /// Returns the next records as a row; see ``ScanWalk/nextRow(behind:)``.
    func nextRow(behind taken: RecordPlace?) throws(StoreError) -> RecordRow? {
        use(upTo: taken)
        guard left > 0 else { return nil }
        guard let next = try findRow() else {
            note(through: nil)
            return nil
        }
        row = next
        // Recorded before the row is returned, because the caller may commit while it uses the row.
        note(through: next.start == next.end ? next.start : next.end - 1)
        return next
    }

    /// Handles the record at which a row ended early; see ``ScanWalk/handOther(_:to:)``.
    func handOther(
        _ record: RecordPlace, to body: (RawSpan, RawSpan) throws -> Bool
    ) throws -> Bool {
        if isRowOwn { return try unsafe body(record.key.buffer.bytes, record.value.buffer.bytes) }
        if base.isSkipped(record) {
            skip()
            return true
        }
        return try base.handOther(record, to: body)
    }

    /// Like ``handOther(_:to:)``, for a row of keys; see ``ScanWalk/handOtherKey(_:to:)``.
    func handOtherKey(_ record: RecordPlace, to body: (RawSpan) throws -> Bool) rethrows -> Bool {
        if !isRowOwn, base.isSkipped(record) {
            skip()
            return true
        }
        return try unsafe body(record.key.buffer.bytes)
    }

    /// Moves to a key of the range, like ``Cursor/seek(to:)``. The keys read from there on form a new part in the read
    /// set.
    func seek(to key: [UInt8]) throws(StoreError) {
        use(upTo: row.map { $0.start + 1 })
        number = try transaction.beginWalk().number
        range = fullRange
        if isForward {
            if (fullRange.from ?? []).lexicographicallyPrecedes(key) { range.from = key }
        } else {
            let end = KeyRange.successor(of: key)
            if fullRange.to.map({ end.lexicographicallyPrecedes($0) }) ?? true { range.to = end }
        }
        // For a hidden record, `ScanWalk.discountHidden()` has raised the count of entries left, and this lowers it again.
        // Otherwise the count of an unlimited scan would overflow, and the seek would treat the scan as ended.
        if !isBaseAtEnd { base.take(upTo: baseNext) }
        try base.seek(to: key)
        (baseNext, baseEnd, isBaseAtEnd) = (nil, nil, false)
        place = firstPlace()
    }

    /// Returns the next record, valid until the next call. Must not be mixed with ``nextRow(behind:)``.
    func nextRecord() throws(StoreError) -> Record? {
        var taken = row.map { $0.start + 1 }
        while let next = try nextRow(behind: taken) {
            let record = next.start
            if isRowOwn || !base.isSkipped(record) {
                // Records this record only, because the caller has not read the rest of the row.
                note(through: record)
                return record.record
            }
            skip()
            taken = record + 1
        }
        row = nil
        return nil
    }

    /// Corrects the counts for a hidden record, which the next call counts as a returned entry.
    private func skip() {
        left &+= 1
        base.discountHidden()
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
        left &-= taken - row.start
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
            guard let place, let write = writes.writes[place] else {
                guard let record else { return nil }
                if isDeleted(record) {
                    baseNext = record + 1
                    continue
                }
                return baseRow(from: record, before: nil)
            }
            let (order, isEntry) = writes.batch.withPayload { payload in
                let key = write.key(in: payload)
                if isBeyondEnd(key) { return (1, false) }
                guard let record else { return (0, true) }
                let order = compareKeys(record.key, key)
                return (isForward ? order : -order, true)
            }
            if !isEntry {
                self.place = nil
            } else if let record, order < 0 {
                if !isDeleted(record) { return baseRow(from: record, before: write) }
                baseNext = record + 1
            } else {
                if let record, order == 0 { baseNext = record + 1 }
                if !write.isDeletion { return ownRow(write) }
                self.place = advanced(place)
            }
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

    /// Whether the snapshot's scan returned an empty row at ``baseNext``, so that ``handOther(_:to:)`` must handle that
    /// record.
    private var isBaseRowEmpty = false

    /// Returns the snapshot's records from `start` on, up to the next write or deleted range.
    /// - Parameter write: the next write; nil if there is none in the range.
    private func baseRow(from start: RecordPlace, before write: SortedWrites.Write?) -> RecordRow {
        if isBaseRowEmpty { return RecordRow(start: start, end: start) }
        guard var end = baseEnd else { return RecordRow(start: start, end: start) }
        if end - start > left { end = start + left }
        if let write {
            writes.batch.withPayload { payload in
                let key = write.key(in: payload)
                var cut = start + 1
                while cut < end, comesBefore(cut.key, key) { cut += 1 }
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
            key: Bytes(rebasing: bytes.bytes[..<Int(write.keyCount)]),
            value: Bytes(rebasing: bytes.bytes[Int(write.keyCount)...]), sequence: 0, kind: .value)
        ownBytes = bytes
        isRowOwn = true
        return RecordRow(start: own.elements.recordPlace(0), end: own.elements.recordPlace(0) + 1)
    }

    /// Whether a deleted range of the transaction hides a record of the snapshot.
    private func isDeleted(_ record: RecordPlace) -> Bool {
        !writes.deleted.isEmpty && writes.deleted.contains(record.key)
    }

    /// Whether a key comes before another one, in scan order.
    private func comesBefore(_ key: Bytes, _ other: Bytes) -> Bool {
        let order = compareKeys(key, other)
        return isForward ? order < 0 : order > 0
    }

    // MARK: Writes

    /// The position of the first write at or after the start of the range, in scan order. If there is none, this is the
    /// end position in a forward scan, and nil in a backward one.
    private func firstPlace() -> SortedWrites.Place? {
        writes.batch.withPayload { payload in
            if isForward {
                return withContiguousBytes(range.from ?? []) { writes.writes.firstPlace(notBelow: $0, in: payload) }
            }
            let end = range.to.map { key in
                withContiguousBytes(key) { writes.writes.firstPlace(notBelow: $0, in: payload) }
            }
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
        guard let end = range.farEnd else { return false }
        let order = withContiguousBytes(end) { compareKeys(key, $0) }
        return isForward ? order >= 0 : order < 0
    }

    // MARK: Read set

    /// Records that the scan has read through a record, or to its end if `record` is nil.
    private func note(through record: RecordPlace?) {
        guard let number else { return }
        let key = record.map { [UInt8]($0.key) }
        let read =
            switch (range.direction, key) {
            case (.forward, let key?): KeyRange(from: range.from, to: KeyRange.successor(of: key))
            case (.backward, let key?): KeyRange(from: key, to: range.to)
            case (_, nil): KeyRange(from: range.from, to: range.to)
            }
        transaction.updateWalk(number, read)
    }
}
