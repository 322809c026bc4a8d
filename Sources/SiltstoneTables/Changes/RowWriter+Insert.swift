import Siltstone
import TableKit

extension RowWriter {
    /// Inserts the rows of a statement.
    func insert(_ statement: InsertStatement, _ binding: TableBinding) throws -> ChangeResult {
        let plan = catalogue.writePlan(binding.table)
        var result = ChangeResult()
        if statement.isReturning { result.shape = binding.shape }
        let sources = try InsertSources(binding, columns: statement.columns)
        var composer = RowComposer(plan.layout)
        var scratch: [UInt8] = []
        var numbers = InsertedNumbers(plan.table)
        if hasTurn { try numbers.learnGreatest(self) }
        let none = RawSpan()
        for number in 0..<statement.rows.count {
            switch sources {
            case .direct where plan.layout.number == 0:
                try statement.rows.withRow(number) { row in
                    try insert(row, plan, statement, &numbers, &result)
                }
            case .direct:
                statement.rows.withRow(number) { row in
                    scratch.removeAll(keepingCapacity: true)
                    unsafe row.withUnsafeBytes { unsafe scratch.append(contentsOf: $0) }
                }
                stamp(&scratch, plan.layout.number)
                try unsafe insert(scratch.span.bytes, plan, statement, &numbers, &result)
            case .composed(let sources):
                try statement.rows.withRow(number) { row in try composer.compose(sources, old: none, new: row) }
                try unsafe insert(composer.bytes.span.bytes, plan, statement, &numbers, &result)
            }
        }
        try numbers.finish(self, &result)
        if inserted > 0 { rowChanges[plan.table.id, default: 0] += inserted }
        return result
    }

    private func stamp(_ row: inout [UInt8], _ layout: UInt16) {
        guard row.count >= RowLayout.headerBytes else { return }
        row[2] = UInt8(truncatingIfNeeded: layout)
        row[3] = UInt8(truncatingIfNeeded: layout >> 8)
    }

    /// Inserts a row in the newest layout.
    private func insert(
        _ row: RawSpan, _ plan: TableWritePlan, _ statement: InsertStatement, _ numbers: inout InsertedNumbers,
        _ result: inout ChangeResult
    ) throws {
        guard row.byteCount >= plan.layout.endsStart else { throw KeyDecoder.shortKey }
        if plan.keySlots.isEmpty {
            let number = try engine.rowNumbers.reserve(in: plan.table, of: engine.store, for: transaction)
            rowKey.reset(to: plan.table.rowPrefix)
            rowKey.append(.integer(number))
            numbers.noteGiven(number)
            try plan.checkNotNull(row)
            return try storeNewRow(row, plan, statement, &numbers, &result)
        }
        guard try makeKey(plan, of: row) else {
            return try insertNumbered(row, plan, statement, &numbers, &result)
        }
        // Checked first: an ignored row must be valid, too.
        try plan.checkNotNull(row)
        if try !numbers.noteIsNew(row, plan), try rowExists() {
            switch statement.onConflict {
            case .fail: throw uniqueError(plan.table, plan.table.primaryKey, try keyValues(plan.table))
            case .ignore: return
            case .replace:
                try replace(with: row, plan, statement, &result)
                return numbers.noteStored()
            }
        }
        try storeNewRow(row, plan, statement, &numbers, &result)
    }

    /// Stores a complete row under ``rowKey``.
    private func storeNewRow(
        _ row: RawSpan, _ plan: TableWritePlan, _ statement: InsertStatement, _ numbers: inout InsertedNumbers,
        _ result: inout ChangeResult
    ) throws {
        try storeNew(row, plan)
        numbers.noteStored()
        inserted += 1
        result.count += 1
        if statement.isReturning { result.rows.append(row) }
    }

