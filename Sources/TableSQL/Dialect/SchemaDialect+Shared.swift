package import TableKit

/// What SQL databases write alike.
extension SchemaDialect {
    /// Runs a change and reads the rows that it returns.
    package func change(
        _ change: SQLChange, _ connection: any SQLConnection
    ) throws -> (count: Int, rows: [[ColumnValue]]) {
        var text = try change.text()
        if change.returning.isEmpty { return (try connection.execute(text.statement()).changedRows, []) }
        let results = try appendReturning(change.returning, of: change.table, to: &text)
        let result = try connection.execute(text.statement(results: results))
        return (result.rows.count, result.rows)
    }

    /// Runs an insert and adds what it did to the outcome.
    /// - Returns: the result, whose rows have the number of a numbered key behind the columns that were asked for.
    func run(
        _ insert: SQLInsert, _ text: SQLText, _ connection: any SQLConnection, _ outcome: inout SQLInsertOutcome
    ) throws -> SQLResultSet {
        var text = text
        let returned = insert.returning + (insert.numberColumn.map { [$0] } ?? [])
        let results = try appendReturning(returned, of: insert.table, to: &text)
        let result = try connection.execute(text.statement(results: results))
        outcome.count += returned.isEmpty ? result.changedRows : result.rows.count
        if insert.numberColumn != nil, let last = result.rows.last?.last?.int { outcome.lastInsertID = Int64(last) }
        if !insert.returning.isEmpty { outcome.rows += result.rows.map { Array($0.prefix(insert.returning.count)) } }
        return result
    }

    /// - Returns: the types of the columns.
    func appendReturning(_ columns: [Int], of table: SQLTable, to text: inout SQLText) throws -> [ColumnType] {
        if columns.isEmpty { return [] }
        let found = columns.map { table.structure.columns[$0] }
        text += " RETURNING " + (try found.map { try quote($0.name) }.joined(separator: ", "))
        return found.map(\.type)
    }

    /// Appends what happens where a row of the same key exists.
    /// - Parameters:
    ///   - given: the numbers of the table's columns that the rows have.
    ///   - defaultText: the default of a column that is not given, which takes the place of the old value.
    func appendConflict(
        _ insert: SQLInsert, given: [Int], to text: inout SQLText, defaultText: (Column) throws -> String
    ) throws {
        let structure = insert.table.structure
        guard insert.onConflict != .fail, !structure.primaryKey.isEmpty else { return }
        let key = try structure.primaryKey.map { try quote(structure.columns[$0].name) }
        text += " ON CONFLICT (\(key.joined(separator: ", "))) DO "
        if insert.onConflict == .ignore { return text += "NOTHING" }
        let sets = try structure.columns.indices.filter { !structure.primaryKey.contains($0) }.map { number in
            let column = structure.columns[number]
            let name = try quote(column.name)
            return "\(name) = \(given.contains(number) ? "EXCLUDED.\(name)" : try defaultText(column))"
        }
        text += "UPDATE SET " + (sets.isEmpty ? "\(key[0]) = EXCLUDED.\(key[0])" : sets.joined(separator: ", "))
    }

    /// Statements that make an index, or make one unique; none where it is there.
    /// - Parameter usualName: the name of an index that was given none.
    func create(_ index: IndexDefinition, on table: SQLTable, usualName: String) throws -> [String] {
        for column in index.columns {
            try table.structure.checkKey(table.structure.columns[try table.number(of: column)])
        }
        var statements: [String] = []
        if let existing = table.info.indexes.first(where: { $0.definition.columns == index.columns }) {
            if existing.definition.isUnique || !index.isUnique { return [] }
            statements.append(try drop(existing))
        }
        let columns = try index.columns.map { try quote($0) }.joined(separator: ", ")
        let name = try quote(index.name ?? usualName)
        statements.append(
            "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(name) ON \(try quote(index.table)) (\(columns))")
        return statements
    }

    /// The statement that drops an index.
    func drop(_ index: IndexInfo) throws -> String { "DROP INDEX \(try quote(index.definition.name ?? ""))" }

    /// The foreign keys that lead to nothing, as sentences.
    func danglingReferences(_ tables: [SQLTable], _ connection: any SQLConnection) throws -> [String] {
        var problems: [String] = []
        for table in tables {
            for column in table.structure.columns {
                guard let key = column.foreignKey else { continue }
                guard let parent = tables.first(where: { $0.structure.name == key.table })?.structure,
                    parent.primaryKey.count == 1
                else { continue }
                let name = try quote(column.name)
                let query = SQLStatement(
                    "SELECT count(*) FROM \(try quote(table.structure.name)) AS c WHERE c.\(name) IS NOT NULL AND NOT EXISTS"
                        + " (SELECT 1 FROM \(try quote(key.table)) AS p"
                        + " WHERE p.\(try quote(parent.columns[parent.primaryKey[0]].name)) = c.\(name))",
                    results: [.int64], isRepeated: false)
                let count = try connection.execute(query).rows.first?.first?.int ?? 0
                if count > 0 {
                    problems.append(
                        "\(count) rows of table \(table.structure.name) refer by \(column.name) to no row of \(key.table)."
                    )
                }
            }
        }
        return problems
    }
}

extension IndexDefinition {
    /// The name of an index that was given none.
    var usualName: String { "index_" + ([table] + columns).joined(separator: "_") }

    /// The usual name, with a digest in place of what a server would cut or refuse.
    func usualName(atMost bytes: Int) -> String {
        let name = usualName
        if name.utf8.count <= bytes { return name }
        // FNV-1a: only has to tell the indexes of one database apart.
        let digest = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        var start = ""
        for character in name where start.utf8.count + String(character).utf8.count <= 40 { start.append(character) }
        return "\(start)_\(String(digest, radix: 16))"
    }
}
