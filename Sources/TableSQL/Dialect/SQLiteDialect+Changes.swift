package import TableKit

extension SQLiteDialect {
    /// The most rows in one statement.
    private static let batchRows = 256
    /// The most placeholders in one statement.
    private static let maximumParameters = 32_766

    /// Where the first column of the table is a real, RETURNING makes a real of the key that is the number of the row, which is
    /// another number above 2^53 (seen in 3.40). An expression is left as it is.
    package func returnedNumber(_ name: String, _ type: ColumnType) -> String { "coalesce(\(name), NULL)" }

    package func insert(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome {
        var outcome = SQLInsertOutcome()
        let most = max(1, min(Self.batchRows, Self.maximumParameters / max(1, insert.columns.count)))
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
            // SQLite has no DEFAULT in an update.
            try appendConflict(insert, given: insert.columns, to: &text) { column in
                try literal(column.defaultValue ?? .null, column.type)
            }
        }
        try run(insert, text, connection, &outcome)
    }
}
