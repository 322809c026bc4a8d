import TableKit

extension MySQLDialect {
    /// Reads columns, keys and indexes of the session's database from `information_schema`.
    package func readCatalogue(_ connection: any SQLConnection) throws -> [SQLTable] {
        func texts(_ count: Int) -> [ColumnType] { Array(repeating: .string, count: count) }
        let columns = try connection.execute(SQLStatement(Self.columnsQuery, results: texts(6) + [.int64, .int64]))
        let indexes = try connection.execute(SQLStatement(Self.indexesQuery, results: texts(3) + [.int64]))
        let references = try connection.execute(SQLStatement(Self.referencesQuery, results: texts(5)))
        var drafts: [String: MySQLTableDraft] = [:]
        for row in columns.rows {
            guard let table = row[0].string else { continue }
            drafts[table, default: MySQLTableDraft(name: table)].add(column: row)
        }
        for row in indexes.rows { if let table = row[0].string { drafts[table]?.add(index: row) } }
        for row in references.rows { if let table = row[0].string { drafts[table]?.add(reference: row) } }
        return try drafts.values.map { try $0.table(values: try defaults(of: $0, connection)) }
    }

    private static let columnsQuery = """
        SELECT c.TABLE_NAME, c.COLUMN_NAME, c.COLUMN_TYPE, c.IS_NULLABLE, c.COLUMN_DEFAULT, c.COLUMN_COMMENT,
            CAST(COALESCE(t.TABLE_ROWS, 0) AS SIGNED), CAST(COALESCE(t.DATA_LENGTH, 0) AS SIGNED)
        FROM information_schema.COLUMNS AS c JOIN information_schema.TABLES AS t
            ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
        WHERE c.TABLE_SCHEMA = DATABASE() AND t.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE = 'BASE TABLE'
        ORDER BY c.ORDINAL_POSITION
        """

    private static let indexesQuery = """
        SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, CAST(NON_UNIQUE AS SIGNED) FROM information_schema.STATISTICS
        WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX
        """

    private static let referencesQuery = """
        SELECT k.TABLE_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_NAME, r.DELETE_RULE, r.UPDATE_RULE
        FROM information_schema.KEY_COLUMN_USAGE AS k JOIN information_schema.REFERENTIAL_CONSTRAINTS AS r
            ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME
            AND r.TABLE_NAME = k.TABLE_NAME
        WHERE k.TABLE_SCHEMA = DATABASE() AND r.CONSTRAINT_SCHEMA = DATABASE() AND k.REFERENCED_TABLE_NAME IS NOT NULL
        """

    /// The values of a table's defaults, which the server computes from their texts.
    private func defaults(of draft: MySQLTableDraft, _ connection: any SQLConnection) throws -> [String: ColumnValue] {
        let wanted = draft.columns.filter { $0.defaultText != nil }
        if wanted.isEmpty { return [:] }
        // A date is a double, but its default as it is written may be a decimal number.
        let texts = wanted.map { "(\($0.defaultText ?? "NULL"))" + ($0.type == .date ? " + 0e0" : "") }
        let statement = SQLStatement(
            "SELECT " + texts.joined(separator: ", "), results: wanted.map(\.type), isRepeated: false)
        let row = try connection.execute(statement).rows.first ?? []
        return Dictionary(zip(wanted.map(\.name), row)) { first, _ in first }
    }
}

extension MySQLDialect {
    /// The type of a native one, where no note says better. What a property of no other type could keep is text: also dates,
    /// which the server would compare with numbers in a way of its own.
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
