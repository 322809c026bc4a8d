import TableKit

extension SQLiteDialect {
    package func readCatalogue(_ connection: any SQLConnection) throws -> [SQLTable] {
        // Text of other programs may be no UTF-8, in a name or a comment. It must not take all tables with it.
        let names = try connection.execute(
            SQLStatement(
                "SELECT CAST(name AS BLOB), CAST(sql AS BLOB) FROM sqlite_schema WHERE type = 'table'"
                    + " AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
                results: [.bytes, .bytes]))
        return try names.rows.compactMap { row in
            guard let name = row[0].validText else { return nil }
            return try table(name, text: row[1].repairedText ?? "", connection)
        }
    }

    private func table(_ name: String, text: String, _ connection: any SQLConnection) throws -> SQLTable {
        func rows(_ text: String, _ results: [ColumnType]) throws -> [[ColumnValue]] {
            try connection.execute(SQLStatement(text, [.value(.text(name), .string)], results: results)).rows
        }
        let infos = try rows(
            "SELECT CAST(name AS BLOB), CAST(type AS BLOB), \"notnull\", CAST(dflt_value AS BLOB), pk, hidden"
                + " FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid",
            [.bytes, .bytes, .int64, .bytes, .int64, .int64]
        ).map { row in
            let texts = [row[0], row[1], row[3]].map { $0.repairedText.map(ColumnValue.text) ?? .null }
            return [texts[0], texts[1], row[2], texts[2], row[4], row[5]]
        }
        let references = try rows(
            "SELECT \"from\", \"table\", on_delete, on_update FROM pragma_foreign_key_list(?1)",
            [.string, .string, .string, .string])
        let columns = try infos.map { row in
            try column(row, text, references.first { $0[0] == row[0] }, connection)
        }
        let key = infos.indices.filter { infos[$0][4].int ?? 0 > 0 }.sorted {
            infos[$0][4].int ?? 0 < infos[$1][4].int ?? 0
        }
        let structure = TableStructure(name: name, columns: columns, primaryKey: key)
        var table = SQLTable(
            info: TableInfo(structure: structure, indexes: try indexes(of: name, connection), estimatedRows: 0),
            rowColumn: key.isEmpty ? "rowid" : nil)
        for (row, column) in zip(infos, columns) {
            let server = Self.serverColumn(row, column)
            if !server.isPlain { table.info.serverColumns[column.name] = server }
        }
        let declared = infos.map { $0[1].string ?? "" }
        table.makesNumbers = declared.map { !Self.keepsText($0) }
        table.foreignForms = try foreignForms(of: structure, declared, connection)
        return table
    }

    /// The names of the date and UUID columns whose values this library does not store so, by a sample of the rows.
    ///
    /// A column without values is judged by its declared type: its rows may come from the program that declared it.
    private func foreignForms(
        of structure: TableStructure, _ declared: [String], _ connection: any SQLConnection
    ) throws -> Set<String> {
        let columns = structure.columns.indices.filter { [.date, .uuid].contains(structure.columns[$0].type) }
        if columns.isEmpty { return [] }
        let table = try quote(structure.name)
        let terms = try columns.map { number in
            let column = structure.columns[number]
            let isForeign =
                column.type == .date
                ? "typeof(v) = 'text' AND v <> 'NaN'"
                : "typeof(v) <> 'text' OR length(v) <> 36 OR v <> upper(v)"
            // Not by an index, which begins with the NULLs; and bounded, where nearly all values are NULL.
            let rows = "(SELECT \(try quote(column.name)) AS v FROM \(table) NOT INDEXED LIMIT 10000)"
            return "(SELECT max(\(isForeign)) FROM (SELECT v FROM \(rows) WHERE v IS NOT NULL LIMIT 100))"
        }
        let statement = SQLStatement(
            "SELECT " + terms.joined(separator: ", "), results: terms.map { _ in .int64 }, isRepeated: false)
        var sample = columns.map { _ in ColumnValue.null }
        do { sample = try connection.execute(statement).rows.first ?? sample } catch let error as SQLConnectionError
            where error.kind == .statement
        {
            // A damaged table must not take the sound ones with it.
            CRUDLogging.log(.warning, "The forms of dates and UUIDs in \(structure.name) are not known: \(error)")
        }
        let foreign = zip(columns, sample).filter { number, isForeign in
            isForeign.isNull
                ? declared[number].uppercased() != structure.columns[number].type.sqlName : isForeign == .integer(1)
        }
        return Set(foreign.map { structure.columns[$0.0].name })
    }

    /// Whether a column of a declared type stores every text as it is (section 3.1 of SQLite's page on data types).
    private static func keepsText(_ declared: String) -> Bool {
        let name = declared.uppercased()
        func has(_ parts: String...) -> Bool { parts.contains { name.contains($0) } }
        return !has("INT") && (name.isEmpty || has("CHAR", "CLOB", "TEXT", "BLOB"))
    }

