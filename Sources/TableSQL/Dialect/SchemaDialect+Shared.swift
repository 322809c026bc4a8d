package import TableKit

/// SQL that databases share.
extension SchemaDialect {
    package func change(
        _ change: SQLChange, _ connection: any SQLConnection
    ) throws -> (count: Int, rows: [[ColumnValue]]) {
        try changeInOneTrip(change, connection)
    }

    /// Runs a change and what closes it in one round trip, and reads the returned rows.
    func changeInOneTrip(
        _ change: SQLChange, _ connection: any SQLConnection
    ) throws -> (count: Int, rows: [[ColumnValue]]) {
        var text = try change.text()
        let types = try appendReturning(change.returning, of: change.table, to: &text)
        let result = try connection.executeAll([text.statement(results: types)] + change.closing)[0]
        return (change.returning.isEmpty ? result.changedRows : result.rows.count, result.rows)
    }

    /// Throws if the table has a column of this name, or has rows and the column needs a value.
    func checkAddition(of column: Column, to table: SQLTable, _ connection: any SQLConnection) throws {
        let name = table.structure.name
        if table.structure.number(of: column.name) != nil { throw CatalogueErrors.exists(name, column: column.name) }
        guard column.needsValue else { return }
        let query = SQLStatement("SELECT EXISTS (SELECT 1 FROM \(try quote(name)))", results: [.int64])
        if try connection.execute(query).rows.first?.first == .integer(1) {
            throw CRUDSQLExeError(
                "A column that cannot be NULL needs a default where the table has rows.", code: .notNull,
                table: name, column: column.name)
        }
    }

    /// Throws if the table has rows, and their reference by a new column, the default, leads to no row.
    /// - Parameter constant: a literal for the default.
    func checkDefault(
        of column: Column, to table: SQLTable, _ tables: [String: SQLTable], _ connection: any SQLConnection,
        constant: (ColumnValue, ColumnType) throws -> String
    ) throws {
        guard let key = column.foreignKey, let value = column.defaultValue, !value.isNull else { return }
        let name = table.structure.name
        var condition = "EXISTS (SELECT 1 FROM \(try quote(name)))"
        if let parent = tables[key.table]?.structure, parent.primaryKey.count == 1 {
            let parentKey = try quote(parent.columns[parent.primaryKey[0]].name)
            let wanted = try constant(try value.converted(to: column.type), column.type)
            condition += " AND NOT EXISTS (SELECT 1 FROM \(try quote(key.table)) WHERE \(parentKey) = \(wanted))"
        }
        let query = SQLStatement(
            "SELECT CASE WHEN \(condition) THEN 1 ELSE 0 END", results: [.int64], isRepeated: false)
        if try connection.execute(query).rows.first?.first == .integer(1) {
            throw CRUDSQLExeError(
                "The table has rows, and the default of the new column refers to a row of \(key.table) that does not"
                    + " exist.", code: .foreignKey, table: name, column: column.name, key: value.readable)
        }
    }

    /// Runs an insert and adds its result to the outcome.
    /// - Parameter last: the key of the last row, if all rows are stored with the keys that they give.
    func run(
        _ insert: SQLInsert, _ text: SQLText, _ connection: any SQLConnection, _ outcome: inout SQLInsertOutcome,
        last: Int64? = nil
    ) throws {
        let part = try insertPart(insert, text, last: last)
        outcome.add(try connection.execute(part.statement), part, insert)
    }

    /// An insert that returns the requested columns, followed by the number of a numbered key unless that is known.
    /// - Parameter last: the key of the last row, if all have their keys and all are stored; otherwise nil.
    func insertPart(_ insert: SQLInsert, _ text: SQLText, last: Int64? = nil) throws -> SQLInsertPart {
        var text = text
        var part = SQLInsertPart(statement: text.statement())
        if insert.returning.isEmpty, let last {
            part.lastNumber = last
            return part
        }
        let returned = insert.returning + (insert.numberColumn.map { [$0] } ?? [])
        let results = try appendReturning(returned, of: insert.table, to: &text)
        part.statement = text.statement(results: results)
        return part
    }

