import TableKit

extension MySQLDialect {
    /// Reads columns, keys and indexes of the current database from `information_schema`. That compares names of tables
    /// without regard to case and accents; these queries, and the others on it, compare them exactly.
    package func readCatalogue(_ connection: any SQLConnection) throws -> [SQLTable] {
        var rows = try CatalogueRows(connection)
        var reads = 1
        while !rows.areWhole, reads < Self.mostReads {
            CatalogueReads.pauseForRenaming()
            rows = try CatalogueRows(connection)
            reads += 1
        }
        var drafts: [String: TableDraft] = [:]
        for row in rows.columns {
            guard let table = row[0].string else { continue }
            drafts[table, default: TableDraft(name: table)].add(column: row)
        }
        for row in rows.indexes { if let table = row[0].string { drafts[table]?.add(index: row) } }
        for row in rows.references { if let table = row[0].string { drafts[table]?.add(reference: row) } }
        return try drafts.values.map { draft in
            var draft = draft
            draft.leaveOutPrefixes()
            // A date is a DOUBLE, but its default may be written as a decimal number.
            return try draft.table(connection) { "(\($1))" + ($0 == .date ? " + 0e0" : "") }
        }
    }

    /// The most reads for one whose parts fit. The last one counts: a server may show a user less of one part for ever.
    private static let mostReads = 5

    fileprivate static let columnsQuery = """
        SELECT c.TABLE_NAME, c.COLUMN_NAME, c.COLUMN_TYPE, c.IS_NULLABLE, c.COLUMN_DEFAULT, c.COLUMN_COMMENT,
            CAST(COALESCE(t.TABLE_ROWS, 0) AS SIGNED), CAST(COALESCE(t.DATA_LENGTH, 0) AS SIGNED), c.IS_GENERATED,
            c.COLUMN_KEY
        FROM information_schema.COLUMNS AS c JOIN information_schema.TABLES AS t
            ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
            AND CAST(t.TABLE_NAME AS BINARY) = CAST(c.TABLE_NAME AS BINARY)
        WHERE c.TABLE_SCHEMA = DATABASE() AND t.TABLE_SCHEMA = DATABASE()
            AND t.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')
        ORDER BY c.ORDINAL_POSITION
        """

    fileprivate static let indexesQuery = """
        SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, CAST(NON_UNIQUE AS SIGNED), CAST(SUB_PART AS SIGNED), INDEX_TYPE
        FROM information_schema.STATISTICS
        WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX
        """

    fileprivate static let referencesQuery = """
        SELECT k.TABLE_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_NAME, r.DELETE_RULE, r.UPDATE_RULE
        FROM information_schema.KEY_COLUMN_USAGE AS k JOIN information_schema.REFERENTIAL_CONSTRAINTS AS r
            ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME
            AND CAST(r.TABLE_NAME AS BINARY) = CAST(k.TABLE_NAME AS BINARY)
        WHERE k.TABLE_SCHEMA = DATABASE() AND r.CONSTRAINT_SCHEMA = DATABASE()
            AND k.REFERENCED_TABLE_SCHEMA = DATABASE()
        """
}

/// The rows of one read of the catalogue. Its queries see different moments.
private struct CatalogueRows {
    let columns: [[ColumnValue]]
    let indexes: [[ColumnValue]]
    let references: [[ColumnValue]]

    init(_ connection: any SQLConnection) throws {
        func rows(_ text: String, _ results: [ColumnType]) throws -> [[ColumnValue]] {
            try connection.execute(SQLStatement(text, results: results)).rows
        }
        func texts(_ count: Int) -> [ColumnType] { Array(repeating: .string, count: count) }
        columns = try rows(MySQLDialect.columnsQuery, texts(6) + [.int64, .int64, .string, .string])
        indexes = try rows(MySQLDialect.indexesQuery, texts(3) + [.int64, .int64, .string])
        references = try rows(MySQLDialect.referencesQuery, texts(5))
    }

