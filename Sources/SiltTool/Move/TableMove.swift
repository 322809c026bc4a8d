import TableKit

/// Copies one table, in transactions of several thousand rows.
struct TableMove {
    /// The most rows in a transaction. A table without a key has no position to continue at, so one transaction copies
    /// it.
    static let batchRows = 5000
    /// The bytes of a statement. MariaDB's default limit is 16 MiB.
    static let batchBytes = 4 << 20

    let table: MovedTable
    let source: any TableSession
    let target: any TableEngine
    /// The most rows in a transaction.
    var batchRows = Self.batchRows
    /// Called after each commit, with its rows and their bytes.
    var committed: (Int, Int) throws -> Void = { _, _ in }

    private var structure: TableStructure { table.source }
    private var hasKey: Bool { !structure.primaryKey.isEmpty }

    /// Creates the table, without the columns that refer to later tables.
    func make(_ entry: inout MoveLedger.Entry) throws {
        if let existing = try target.reading({ try $0.table(named: structure.name) }) {
            return try table.refuseOtherColumns(existing.structure)
        }
        // Before the table: --restart drops no table of which the ledger does not know that a move has made it.
        if entry.isMade != true { try MoveLedger.advance(&entry, target) { $0.isMade = true } }
        do { try target.change { try $0.alter(.createTable(table.first)) } } catch let error as any TableError
            where error.code == .exists
        {
            if try target.reading({ try $0.table(named: table.first.name) }) != nil { throw MoveLedger.rival }
            throw ToolError(
                .usage,
                "the target has something else with the name \(table.first.name): a view, an index, a type, or a table whose "
                    + "name differs only in case; rename or remove it")
        }
    }

    /// Adds the columns that refer to later tables.
    func addLaterColumns() throws {
        for number in table.laterColumns {
            let column = structure.columns[number]
            let existing = try target.reading { try $0.table(named: structure.name) }
            if existing?.structure.number(of: column.name) != nil { continue }
            try MoveLedger.refusingRivals([.exists]) {
                try target.change { try $0.alter(.addColumn(table: structure.name, column)) }
            }
        }
    }

    // MARK: Rows

    /// Stores the rows, continuing at the position of `entry`.
    /// - Returns: the checksum of the source's rows; nil if an earlier run copied some of them.
    func storeRows(_ entry: inout MoveLedger.Entry) throws -> ContentDigest? {
        guard entry.phase == .waiting || entry.phase == .rows else { return nil }
        var digest = entry.rows == 0 ? ContentDigest() : nil
        try copy(&entry, next: table.lateValues.isEmpty ? .indexes : .references, digest: &digest)
        return digest
    }

    /// Stores rows with references to later rows again, once all tables have their rows.
    func setReferences(_ entry: inout MoveLedger.Entry) throws {
        guard entry.phase == .references else { return }
        var digest: ContentDigest?
        try copy(&entry, next: .indexes, digest: &digest)
    }

    /// Builds the indexes last: before the rows, each index would cost a look-up per row.
    func makeIndexes(_ entry: inout MoveLedger.Entry) throws {
        guard entry.phase == .indexes else { return }
        if !table.indexes.isEmpty {
            let tables = try IndexNames.takenByTables(of: target)
            for index in table.indexes { try IndexNames(index).build(target, beside: tables) }
        }
        try MoveLedger.advance(&entry, target) { $0.phase = .done }
    }

    /// Copies the rows after the entry's position, and starts the next phase.
    private func copy(_ entry: inout MoveLedger.Entry, next: MoveLedger.Phase, digest: inout ContentDigest?) throws {
        var (batch, encoded) = (RowBuffer(), RowBuffer())
        var last: [ColumnValue] = []
        let isSecondPass = entry.phase == .references
        var reader = RowReader(structure: structure, session: source)
        if !entry.position.isEmpty { reader.last = try row(at: entry.position) }
        try reader.forEach { row in
            digest?.add(row)
            if isSecondPass, table.lateValues.allSatisfy({ row[$0].isNull }) { return }
            encoded.removeAll()
            try encoded.append(isSecondPass ? row : withoutReferences(row), layout: structure.layout)
            // Before the row: a large one behind small ones would exceed the longest statement of a server.
            if hasKey, isFull(batch, before: encoded.bytes.count) {
                try commit(batch, last, &entry)
                batch.removeAll()
            }
            encoded.withRow(0) { batch.append($0) }
            last = row
        }
        try commit(batch, last, &entry, next: next)
    }

    private func isFull(_ batch: RowBuffer, before bytes: Int) -> Bool {
        batch.count >= batchRows || !batch.isEmpty && batch.bytes.count + bytes > Self.batchBytes
    }

    /// A row of the first pass, which refers to no row that may come later. A reference to the own table that cannot be
    /// NULL refers to the row itself.
    private func withoutReferences(_ row: [ColumnValue]) -> [ColumnValue] {
        var row = row
        for number in table.lateValues {
            row[number] = structure.columns[number].isOptional ? .null : row[structure.primaryKey[0]]
        }
        return row
    }

    /// Stores rows and the ledger's entry in one transaction.
    private func commit(
        _ rows: RowBuffer, _ last: [ColumnValue], _ entry: inout MoveLedger.Entry, next: MoveLedger.Phase? = nil
    ) throws {
        var after = entry
        if entry.phase == .waiting || entry.phase == .rows {
            after.phase = .rows
            after.rows += rows.count
        }
        if let next {
            (after.phase, after.position) = (next, [])
        } else {
            after.position = try position(last)
        }
        let before = entry
        let isSecondPass = entry.phase == .references
        try TargetError.marking {
            try target.change { session in
                try MoveLedger.store(after, inPlaceOf: before, session)
                try forEachPart(of: rows) { part in
                    var statement = InsertStatement(structure, rows: part)
                    if isSecondPass { statement.onConflict = .replace }
                    _ = try session.insert(statement)
                }
            }
        }
        entry = after
        try committed(rows.count, rows.bytes.count)
    }

    /// Splits the rows of a table without a key into statements of limited size. One part at a time is in memory.
    private func forEachPart(of rows: RowBuffer, _ body: (RowBuffer) throws -> Void) throws {
        if rows.isEmpty { return }
        if hasKey { return try body(rows) }
        var part = RowBuffer()
        for row in 0..<rows.count {
            if isFull(part, before: rows[range: row].count) {
                try body(part)
                part.removeAll()
            }
            rows.withRow(row) { part.append($0) }
        }
        try body(part)
    }

    // MARK: Positions

    /// The position of a row: the row with NULL in all columns outside of the key.
    private func position(_ row: [ColumnValue]) throws -> [UInt8] {
        var buffer = RowBuffer()
        let key = row.indices.map { structure.primaryKey.contains($0) ? row[$0] : .null }
        try buffer.append(key, layout: structure.layout)
        return buffer.bytes
    }

    /// The row that ``position(_:)`` made a position of.
    private func row(at position: [UInt8]) throws -> [ColumnValue] {
        var buffer = RowBuffer()
        (buffer.bytes, buffer.ends) = (position, [position.count])
        return try buffer.values(ofRow: 0, RowShape(structure))
    }
}
