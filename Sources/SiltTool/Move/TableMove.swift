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
    func make() throws {
        if let existing = try target.reading({ try $0.table(named: structure.name) }) {
            if Self.columns(existing.structure) == Self.columns(structure)
                || Self.columns(existing.structure) == Self.columns(table.first)
            {
                return
            }
            throw ToolError(.usage, "the target has a table \(structure.name) with other columns")
        }
        try MoveLedger.refusingRivals([.exists]) { try target.change { try $0.alter(.createTable(table.first)) } }
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

    /// Names and types of columns and the key, which two tables must share to hold the same rows.
    static func columns(_ structure: TableStructure) -> Set<String> {
        let key = structure.primaryKey.enumerated().map { "key \($0) \(structure.columns[$1].name)" }
        return Set(structure.columns.map { "\($0.type) \($0.isOptional) \($0.name)" } + key)
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
        for index in table.indexes { try target.buildIndex(index) }
        try MoveLedger.advance(&entry, target) { $0.phase = .done }
    }

    /// Copies the rows after the entry's position, and starts the next phase.
    private func copy(_ entry: inout MoveLedger.Entry, next: MoveLedger.Phase, digest: inout ContentDigest?) throws {
        var batch = RowBuffer()
        var last: [ColumnValue] = []
        let isSecondPass = entry.phase == .references
        try source.forEachRow(try query(entry)) { row in
            digest?.add(row)
            var stored = row
            if !isSecondPass { for number in table.lateValues { stored[number] = .null } }
            try batch.append(stored, layout: structure.layout)
            last = row
            guard hasKey, batch.count >= batchRows || batch.bytes.count >= Self.batchBytes else { return }
            try commit(batch, last, &entry)
            batch.removeAll()
        }
        try commit(batch, last, &entry, next: next)
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
        try target.change { session in
            try MoveLedger.store(after, inPlaceOf: before, session)
            for part in parts(rows) {
                var statement = InsertStatement(structure, rows: part)
                if isSecondPass { statement.onConflict = .replace }
                _ = try session.insert(statement)
            }
        }
        entry = after
        try committed(rows.count, rows.bytes.count)
    }

    /// Splits the rows of a table without a key into statements of limited size.
    private func parts(_ rows: RowBuffer) -> [RowBuffer] {
        if rows.count <= batchRows, rows.bytes.count <= 2 * Self.batchBytes { return rows.isEmpty ? [] : [rows] }
        var parts = [RowBuffer()]
        for row in 0..<rows.count {
            if parts[parts.count - 1].count >= batchRows || parts[parts.count - 1].bytes.count >= Self.batchBytes {
                parts.append(RowBuffer())
            }
            rows.withRow(row) { parts[parts.count - 1].append($0) }
        }
        return parts
    }

    // MARK: Positions

    /// The position of a row: the row with NULL in all columns outside of the key.
    private func position(_ row: [ColumnValue]) throws -> [UInt8] {
        var buffer = RowBuffer()
        let key = row.indices.map { structure.primaryKey.contains($0) ? row[$0] : .null }
        try buffer.append(key, layout: structure.layout)
        return buffer.bytes
    }

    /// The rows that a phase must still store, ordered by key.
    private func query(_ entry: MoveLedger.Entry) throws -> Query {
        var query = Query(structure)
        query.isDistinct = false
        query.order = structure.primaryKey.map { OrderTerm(column: $0) }
        var conditions: [Predicate] = []
        if !entry.position.isEmpty { conditions.append(try behind(entry.position)) }
        if entry.phase == .references {
            conditions.append(.or(table.lateValues.map { .not(.isNull(ColumnReference(column: $0))) }))
        }
        if !conditions.isEmpty { query.predicate = .and(conditions) }
        return query
    }

    /// Whether a row's key is after a position: the first column that differs is greater.
    private func behind(_ position: [UInt8]) throws -> Predicate {
        var buffer = RowBuffer()
        (buffer.bytes, buffer.ends) = (position, [position.count])
        let last = try buffer.values(ofRow: 0, RowShape(structure))
        let key = structure.primaryKey
        let cases = key.indices.map { place in
            Predicate.and(
                key[..<place].map { .compare(ColumnReference(column: $0), .equal, last[$0]) }
                    + [.compare(ColumnReference(column: key[place]), .greater, last[key[place]])])
        }
        // A bound on the first column limits the rows that are read.
        let bound = Predicate.compare(ColumnReference(column: key[0]), .greaterOrEqual, last[key[0]])
        return .and([bound, .or(cases)])
    }
}

extension ContentDigest {
    /// The checksum of all rows of a table, in the columns of a structure.
    init(_ structure: TableStructure, _ session: any TableSession) throws {
        var digest = ContentDigest()
        var query = Query(structure)
        query.isDistinct = false
        try session.forEachRow(query) { digest.add($0) }
        self = digest
    }
}
