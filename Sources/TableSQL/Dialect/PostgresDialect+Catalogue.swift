import TableKit

extension PostgresDialect {
    /// Reads columns, keys and indexes of the schema that unqualified names mean, from `pg_catalog`.
    package func readCatalogue(_ connection: any SQLConnection) throws -> [SQLTable] {
        let results = try connection.executeAll([
            SQLStatement(Self.columnsQuery, results: [.string, .string, .string, .bool, .string, .string, .double]),
            SQLStatement(Self.indexesQuery, results: [.string, .string, .bool, .bool, .string, .bool]),
        ])
        var tables: [String: Draft] = [:]
        for row in results[0].rows {
            guard let table = row[0].string, let column = row[1].string, let native = row[2].string else { continue }
            tables[table, default: Draft(name: table)].rows = row[6].double ?? 0
            let note = ColumnNote(comment: row[5].string)
            tables[table]?.add(
                column, native: native, isOptional: row[3] != .bool(true), defaultText: row[4].string, note)
        }
        for row in results[1].rows {
            guard let table = row[0].string, let index = row[1].string, let column = row[4].string else { continue }
            tables[table]?.add(
                index: index, column: column, isUnique: row[2] == .bool(true), isKey: row[3] == .bool(true),
                isReady: row[5] == .bool(true))
        }
        return try tables.values.map { try $0.table(values: defaults(of: $0, connection)) }
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

    /// The values of a table's defaults, which the server computes from their texts.
    private func defaults(of draft: Draft, _ connection: any SQLConnection) throws -> [String: ColumnValue] {
        let wanted = draft.columns.filter { $0.defaultText?.hasPrefix("nextval(") == false }
        if wanted.isEmpty { return [:] }
        let texts = wanted.map { "(\($0.defaultText ?? "NULL"))" }
        let statement = SQLStatement(
            "SELECT " + texts.joined(separator: ", "), results: wanted.map(\.type), isRepeated: false)
        let row = try connection.execute(statement).rows.first ?? []
        return Dictionary(zip(wanted.map(\.name), row)) { first, _ in first }
    }

    /// The type of a native one, where no note says better.
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

    /// A table while its rows of the catalogue are read.
    private struct Draft {
        struct DraftColumn {
            var name: String
            var type: ColumnType
            var isOptional: Bool
            var defaultText: String?
            var note: ColumnNote?
        }

        struct DraftIndex {
            var name: String
            var columns: [String]
            var isUnique: Bool
            var isReady: Bool
        }

        var name: String
        var rows = 0.0
        var columns: [DraftColumn] = []
        var key: [String] = []
        var indexes: [DraftIndex] = []

        mutating func add(
            _ column: String, native: String, isOptional: Bool, defaultText: String?, _ note: ColumnNote?
        ) {
            columns.append(
                DraftColumn(
                    name: column, type: note?.columnType ?? PostgresDialect.type(ofNative: native),
                    isOptional: isOptional, defaultText: defaultText, note: note))
        }

        mutating func add(index: String, column: String, isUnique: Bool, isKey: Bool, isReady: Bool) {
            if isKey { return key.append(column) }
            if indexes.last?.name == index {
                indexes[indexes.count - 1].columns.append(column)
            } else {
                indexes.append(DraftIndex(name: index, columns: [column], isUnique: isUnique, isReady: isReady))
            }
        }

        func table(values: [String: ColumnValue]) throws -> SQLTable {
            let visible = columns.filter { $0.name != SQLTable.rowColumnName }
            let structure = TableStructure(
                name: name,
                columns: visible.map { column in
                    Column(
                        column.name, column.type, isOptional: column.isOptional, defaultValue: values[column.name],
                        foreignKey: column.note?.foreignKey)
                }, primaryKey: key.compactMap { name in visible.firstIndex { $0.name == name } })
            let rowCount = max(0, Int(rows))
            let infos = indexes.map { index in
                IndexInfo(
                    IndexDefinition(table: name, columns: index.columns, isUnique: index.isUnique, name: index.name),
                    state: index.isReady ? .ready : .building(0), estimatedEntries: rowCount)
            }
            return SQLTable(
                info: TableInfo(structure: structure, indexes: infos, estimatedRows: rowCount),
                rowColumn: columns.contains { $0.name == SQLTable.rowColumnName } ? SQLTable.rowColumnName : nil)
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
