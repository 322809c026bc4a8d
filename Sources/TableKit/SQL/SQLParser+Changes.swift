/// INSERT, UPDATE, DELETE.
extension SQLParser {
    mutating func insert() throws(CRUDSQLGenError) -> SQLInsert {
        supported = SQLGrammar.insert
        var conflict = InsertStatement.Conflict.fail
        if takes("REPLACE") {
            conflict = .replace
        } else {
            try expect("INSERT")
            if takes("OR") { conflict = try onConflict() }
        }
        try expect("INTO")
        var insert = SQLInsert(table: try name("a table"), onConflict: conflict)
        if takes("DEFAULT", "VALUES") {
            insert.returning = try returning()
            return insert
        }
        if token.kind == .sign("(") { insert.columns = try names("a column") }
        try expect("VALUES")
        var rows: [[SQLOperand]] = []
        repeat { rows.append(try values()) } while takes(sign: ",")
        insert.rows = rows
        insert.returning = try returning()
        return insert
    }

    private mutating func onConflict() throws(CRUDSQLGenError) -> InsertStatement.Conflict {
        if takes("REPLACE") { return .replace }
        if takes("IGNORE") { return .ignore }
        if takes("ABORT") { return .fail }
        throw unexpected("REPLACE or IGNORE is missing.")
    }

    /// Values in parentheses.
    private mutating func values() throws(CRUDSQLGenError) -> [SQLOperand] {
        try expect(sign: "(")
        var values: [SQLOperand] = []
        repeat { values.append(try value()) } while takes(sign: ",")
        try expect(sign: ")")
        return values
    }

    mutating func update() throws(CRUDSQLGenError) -> SQLUpdate {
        supported = SQLGrammar.update
        var update = SQLUpdate(table: try name("a table"), assignments: [])
        try expect("SET")
        repeat {
            let column = try name("a column")
            try expect(sign: "=")
            update.assignments.append((column, try value()))
        } while takes(sign: ",")
        if takes("WHERE") { update.condition = try condition() }
        update.returning = try returning()
        return update
    }

    mutating func delete() throws(CRUDSQLGenError) -> SQLDelete {
        supported = SQLGrammar.delete
        try expect("FROM")
        var delete = SQLDelete(table: try name("a table"))
        if takes("WHERE") { delete.condition = try condition() }
        delete.returning = try returning()
        return delete
    }

    private mutating func returning() throws(CRUDSQLGenError) -> [SQLItem]? {
        takes("RETURNING") ? try items() : nil
    }
}
