import TableKit

extension PostgresDialect {
    /// Reads columns, keys and indexes of the current schema from `pg_catalog`. A table with partitions is one table.
    package func readCatalogue(_ connection: any SQLConnection) throws -> [SQLTable] {
        let results = try connection.executeAll([
            SQLStatement(
                columnsQuery,
                results: [.string, .string, .string, .bool, .string, .string, .double, .string, .string, .bool]),
            SQLStatement(indexesQuery, results: [.string, .string, .bool, .bool, .string, .bool]),
        ])
        var drafts: [String: TableDraft] = [:]
        for row in results[0].rows {
            guard let table = row[0].string, let column = Self.column(row) else { continue }
            drafts[table, default: TableDraft(name: table)].columns.append(column)
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
            var draft = draft
            draft.dropNumbering()
            return try draft.table(connection) { "(\($1))" }
        }
    }

    /// A row of ``columnsQuery`` as a column; nil without a name.
    private static func column(_ row: [ColumnValue]) -> TableDraft.DraftColumn? {
        guard let name = row[1].string, let native = row[2].string else { return nil }
        let note = ColumnNote(comment: row[5].string)
        let known = note?.columnType ?? type(ofNative: native)
        let isText = row[8].string.map(textSenders.contains)
        let server = ServerColumn(
            typeName: native, isExact: note?.columnType != nil || isExact(native: native),
            isReadable: known != nil || isText ?? true, isGenerated: row[7].string.map { !$0.isEmpty } ?? false)
        var column = TableDraft.DraftColumn(
            name: name, type: known ?? .string, isOptional: row[3] != .bool(true), defaultText: row[4].string,
            foreignKey: note?.foreignKey, dateForm: DateForm(native: native), server: server)
        column.isKnown = known != nil || isText ?? false
        column.isUnenforced = note?.foreignKey != nil && row[9] != .bool(true)
        return column
    }

    /// Functions that send values in a form that can be read as text: those of text, enumerations and `citext`, and of
    /// domains over these types, JSON and numeric.
    private static let textSenders: Set<String> = [
        "textsend", "varcharsend", "bpcharsend", "namesend", "enum_send", "json_send", "jsonb_send", "numeric_send",
    ]

    /// The last columns are the function that sends values of the type, and whether the column has a foreign key
    /// constraint. Strict servers have types of their own, and are not asked. CockroachDB has NULL for `relispartition`.
    private var columnsQuery: String {
        """
        SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
            pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum), c.reltuples::double precision,
            a.attgenerated::text, \(readsTypes ? "s.prosrc" : "NULL::text"), \(readsTypes ? Self.isConstrained : "FALSE")
        FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum\(readsTypes ? Self.types : "")
        WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relispartition IS NOT TRUE
        ORDER BY c.relname, a.attnum
        """
    }

    /// A constraint goes on when another program renames the table that it refers to. The note does not tell that name.
    private static let isConstrained =
        "EXISTS (SELECT 1 FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f'"
        + " AND k.conkey = ARRAY[a.attnum])"

    private static let types = """

        LEFT JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
        LEFT JOIN pg_catalog.pg_proc s ON s.oid = y.typsend
        """

    /// Indexes of whole columns that have an order: not partial ones, those of expressions, and those of other methods.
    private var indexesQuery: String {
        """
        SELECT t.relname, i.relname, x.indisunique, x.indisprimary, a.attname, x.indisvalid
        FROM pg_catalog.pg_index x
        JOIN pg_catalog.pg_class t ON t.oid = x.indrelid
        JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace\(readsTypes ? Self.methods : "")
        CROSS JOIN LATERAL unnest(x.indkey::smallint[]) WITH ORDINALITY AS k(attnum, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
        WHERE n.nspname = current_schema() AND x.indpred IS NULL AND x.indexprs IS NULL
            AND k.place <= x.indnkeyatts
        ORDER BY t.relname, i.relname, k.place
        """
    }

    private static let methods = """

        JOIN pg_catalog.pg_am m ON m.oid = i.relam AND m.amname NOT IN ('hash', 'gin', 'gist', 'spgist', 'brin')
        """

    /// Whether programs read every value of a native type exactly. Reals keep 15 decimal digits.
    static func isExact(native: String) -> Bool {
        guard native.hasPrefix("numeric") else { return true }
        return type(ofNative: native) != .double || native.decimalDigits.map { $0 <= 15 } ?? false
    }

    /// The type of whole numbers with so many digits: 18 fit into `Int64`, and columns of `UInt64` have 20.
    private static func wholeType(digits: Int) -> ColumnType {
        switch digits {
        case ...18: .int64
        case 19, 20: .uint64
        default: .double
        }
    }

    /// The type for a native type without a note; nil if the name tells nothing, as that of an enumeration or a domain.
    static func type(ofNative native: String) -> ColumnType? {
        if native.hasSuffix("[]") { return nil }
        let name = native.prefix { $0 != "(" }.trimmingSuffix(while: { $0 == " " })
        switch name {
        case "boolean": return .bool
        case "smallint": return .int16
        case "integer": return .int32
        case "bigint", "oid": return .int64
        case "numeric": return native.hasSuffix(",0)") ? wholeType(digits: native.decimalDigits ?? .max) : .double
        case "real": return .float
        case "double precision": return .double
        case "uuid": return .uuid
        case "bytea": return .bytes
        case "json", "jsonb": return .json
        case "date": return .date
        case "text", "character", "character varying", "name": return .string
        default: return name == "timestamp" || name.hasPrefix("timestamp ") ? .date : nil
        }
    }
}

extension ColumnValue {
    var double: Double? { if case .real(let value) = self { value } else { nil } }
}

extension TableDraft {
    /// Drops the default of a numbered key: it is the sequence's, and not the column's own.
    fileprivate mutating func dropNumbering() {
        for number in columns.indices where key == [columns[number].name] {
            if columns[number].defaultText?.hasPrefix("nextval(") ?? false { columns[number].defaultText = nil }
        }
    }
}

extension String {
    /// The digits that a decimal type such as `numeric(20,4)` keeps; nil if its name tells none.
    var decimalDigits: Int? {
        guard let start = firstIndex(of: "(") else { return nil }
        return Int(self[index(after: start)...].prefix { $0.isNumber })
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isCut: (Character) -> Bool) -> Substring {
        var text = self
        while let last = text.last, isCut(last) { text.removeLast() }
        return text
    }
}
