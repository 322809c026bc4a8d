/// One walk of a transaction over a range: the entries of its snapshot, merged with its own writes.
///
/// The walk sees the writes that were made before it began. It hands out rows of the snapshot's records without a copy,
/// cut where a write comes between, and each write as a row of its own. It notes in the transaction's read set how far
/// it has come, so that a commit behind that place is no conflict.
///
/// Used by one task or thread at a time.
final class TransactionWalk {
    private let transaction: TransactionState
    private var base: ScanWalk
    private let writes: WriteBuffer
    /// The range of the walk, and the part of it from where the walk has begun or a seek has gone.
    private let whole: ScanRange
    private var range: ScanRange
    /// The number of that part in the read set; nil where reads are not checked.
    private var number: Int?
    /// Entries that may still be handed out.
    private var left: Int

    /// The part of the snapshot's row that is not handed out yet.
    private var baseNext: RecordPlace?
    private var baseEnd: RecordPlace?
    private var isBaseAtEnd = false
    /// The write that comes next; nil behind the last one.
    private var place: SortedWrites.Place?
    /// The row that was handed out last.
    private var row: RecordRow?
    /// Whether ``row`` is ``own``.
    private var isRowOwn = false
    /// One write, as a row.
    private let own = HeapArray<Record>(count: 1)
    /// The bytes that ``own`` refers to.
    private var ownBytes: HeapBytes?

    /// - Parameters:
    ///   - path: the caller keeps it, and the transaction's snapshot, as long as the walk.
    ///   - snapshot: the last change that the walk sees.
    /// - Throws: ``StoreError`` where the transaction has ended, or the store is closed.
    init(
        _ transaction: TransactionState, _ path: ScanPath, at snapshot: SequenceNumber, _ range: ScanRange
    ) throws(StoreError) {
        let (writes, number) = try transaction.beginWalk()
        self.transaction = transaction
        self.writes = writes
        self.number = number
        whole = range
        self.range = range
        left = range.limit
        var unlimited = range
        unlimited.limit = writes.isEmpty ? range.limit : .max
        base = try ScanWalk(path, at: snapshot, unlimited)
        place = firstPlace()
    }

    private var isForward: Bool { range.direction == .forward }

    // MARK: Rows

    /// The next records in a row; see ``ScanWalk/nextRow(behind:)``.
    func nextRow(behind taken: RecordPlace?) throws(StoreError) -> RecordRow? {
        use(upTo: taken)
        guard left > 0 else { return nil }
        guard let next = try findRow() else {
            note(through: nil)
            return nil
        }
        row = next
        // Before the row is handed out: the caller may commit in the middle of it.
        note(through: next.start == next.end ? next.start : next.end - 1)
        return next
    }

    /// Calls `body` with the record where a row ended early; see ``ScanWalk/handOther(_:to:)``.
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

    /// As ``handOther(_:to:)``, with the key alone.
    func handOtherKey(_ record: RecordPlace, to body: (RawSpan) throws -> Bool) rethrows -> Bool {
        if !isRowOwn, base.isSkipped(record) {
            skip()
            return true
        }
        return try unsafe body(record.key.buffer.bytes)
    }

    /// Goes to a key of the range, as ``Cursor/seek(to:)`` does. What is read from there is a part of its own in the read set.
    func seek(to key: [UInt8]) throws(StoreError) {
        use(upTo: row.map { $0.start + 1 })
        number = try transaction.beginWalk().number
        range = whole
        if isForward {
            if (whole.from ?? []).lexicographicallyPrecedes(key) { range.from = key }
        } else {
            let end = KeyRange.successor(of: key)
            if whole.to.map({ end.lexicographicallyPrecedes($0) }) ?? true { range.to = end }
        }
        // A hidden record was left out of the count already: without this the count of a walk without a limit is beyond its
        // greatest value, and the seek takes the walk for ended.
        if !isBaseAtEnd { base.take(upTo: baseNext) }
        try base.seek(to: key)
        (baseNext, baseEnd, isBaseAtEnd) = (nil, nil, false)
        place = firstPlace()
    }

    /// The next record, good until the next call. Not to be mixed with ``nextRow(behind:)``.
    func nextRecord() throws(StoreError) -> Record? {
        var taken = row.map { $0.start + 1 }
        while let next = try nextRow(behind: taken) {
            let record = next.start
            if isRowOwn || !base.isSkipped(record) {
                // Only this one: the rest of the row is not read yet.
                note(through: record)
                return record.record
            }
            skip()
            taken = record + 1
        }
        row = nil
        return nil
    }

    /// Leaves a hidden record out of the count of entries.
    private func skip() {
        left &+= 1
        base.uncount()
    }

    /// Runs `body` with the value of the record that ``nextRecord()`` has returned last.
    func withValue<R>(of record: Record, _ body: (Bytes) throws(StoreError) -> R) throws(StoreError) -> R {
        isRowOwn ? try body(record.value) : try base.withValue(of: record, body)
    }

    /// Ends the walk.
    /// - Parameter taken: behind the last record that the caller has looked at; nil for the whole row.
    func end(behind taken: RecordPlace?) {
        guard let row, let taken, taken > row.start, taken < row.end else { return }
        note(through: taken - 1)
    }

    /// Takes the records of the last row before `taken` for used up.
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

    /// The next row of the snapshot or of the writes.
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

    /// The snapshot's next record, if it has one; it may be a tombstone.
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

    /// Whether ``baseNext`` is a record to be handed out by ``handOther(_:to:)``.
    private var isBaseRowEmpty = false

    /// The records from `start` on, up to the next write or deleted range.
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

    private func ownRow(_ write: SortedWrites.Write) -> RecordRow {
        let bytes = writes.batch.withPayload { payload in
            HeapBytes(copying: [UInt8](write.key(in: payload)) + [UInt8](write.value(in: payload)))
        }
        own[0] = Record(
            key: Bytes(rebasing: bytes.bytes[..<Int(write.keyCount)]),
            value: Bytes(rebasing: bytes.bytes[Int(write.keyCount)...]), sequence: 0, kind: .value)
        ownBytes = bytes
        isRowOwn = true
        return RecordRow(start: own.place(0), end: own.place(0) + 1)
    }

    private func isDeleted(_ record: RecordPlace) -> Bool {
        !writes.deleted.isEmpty && writes.deleted.contains(record.key)
    }

    private func comesBefore(_ key: Bytes, _ other: Bytes) -> Bool {
        let order = compareKeys(key, other)
        return isForward ? order < 0 : order > 0
    }

    // MARK: Writes

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

    private func advanced(_ place: SortedWrites.Place) -> SortedWrites.Place? {
        isForward ? writes.writes.place(after: place) : writes.writes.place(before: place)
    }

    private func isBeyondEnd(_ key: Bytes) -> Bool {
        guard let end = range.farEnd else { return false }
        let order = withContiguousBytes(end) { compareKeys(key, $0) }
        return isForward ? order >= 0 : order < 0
    }

    // MARK: Read set

    /// Notes that the walk has read through a record, or to its end.
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