    private func column(
        _ row: [ColumnValue], _ text: String, _ reference: [ColumnValue]?, _ connection: any SQLConnection
    ) throws -> Column {
        let name = row[0].string ?? ""
        var type = ColumnType(sql: row[1].string ?? "")
        if row[4].int ?? 0 > 0, type == .int64, let note = try note(of: name, in: text) { type = note }
        var column = Column(name, type, isOptional: row[2] != .integer(1) && row[4] == .integer(0))
        if let words = row[3].string.flatMap(Self.constant) {
            let statement = SQLStatement("SELECT (\(words))", results: [type], isRepeated: false)
            // A constant that is no value of the column's type, as '' of a number, stays SQLite's.
            do { column.defaultValue = try connection.execute(statement).rows.first?.first } catch let error
                as SQLConnectionError where error.code == .type && error.serverCode == nil
            {}
        }
        if let reference {
            column.foreignKey = ForeignKeyReference(
                table: reference[1].string ?? "", onDelete: ForeignKeyAction(sql: reference[2].string),
                onUpdate: ForeignKeyAction(sql: reference[3].string))
        }
        return column
    }

    /// What the catalogue tells about a column beyond its type and its constant default.
    private static func serverColumn(_ row: [ColumnValue], _ column: Column) -> ServerColumn {
        let declared = row[1].string ?? ""
        var server = ServerColumn(typeName: declared)
        // SQLite keeps integers of 64 bits in such a column, whatever number of digits it is declared with.
        server.isExact = column.type != .double || keepsReals(declared)
        // 2 and 3: generated columns, virtual and stored.
        server.isGenerated = row[5].int ?? 0 > 1
        if column.defaultValue == nil { server.computedDefault = row[3].string }
        return server
    }

    /// A constant default as an expression; nil for other defaults. A single word and a name in double quotes are
    /// texts.
    private static func constant(_ words: String) -> String? {
        if ConstantDefault.isConstant(words, allowsSums: true) { return words }
        let isWord = words.unicodeScalars.allSatisfy {
            $0 == "_" || $0.value >= 0x80 || $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        if isWord { return words.uppercased().hasPrefix("CURRENT_") ? nil : "'\(words)'" }
        guard words.utf8.count > 1, words.hasPrefix("\""), words.hasSuffix("\"") else { return nil }
        let text = words.dropFirst().dropLast()
        return text.contains("\"") || text.contains("'") ? nil : "'\(text)'"
    }

    /// Whether a declared type makes a real of every number, and integers of none. Those above 2^53 lose digits as
    /// reals.
    private static func keepsReals(_ declared: String) -> Bool {
        let name = declared.uppercased()
        return ["REAL", "FLOA", "DOUB"].contains { name.contains($0) }
    }

    /// The exact type of a numbered key, from the comment behind its declared type.
    private func note(of name: String, in text: String) throws -> ColumnType? {
        let start = "\(try quote(name)) INTEGER /* "
        return ColumnType.allCases.first { text.contains(bytesOf: "\(start)\($0.sqlName) */") }
    }

    private func indexes(of table: String, _ connection: any SQLConnection) throws -> [IndexInfo] {
        let found = try connection.execute(
            SQLStatement(
                "SELECT l.name, l.\"unique\", x.name FROM pragma_index_list(?1) AS l, pragma_index_info(l.name) AS x"
                    + " WHERE l.origin <> 'pk' AND l.partial = 0"
                    // Indexes of expressions: the index of a column is one of whole columns.
                    + " AND NOT EXISTS (SELECT 1 FROM pragma_index_info(l.name) AS e WHERE e.cid < 0)"
                    + " ORDER BY l.seq DESC, x.seqno",
                [.value(.text(table), .string)], results: [.string, .int64, .string]))
        var indexes: [IndexInfo] = []
        for row in found.rows {
            guard let name = row[0].string, let column = row[2].string else { continue }
            if indexes.last?.definition.name == name {
                indexes[indexes.count - 1].definition.columns.append(column)
            } else {
                indexes.append(
                    IndexInfo(
                        IndexDefinition(table: table, columns: [column], isUnique: row[1] == .integer(1), name: name)))
            }
        }
        return indexes
    }
}

extension ColumnValue {
    private var utf8: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The text of these bytes; nil for other bytes.
    fileprivate var validText: String? { utf8.flatMap { String(validating: $0, as: UTF8.self) } }

    /// The text of these bytes, with a sign in place of those that are no text.
    fileprivate var repairedText: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }
}

extension String {
    /// Whether the text contains another one, byte by byte.
    fileprivate func contains(bytesOf text: String) -> Bool {
        let (bytes, wanted) = (Array(utf8), Array(text.utf8))
        guard bytes.count >= wanted.count else { return false }
        return (0...bytes.count - wanted.count).contains { bytes[$0...].starts(with: wanted) }
    }
}
