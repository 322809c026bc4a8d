import TableKit

extension PostgresDialect {
    /// Reads columns, keys and indexes of the current schema from `pg_catalog`.
    package func readCatalogue(_ connection: any SQLConnection) throws -> [SQLTable] {
        let results = try connection.executeAll([
            SQLStatement(Self.columnsQuery, results: [.string, .string, .string, .bool, .string, .string, .double]),
            SQLStatement(Self.indexesQuery, results: [.string, .string, .bool, .bool, .string, .bool]),
        ])
        var drafts: [String: TableDraft] = [:]
        for row in results[0].rows {
            guard let table = row[0].string, let column = row[1].string, let native = row[2].string else { continue }
            let note = ColumnNote(comment: row[5].string)
            drafts[table, default: TableDraft(name: table)].columns.append(
                TableDraft.DraftColumn(
                    name: column, type: note?.columnType ?? Self.type(ofNative: native),
                    isOptional: row[3] != .bool(true), defaultText: row[4].string, foreignKey: note?.foreignKey,
                    dateForm: DateForm(native: native)))
            // -1 until the server has counted.
            drafts[table]?.rows = max(0, Int(row[6].double ?? 0))
        }
        for row in results[1].rows {
            guard let table = row[0].string, let index = row[1].string, let column = row[4].string else { continue }
            if row[3] == .bool(true) {
                drafts[table]?.key.append(column)
            } else {
                drafts[table]?.add(
                    index: index, column: column, isUnique: row[2] == .bool(true), isReady: row[5] == .bool(true))
            }
        }
        return try drafts.values.map { draft in
            try draft.table(connection) { column in
                // The default of an identity column is not the column's own.
                column.defaultText.flatMap { $0.hasPrefix("nextval(") ? nil : "(\($0))" }
            }
        }
    }

    private static let columnsQuery = """
        SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
            pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum), c.reltuples::double precision
        FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') ORDER BY c.relname, a.attnum
        """

    private static let indexesQuery = """
        SELECT t.relname, i.relname, x.indisunique, x.indisprimary, a.attname, x.indisvalid
        FROM pg_catalog.pg_index x
        JOIN pg_catalog.pg_class t ON t.oid = x.indrelid
        JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
        CROSS JOIN LATERAL unnest(x.indkey::smallint[]) WITH ORDINALITY AS k(attnum, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
        WHERE n.nspname = current_schema() AND x.indpred IS NULL ORDER BY t.relname, i.relname, k.place
        """

    /// The type for a native type without a note.
    static func type(ofNative native: String) -> ColumnType {
        let name = native.prefix { $0 != "(" }.trimmingSuffix(while: { $0 == " " })
        switch name {
        case "boolean": return .bool
        case "smallint": return .int16
        case "integer": return .int32
        case "bigint", "oid": return .int64
        case "numeric": return native.hasSuffix(",0)") ? .uint64 : .double
        case "real": return .float
        case "double precision": return .double
        case "uuid": return .uuid
        case "bytea": return .bytes
        case "json", "jsonb": return .json
        case "date": return .date
        default: return name.hasPrefix("timestamp") ? .date : .string
        }
    }
}

extension ColumnValue {
    var double: Double? { if case .real(let value) = self { value } else { nil } }
}

extension Substring {
    fileprivate func trimmingSuffix(while isCut: (Character) -> Bool) -> Substring {
        var text = self
        while let last = text.last, isCut(last) { text.removeLast() }
        return text
    }
}
