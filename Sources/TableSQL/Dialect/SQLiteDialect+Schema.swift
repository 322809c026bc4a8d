package import TableKit

extension SQLiteDialect: SchemaDialect {
    package var failureEndsTransaction: Bool { false }
    package var locksCatalogue: Bool { true }

    /// Serial transactions take the write lock at once. Others take it with their first change, which conflicts if
    /// another transaction has committed since their first read.
    package func begin(_ mode: TransactionMode?) -> [String] { [mode == .serial ? "BEGIN IMMEDIATE" : "BEGIN"] }

    package func alter(
        _ change: SchemaChange, _ tables: [String: SQLTable], _ connection: any SQLConnection
    ) throws {
        func run(_ texts: [String]) throws {
            for text in texts { _ = try connection.execute(SQLStatement(text, isRepeated: false)) }
        }
        switch change {
        case .createTable(let structure):
            if tables[structure.name] != nil { throw CatalogueErrors.exists(structure.name) }
            try run([try create(structure)])
        case .dropTable(let name):
            _ = try tables.existing(name)
            // Foreign key actions run as if all rows had been deleted.
            try run(["DELETE FROM \(try quote(name))", "DROP TABLE \(try quote(name))"])
        case .renameTable(let name, let other):
            _ = try tables.existing(name)
            if tables[other] != nil { throw CatalogueErrors.exists(other) }
            try run(["ALTER TABLE \(try quote(name)) RENAME TO \(try quote(other))"])
        case .addColumn(let name, let column):
            let table = try tables.existing(name)
            try checkAddition(of: column, to: table, connection)
            try checkDefault(of: column, to: table, tables, connection, constant: literal)
            try add(column, to: table, connection, run)
        case .dropColumn(let name, let column):
            try drop(column, of: try tables.existing(name), connection, run)
        case .renameColumn(let name, let column, let other):
            let table = try tables.existing(name)
            _ = try table.number(of: column)
            if table.structure.number(of: other) != nil { throw CatalogueErrors.exists(name, column: other) }
            try run(["ALTER TABLE \(try quote(name)) RENAME COLUMN \(try quote(column)) TO \(try quote(other))"])
        case .createIndex(let index):
            try run(try create(index, on: try tables.existing(index.table), usualName: index.usualName))
        case .dropIndex(let name, let columns):
            try run([try drop(try tables.existing(name).index(on: columns))])
        }
    }

    private func create(_ structure: TableStructure) throws -> String {
        for key in structure.primaryKey { try structure.checkKey(structure.columns[key]) }
        let key = structure.primaryKey
        let isNumbered = key.count == 1 && structure.columns[key[0]].type.isInteger
        var parts = try structure.columns.enumerated().map { number, column in
            // Only a column declared as INTEGER draws numbers; the comment keeps the exact type.
            if isNumbered && number == key[0] {
                let note = column.type == .int64 ? "" : " /* \(column.type.sqlName) */"
                return "\(try quote(column.name)) INTEGER\(note) PRIMARY KEY AUTOINCREMENT"
            }
            return try definition(column, isKey: key.contains(number))
        }
        if !isNumbered && !key.isEmpty {
            let names = try key.map { try quote(structure.columns[$0].name) }
            parts.append("PRIMARY KEY (\(names.joined(separator: ", ")))")
        }
        return "CREATE TABLE \(try quote(structure.name)) (\(parts.joined(separator: ", ")))"
    }

    private func definition(_ column: Column, isKey: Bool, isReferring: Bool = true) throws -> String {
        let type = column.type == .json ? ColumnType.textualJSON : column.type.sqlName
        var text = "\(try quote(column.name)) \(type)"
        if !column.isOptional || isKey { text += " NOT NULL" }
        if let value = column.defaultValue, !value.isNull {
            text += " DEFAULT \(try literal(try value.converted(to: column.type), column.type))"
        }
        if let key = column.foreignKey, isReferring {
            text += " REFERENCES \(try quote(key.table)) ON DELETE \(key.onDelete.sql) ON UPDATE \(key.onUpdate.sql)"
        }
        return text
    }