    /// Whether no query lacks a table that another one shows. One lacks it if it runs while an ALTER renames the table's
    /// files.
    var areWhole: Bool {
        let (tables, indexed) = (Self.tables(columns), Self.tables(indexes))
        return indexed.isSubset(of: tables) && Self.tables(references).isSubset(of: tables)
            && Self.tables(columns.lazy.filter { !($0[9].string ?? "").isEmpty }).isSubset(of: indexed)
    }

    private static func tables(_ rows: some Sequence<[ColumnValue]>) -> Set<String> {
        Set(rows.lazy.compactMap { $0[0].string })
    }
}

extension TableDraft {
    fileprivate mutating func add(column row: [ColumnValue]) {
        guard let column = row[1].string, let native = row[2].string else { return }
        rows = row[6].int ?? 0
        bytes = row[7].int ?? 0
        let note = ColumnNote(comment: row[5].string)
        let text = row[4].string == "NULL" ? nil : row[4].string
        let type = note?.columnType ?? MySQLDialect.columnType(ofNative: native)
        let isExact = note?.columnType != nil || MySQLDialect.isExact(native: native)
        var draft = DraftColumn(
            name: column, type: type, isOptional: row[3].string == "YES", defaultText: text,
            foreignKey: note?.foreignKey,
            server: ServerColumn(typeName: native, isExact: isExact, isGenerated: row[8].string == "ALWAYS"))
        // The server's catalogue tells bytes as text, some of them wrong.
        draft.isUnenforced = note?.foreignKey != nil
        draft.isKnown = !((type == .bytes || type == .uuid) && text?.hasPrefix("'") ?? false)
        columns.append(draft)
    }

    fileprivate mutating func add(index row: [ColumnValue]) {
        guard let index = row[1].string, let column = row[2].string else { return }
        if index == "PRIMARY" { return key.append(column) }
        if index.hasPrefix(MySQLDialect.hiddenPrefix) { return }
        add(index: index, column: column, isUnique: row[3].int == 0)
        // Unique indexes of whole long texts have the type HASH.
        if row[5].string == "FULLTEXT" || row[5].string == "SPATIAL" { leaveOutLastIndex() }
        if let length = row[4].int { setPrefix(length) }
    }

    /// Adds a foreign key constraint. The actions of a note win over those of the constraint.
    fileprivate mutating func add(reference row: [ColumnValue]) {
        guard let number = columns.firstIndex(where: { $0.name == row[1].string }), let table = row[2].string else {
            return
        }
        columns[number].isUnenforced = false
        if columns[number].foreignKey != nil {
            columns[number].foreignKey?.table = table
        } else {
            columns[number].foreignKey = ForeignKeyReference(
                table: table, onDelete: ForeignKeyAction(sql: row[3].string),
                onUpdate: ForeignKeyAction(sql: row[4].string))
        }
    }
}

extension MySQLDialect {
    /// Whether programs read every value of a native type exactly. Reals keep 15 decimal digits.
    static func isExact(native: String) -> Bool {
        !native.hasPrefix("decimal") || native.decimalDigits.map { $0 <= 15 } ?? false
    }

    /// The type for a native type without a note. Types without an exact counterpart become text. So do native dates:
    /// the server would compare them with numbers by rules of its own.
    static func columnType(ofNative native: String) -> ColumnType {
        let name = native.prefix { $0 != "(" && $0 != " " }
        let isUnsigned = native.contains("unsigned")
        switch name {
        case "tinyint": return native.hasPrefix("tinyint(1)") ? .bool : isUnsigned ? .uint8 : .int8
        case "smallint": return isUnsigned ? .uint16 : .int16
        case "mediumint", "int": return isUnsigned ? .uint32 : .int32
        case "bigint": return isUnsigned ? .uint64 : .int64
        case "year": return .int16
        case "float": return .float
        case "double", "decimal": return .double
        case "binary": return native == "binary(16)" ? .uuid : .bytes
        case "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "bit": return .bytes
        default: return .string
        }
    }
}