    /// Inserts a row with a NULL key. An integer key gets the next number.
    private func insertNumbered(
        _ row: RawSpan, _ plan: TableWritePlan, _ statement: InsertStatement, _ numbers: inout InsertedNumbers,
        _ result: inout ChangeResult
    ) throws {
        guard plan.table.hasIntegerKey else {
            try plan.checkNotNull(row)
            let columns = plan.table.primaryKey.map { plan.table.columns[$0].column.name }
            throw CRUDSQLExeError(
                "A column of the key cannot be NULL.", code: .notNull, table: plan.table.name,
                column: columns.joined(separator: ", "))
        }
        let slot = plan.keySlots[0]
        try numbers.flush(self)
        let number = try engine.rowNumbers.reserve(in: plan.table, of: engine.store, for: transaction)
        let value = try ColumnValue.integer(number).converted(to: slot.type)
        var copy = unsafe row.withUnsafeBytes { unsafe Array($0) }
        copy[slot.nullByte] &= ~slot.nullMask
        for (offset, byte) in value.slotBytes(slot.type).enumerated() { copy[slot.place + offset] = byte }
        rowKey.reset(to: plan.table.rowPrefix)
        rowKey.append(value)
        numbers.noteGiven(number)
        try unsafe plan.checkNotNull(copy.span.bytes)
        try unsafe storeNewRow(copy.span.bytes, plan, statement, &numbers, &result)
    }

    /// Replaces the row with ``rowKey``.
    private func replace(
        with row: RawSpan, _ plan: TableWritePlan, _ statement: InsertStatement, _ result: inout ChangeResult
    ) throws {
        guard let old = try unsafe rowKey.withBytes({ try unsafe transaction.get($0) }) else { return }
        try unsafe change(plan, key: rowKey.bytes, from: old.span.bytes, to: row, depth: 0)
        try finishPending()
        result.count += 1
        if statement.isReturning { result.rows.append(row) }
    }
}

/// The numbers used as keys by an insert.
struct InsertedNumbers {
    private let table: TableDescription
    private let slot: RowSlot?
    /// The key of the last row that was stored. Nil: it is no `Int64`.
    private var last: Int64?
    /// The key of the current row, which may be stored or ignored.
    private var current: Int64?
    private var greatest = Int64.min
    /// The greatest key apart from the greatest of the key's type, which ``RowNumbers`` counts only if it is committed.
    private var greatestOfOthers = Int64.min
    /// An upper bound of the existing numbers, apart from ``greatest``. Nil: unknown.
    private var known: Int64?

    init(_ table: TableDescription) {
        self.table = table
        slot = table.hasIntegerKey ? table.newestLayout.slots[table.primaryKey[0]] : nil
    }

    /// Loads the greatest existing number. Needs the transaction lock: otherwise others may commit greater numbers.
    mutating func learnGreatest(_ writer: RowWriter) throws {
        if slot != nil { known = try writer.engine.rowNumbers.newest(in: table, of: writer.engine.store) }
    }

    /// Records a row's key.
    /// - Returns: true if all existing rows have lower numbers, so that the key is new; false if that is unknown.
    @inline(__always)
    mutating func noteIsNew(_ row: RawSpan, _ plan: TableWritePlan) throws -> Bool {
        guard let slot else { return false }
        current = try slot.integer(in: row)
        guard let number = current else { return false }
        if number > greatestOfOthers, number < table.greatestRowNumber { greatestOfOthers = number }
        guard number > greatest else { return false }
        greatest = number
        return known.map { number > $0 } ?? false
    }

    /// Records a number that a row without one was given.
    mutating func noteGiven(_ number: Int64) {
        current = number
        known = known.map { max($0, number) }
    }

    /// Records that the current row was stored.
    @inline(__always)
    mutating func noteStored() { last = current }

    /// Excludes the numbers so far from being given to other rows.
    mutating func flush(_ writer: RowWriter) throws {
        let numbers = writer.engine.rowNumbers
        if greatestOfOthers > 0 { try numbers.raise(to: greatestOfOthers, in: table, of: writer.engine.store) }
        if greatest > max(greatestOfOthers, 0) { try numbers.raise(to: greatest, in: table, of: writer.engine.store) }
    }

    mutating func finish(_ writer: RowWriter, _ result: inout ChangeResult) throws {
        try flush(writer)
        result.lastInsertID = last
    }
}