    private func add(
        _ column: Column, to table: SQLTable, _ connection: any SQLConnection, _ run: ([String]) throws -> Void
    ) throws {
        let name = table.structure.name
        if column.needsValue {
            // SQLite adds such a column only with a default, even to an empty table; the default is removed again.
            var given = column
            given.defaultValue = column.type.sample
            try run(["ALTER TABLE \(try quote(name)) ADD COLUMN \(try definition(given, isKey: false))"])
            return try replaceDefinition(
                of: name, try definition(given, isKey: false), by: try definition(column, isKey: false), connection)
        }
        var text = try definition(column, isKey: false)
        if column.foreignKey != nil, column.defaultValue != nil {
            text = try definition(column, isKey: false, isReferring: false)
        }
        try run(["ALTER TABLE \(try quote(name)) ADD COLUMN \(text)"])
        let wanted = try definition(column, isKey: false)
        // SQLite adds no reference together with a default; it is written into the schema afterwards.
        if text != wanted { try replaceDefinition(of: name, text, by: wanted, connection) }
    }

    private func drop(
        _ name: String, of table: SQLTable, _ connection: any SQLConnection, _ run: ([String]) throws -> Void
    ) throws {
        let number = try table.numberToDrop(name)
        for index in table.info.indexes where index.definition.columns.contains(name) {
            try run([try drop(index)])
        }
        let column = table.structure.columns[number]
        if column.foreignKey != nil {
            // SQLite drops no column with a reference; the reference goes first.
            try replaceDefinition(
                of: table.structure.name, try definition(column, isKey: false),
                by: try definition(column, isKey: false, isReferring: false), connection)
        }
        try run(["ALTER TABLE \(try quote(table.structure.name)) DROP COLUMN \(try quote(name))"])
    }

    /// Edits a column definition in `sqlite_schema`, which changes no rows: the way that SQLite's documentation of
    /// ALTER TABLE describes.
    private func replaceDefinition(
        of table: String, _ old: String, by new: String, _ connection: any SQLConnection
    ) throws {
        let query = SQLStatement(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1", [.value(.text(table), .string)],
            results: [.string])
        guard let text = try connection.execute(query).rows.first?.first?.string, let range = text.range(ofText: old)
        else {
            throw CRUDSQLExeError(
                "The column was not made by Siltstone; change it with SQLite's own tools.", code: .unsupported,
                table: table)
        }
        let changed = text.replacingCharacters(in: range, with: new)
        _ = try connection.execute(SQLStatement("PRAGMA writable_schema = ON", isRepeated: false))
        _ = try connection.execute(
            SQLStatement(
                "UPDATE sqlite_schema SET sql = ?1 WHERE type = 'table' AND name = ?2",
                [.value(.text(changed), .string), .value(.text(table), .string)]))
        _ = try connection.execute(SQLStatement("PRAGMA writable_schema = RESET", isRepeated: false))
    }

    package func verify(_ tables: [SQLTable], _ connection: any SQLConnection) throws -> [String] {
        let damage = try connection.execute(
            SQLStatement("PRAGMA integrity_check", results: [.string], isRepeated: false)
        ).rows.compactMap { $0.first?.string }.filter { $0 != "ok" }
        let orphans = try connection.execute(
            SQLStatement("PRAGMA foreign_key_check", results: [.string, .int64, .string], isRepeated: false)
        ).rows.map { row in
            "A row of table \(row[0].string ?? "?") refers to no row of \(row[2].string ?? "?")."
        }
        return damage + orphans
    }
}

extension String {
    /// The range of a text, compared byte by byte.
    fileprivate func range(ofText text: String) -> Range<String.Index>? {
        let (bytes, wanted) = (Array(utf8), Array(text.utf8))
        guard let place = (0...max(0, bytes.count - wanted.count)).first(where: { bytes[$0...].starts(with: wanted) })
        else { return nil }
        let start = utf8.index(utf8.startIndex, offsetBy: place)
        return start..<utf8.index(start, offsetBy: wanted.count)
    }

    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}