    /// - Returns: the column types.
    func appendReturning(_ columns: [Int], of table: SQLTable, to text: inout SQLText) throws -> [ColumnType] {
        if columns.isEmpty { return [] }
        let terms = try columns.map { number in
            try table.checkReadable(number)
            let column = table.structure.columns[number]
            let name = try quote(column.name)
            return number == table.numberColumn ? returnedNumber(name, column.type) : name
        }
        text += " RETURNING " + terms.joined(separator: ", ")
        return columns.map { table.structure.columns[$0].type }
    }

    /// Appends the ON CONFLICT clause.
    /// - Parameters:
    ///   - given: the numbers of the table's columns that the rows have.
    ///   - defaultText: the default of any other column, which replaces the old value.
    func appendConflict(
        _ insert: SQLInsert, given: [Int], to text: inout SQLText, defaultText: (_ column: Int) throws -> String
    ) throws {
        let structure = insert.table.structure
        guard insert.onConflict != .fail, !structure.primaryKey.isEmpty else { return }
        let key = try structure.primaryKey.map { try quote(structure.columns[$0].name) }
        text += " ON CONFLICT (\(key.joined(separator: ", "))) DO "
        if insert.onConflict == .ignore { return text += "NOTHING" }
        let sets = try insert.replacedColumns.map { number in
            let name = try quote(structure.columns[number].name)
            return "\(name) = \(given.contains(number) ? "EXCLUDED.\(name)" : try defaultText(number))"
        }
        text += "UPDATE SET " + (sets.isEmpty ? "\(key[0]) = EXCLUDED.\(key[0])" : sets.joined(separator: ", "))
    }

    /// Statements that create an index or make one unique; none if it exists.
    /// - Parameters:
    ///   - usualName: the name of an index without one.
    ///   - term: a column of the index, from its number in the table and its quoted name.
    func create(
        _ index: IndexDefinition, on table: SQLTable, usualName: String,
        term: (_ column: Int, _ name: String) -> String = { $1 }
    ) throws -> [String] {
        for column in index.columns {
            try table.structure.checkKey(table.structure.columns[try table.number(of: column)])
        }
        var statements: [String] = []
        if let existing = table.info.indexes.first(where: { $0.definition.columns == index.columns }) {
            if existing.definition.isUnique || !index.isUnique { return [] }
            statements.append(try drop(existing))
        }
        let columns = try index.columns.map { term(try table.number(of: $0), try quote($0)) }.joined(separator: ", ")
        let name = try quote(index.name ?? usualName)
        statements.append(
            "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(name) ON \(try quote(index.table)) (\(columns))")
        return statements
    }

    func drop(_ index: IndexInfo) throws -> String { "DROP INDEX \(try quote(index.definition.name ?? ""))" }

    /// Foreign keys without a parent row, as sentences.
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
    /// The usual name, or its start and a digest if it is too long.
    func usualName(atMost bytes: Int) -> String {
        let name = usualName
        if name.utf8.count <= bytes { return name }
        var start = ""
        for character in name where start.utf8.count + String(character).utf8.count <= 40 { start.append(character) }
        return "\(start)_\(Digest128.hexadecimal(name.utf8).prefix(16))"
    }
}

/// One statement of an insert.
struct SQLInsertPart {
    var statement: SQLStatement
    /// The key of the last row, if it is not returned.
    var lastNumber: Int64?
}

extension SQLInsertOutcome {
    /// Adds the result of one statement.
    mutating func add(_ result: SQLResultSet, _ part: SQLInsertPart, _ insert: SQLInsert) {
        count += part.statement.results.isEmpty ? result.changedRows : result.rows.count
        if let last = part.lastNumber {
            lastInsertID = last
        } else if insert.numberColumn != nil, let last = result.rows.last?.last?.int {
            lastInsertID = Int64(last)
        }
        if !insert.returning.isEmpty { rows += result.rows.map { Array($0.prefix(insert.returning.count)) } }
    }
}

extension Column {
    /// Whether a row must give a value for the column.
    var needsValue: Bool { !isOptional && defaultValue?.isNull ?? true }
}
