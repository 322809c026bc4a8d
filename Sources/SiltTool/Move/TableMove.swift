import TableKit

/// Copies one table, in transactions of some thousand rows.
struct TableMove {
    /// Rows of one transaction. A table without a key is copied in one, since nothing tells where to go on.
    static let batchRows = 5000
    /// Bytes of one statement. MariaDB takes 16 MiB unless it is set otherwise.
    static let batchBytes = 4 << 20

    let table: MovedTable
    let source: any TableSession
    let target: any TableEngine
    /// Rows of one transaction.
    var batchRows = Self.batchRows
    /// Is told of each commit: its rows and their bytes.
    var committed: (Int, Int) throws -> Void = { _, _ in }

    private var structure: TableStructure { table.source }
    private var hasKey: Bool { !structure.primaryKey.isEmpty }

    /// Makes the table as far as it can be made before all others are.
    func make() throws {
        if let existing = try target.reading({ try $0.table(named: structure.name) }) {
            if Self.columns(existing.structure) == Self.columns(structure)
                || Self.columns(existing.structure) == Self.columns(table.first)
            {
                return
            }
            throw ToolError(.usage, "the target has a table \(structure.name) with other columns")
        }
        try target.change { try $0.alter(.createTable(table.first)) }
    }

    /// Adds the columns that refer to tables which were made later.
    func addLaterColumns() throws {
        for number in table.laterColumns {
            let column = structure.columns[number]
            let existing = try target.reading { try $0.table(named: structure.name) }
            if existing?.structure.number(of: column.name) != nil { continue }
            try target.change { try $0.alter(.addColumn(table: structure.name, column)) }
        }
    }

    /// What two tables must share to have the same rows: names and types of columns, and the key.
    static func columns(_ structure: TableStructure) -> Set<String> {
        let key = structure.primaryKey.enumerated().map { "key \($0) \(structure.columns[$1].name)" }
        return Set(structure.columns.map { "\($0.type) \($0.isOptional) \($0.name)" } + key)
    }

    // MARK: Rows

    /// Stores the rows, from where `entry` says.
    /// - Returns: the checksum of the source's rows; nil where some of them were copied earlier.
    func storeRows(_ entry: inout MoveLedger.Entry) throws -> ContentDigest? {
        guard entry.phase == .waiting || entry.phase == .rows else { return nil }
        var digest = entry.rows == 0 ? ContentDigest() : nil
        entry.phase = .rows
        try copy(&entry, next: table.lateValues.isEmpty ? .indexes : .references, digest: &digest)
        return digest
    }

    /// Stores again the rows that refer to rows which came later, in this table or in others. All tables have their rows.
    func setReferences(_ entry: inout MoveLedger.Entry) throws {
        guard entry.phase == .references else { return }
        var digest: ContentDigest?
        try copy(&entry, next: .indexes, digest: &digest)
    }

    /// Makes the indexes: before the rows, each would take a look-up for each row.
    func makeIndexes(_ entry: inout MoveLedger.Entry) throws {
        guard entry.phase == .indexes else { return }
        for index in table.indexes { try target.buildIndex(index) }
        var after = entry
        after.phase = .done
        try target.change { try MoveLedger.store(after, $0) }
        entry = after
    }

    /// Copies the rows behind the entry's position, and begins the next phase.
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

    /// Stores rows, with the ledger's entry, in one transaction.
    private func commit(
        _ rows: RowBuffer, _ last: [ColumnValue], _ entry: inout MoveLedger.Entry, next: MoveLedger.Phase? = nil
    ) throws {
        var after = entry
        if entry.phase == .rows { after.rows += rows.count }
        if let next {
            (after.phase, after.position) = (next, [])
        } else {
            after.position = try position(last)
        }
        let isSecondPass = entry.phase == .references
        try target.change { session in
            for part in parts(rows) {
                var statement = InsertStatement(structure, rows: part)
                if isSecondPass { statement.onConflict = .replace }
                _ = try session.insert(statement)
            }
            try MoveLedger.store(after, session)
        }
        entry = after
        try committed(rows.count, rows.bytes.count)
    }

    /// Rows in statements that are not too large, for a table without a key.
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

    /// A row's key: the row with NULL in all other columns.
    private func position(_ row: [ColumnValue]) throws -> [UInt8] {
        var buffer = RowBuffer()
        let key = row.indices.map { structure.primaryKey.contains($0) ? row[$0] : .null }
        try buffer.append(key, layout: structure.layout)
        return buffer.bytes
    }

    /// The rows that a phase has still to store, in the order of the key.
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

    /// Whether a row's key is behind a position: its first column that differs from the position's is greater.
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
        // The first column alone bounds the rows that are looked at.
        let bound = Predicate.compare(ColumnReference(column: key[0]), .greaterOrEqual, last[key[0]])
        return .and([bound, .or(cases)])
    }
}

extension ContentDigest {
    /// The checksum of all rows of a table, by the columns of a structure.
    init(_ structure: TableStructure, _ session: any TableSession) throws {
        var digest = ContentDigest()
        var query = Query(structure)
        query.isDistinct = false
        try session.forEachRow(query) { digest.add($0) }
        self = digest
    }
}
