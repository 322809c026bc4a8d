/// CREATE, DROP, ALTER.
extension SQLParser {
    mutating func create() throws(CRUDSQLGenError) -> SQLStatement {
        if takes("TABLE") { return .createTable(try createTable()) }
        if takes("INDEX") { return .createIndex(try createIndex(isUnique: false)) }
        if takes("UNIQUE") {
            supported = SQLGrammar.createIndex
            try expect("INDEX")
            return .createIndex(try createIndex(isUnique: true))
        }
        supported = "\(SQLGrammar.createTable) \(SQLGrammar.createIndex)"
        throw unexpected("This cannot be created.")
    }

    mutating func drop() throws(CRUDSQLGenError) -> SQLStatement {
        supported = SQLGrammar.drop
        let isTable = takes("TABLE")
        if !isTable { try expect("INDEX") }
        let ifExists = takes("IF", "EXISTS")
        return isTable
            ? .dropTable(try name("a table"), ifExists: ifExists)
            : .dropIndex(try name("an index"), ifExists: ifExists)
    }

    mutating func alter() throws(CRUDSQLGenError) -> SQLStatement {
        supported = SQLGrammar.alter
        try expect("TABLE")
        let table = try name("a table")
        if takes("ADD") {
            _ = takes("COLUMN")
            return .alter(table, .addColumn(try columnDefinition()))
        }
        if takes("DROP") {
            _ = takes("COLUMN")
            return .alter(table, .dropColumn(try name("a column")))
        }
        try expect("RENAME")
        if takes("TO") { return .alter(table, .renameTo(try name("a table"))) }
        _ = takes("COLUMN")
        let column = try name("a column")
        try expect("TO")
        return .alter(table, .renameColumn(column, to: try name("a column")))
    }

    private mutating func createIndex(isUnique: Bool) throws(CRUDSQLGenError) -> SQLIndexDefinition {
        supported = SQLGrammar.createIndex
        let ifNotExists = takes("IF", "NOT", "EXISTS")
        let index = isNext("ON") ? nil : try name("an index")
        try expect("ON")
        let table = try name("a table")
        return SQLIndexDefinition(
            name: index, isUnique: isUnique, ifNotExists: ifNotExists, table: table, columns: try names("a column"))
    }

    private mutating func createTable() throws(CRUDSQLGenError) -> SQLTableDefinition {
        supported = SQLGrammar.createTable
        let ifNotExists = takes("IF", "NOT", "EXISTS")
        var table = SQLTableDefinition(name: try name("a table"), ifNotExists: ifNotExists)
        try expect(sign: "(")
        repeat {
            if try !tableConstraint(&table) { table.columns.append(try columnDefinition()) }
        } while takes(sign: ",")
        try expect(sign: ")")
        return table
    }

    /// Parses a table constraint. Returns false if none comes next.
    private mutating func tableConstraint(_ table: inout SQLTableDefinition) throws(CRUDSQLGenError) -> Bool {
        if takes("CONSTRAINT") { _ = try name("a constraint") }
        if takes("PRIMARY", "KEY") {
            if !table.primaryKey.isEmpty { throw unexpected("A table has one primary key.") }
            table.primaryKey = try names("a column")
        } else if takes("UNIQUE") {
            table.uniques.append(try names("a column"))
        } else if takes("FOREIGN", "KEY") {
            let columns = try names("a column")
            guard columns.count == 1 else { throw unexpected("A foreign key has one column.") }
            try expect("REFERENCES")
            table.foreignKeys.append((columns[0], try reference()))
        } else {
            return false
        }
        return true
    }

    private mutating func columnDefinition() throws(CRUDSQLGenError) -> SQLColumnDefinition {
        let column = try name("a column")
        var definition = SQLColumnDefinition(name: column, type: ColumnType(sql: try typeName()))
        while try columnConstraint(&definition) {}
        return definition
    }

    /// Parses the words of a type name, and skips the numbers in parentheses.
    private mutating func typeName() throws(CRUDSQLGenError) -> String {
        var words: [String] = []
        while case .word(let word) = token.kind, !SQLGrammar.reserved.contains(word.uppercased()),
            !isNext("COLLATE"), !isNext("GENERATED"), !isNext("AUTOINCREMENT")
        {
            words.append(word)
            advance()
        }
        if !words.isEmpty, takes(sign: "(") {
            repeat {
                _ = takes(sign: "-")
                guard case .value(.integer) = token.kind else { throw unexpected("A number is missing.") }
                advance()
            } while takes(sign: ",")
            try expect(sign: ")")
        }
        return words.joined(separator: " ")
    }

    private mutating func columnConstraint(_ column: inout SQLColumnDefinition) throws(CRUDSQLGenError) -> Bool {
        if takes("CONSTRAINT") { _ = try name("a constraint") }
        if takes("PRIMARY", "KEY") {
            column.isPrimaryKey = true
            if !takes("ASC") { _ = takes("DESC") }
            _ = takes("AUTOINCREMENT")
        } else if takes("NOT", "NULL") {
            column.isNotNull = true
        } else if takes("NULL") {
            column.isNotNull = false
        } else if takes("UNIQUE") {
            column.isUnique = true
        } else if takes("DEFAULT") {
            column.defaultValue = try defaultValue()
        } else if takes("REFERENCES") {
            column.reference = try reference()
        } else {
            return false
        }
        return true
    }

    private mutating func defaultValue() throws(CRUDSQLGenError) -> ColumnValue {
        let isParenthesized = takes(sign: "(")
        let start = token
        guard case .value(let value) = try operand() else {
            throw .syntax("A default is a value.", at: start, supported: SQLGrammar.value)
        }
        if isParenthesized { try expect(sign: ")") }
        return value
    }

    private mutating func reference() throws(CRUDSQLGenError) -> SQLReference {
        var reference = SQLReference(table: try name("a table"))
        if token.kind == .sign("(") {
            let columns = try names("a column")
            guard columns.count == 1 else { throw unexpected("A foreign key refers to one column.") }
            reference.column = columns[0]
        }
        while takes("ON") {
            if takes("DELETE") {
                reference.onDelete = try action()
            } else {
                try expect("UPDATE")
                reference.onUpdate = try action()
            }
        }
        return reference
    }

    private mutating func action() throws(CRUDSQLGenError) -> ForeignKeyAction {
        if takes("NO", "ACTION") { return .ignore }
        if takes("RESTRICT") { return .restrict }
        if takes("SET", "NULL") { return .setNull }
        if takes("SET", "DEFAULT") { return .setDefault }
        if takes("CASCADE") { return .cascade }
        throw .syntax(
            "This is no action.", at: token, supported: "NO ACTION, RESTRICT, SET NULL, SET DEFAULT, CASCADE.")
    }
}
