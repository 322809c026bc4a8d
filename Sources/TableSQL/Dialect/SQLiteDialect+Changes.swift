package import TableKit

extension SQLiteDialect {
    /// Rows of one statement.
    private static let batchRows = 256

    package func insert(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome {
        var outcome = SQLInsertOutcome()
        let most = max(1, min(Self.batchRows, maximumParameters / max(1, insert.columns.count)))
        for start in stride(from: 0, to: insert.rows.count, by: most) {
            try run(insert, Array(insert.rows[start..<min(start + most, insert.rows.count)]), connection, &outcome)
        }
        return outcome
    }

    private func run(
        _ insert: SQLInsert, _ rows: [[ColumnValue]], _ connection: any SQLConnection, _ outcome: inout SQLInsertOutcome
    ) throws {
        let structure = insert.table.structure
        if insert.columns.isEmpty && rows.count > 1 {
            for row in rows { try run(insert, [row], connection, &outcome) }
            return
        }
        var text = SQLText(self, "INSERT INTO \(try quote(structure.name)) ")
        if insert.columns.isEmpty {
            text += "DEFAULT VALUES"
        } else {
            let names = try insert.columns.map { try quote(structure.columns[$0].name) }
            text += "(\(names.joined(separator: ", "))) VALUES "
            for (number, row) in rows.enumerated() {
                text += number == 0 ? "(" : ", ("
                for (place, value) in row.enumerated() {
                    if place > 0 { text += ", " }
                    text.bind(value, structure.columns[insert.columns[place]].type)
                }
                text += ")"
            }
            try appendConflict(insert, to: &text)
        }
        let number = insert.numberColumn
        let returned = insert.returning + (number.map { [$0] } ?? [])
        if !returned.isEmpty {
            let names = try returned.map { try quote(structure.columns[$0].name) }
            text += " RETURNING " + names.joined(separator: ", ")
        }
        let result = try connection.execute(text.statement(results: returned.map { structure.columns[$0].type }))
        outcome.count += returned.isEmpty ? result.changedRows : result.rows.count
        if number != nil, let last = result.rows.last?.last?.int { outcome.lastInsertID = Int64(last) }
        if !insert.returning.isEmpty { outcome.rows += result.rows.map { Array($0.prefix(insert.returning.count)) } }
    }

    private func appendConflict(_ insert: SQLInsert, to text: inout SQLText) throws {
        let structure = insert.table.structure
        guard insert.onConflict != .fail, !structure.primaryKey.isEmpty else { return }
        let key = try structure.primaryKey.map { try quote(structure.columns[$0].name) }
        text += " ON CONFLICT (\(key.joined(separator: ", "))) DO "
        if insert.onConflict == .ignore { return text += "NOTHING" }
        let sets = try structure.columns.indices.filter { !structure.primaryKey.contains($0) }.map { number in
            let column = structure.columns[number]
            let name = try quote(column.name)
            if insert.columns.contains(number) { return "\(name) = excluded.\(name)" }
            return "\(name) = \(try literal(column.defaultValue ?? .null, column.type))"
        }
        text += "UPDATE SET " + (sets.isEmpty ? "\(key[0]) = excluded.\(key[0])" : sets.joined(separator: ", "))
    }

    package func change(
        _ text: SQLText, _ table: SQLTable, returning: [Int], _ connection: any SQLConnection
    ) throws -> (count: Int, rows: [[ColumnValue]]) {
        var text = text
        if returning.isEmpty { return (try connection.execute(text.statement()).changedRows, []) }
        let names = try returning.map { try quote(table.structure.columns[$0].name) }
        text += " RETURNING " + names.joined(separator: ", ")
        let result = try connection.execute(
            text.statement(results: returning.map { table.structure.columns[$0].type }))
        return (result.rows.count, result.rows)
    }
}
