import TableKit

/// Renders tables as the SQL statements that create them.
enum SchemaText {
    /// One statement for the table, and one for each of its indexes.
    static func statements(_ info: TableInfo) -> [String] {
        let structure = info.structure
        var lines = structure.columns.enumerated().map { number, column in
            "    " + line(column, isKey: structure.primaryKey == [number])
        }
        if structure.primaryKey.count > 1 {
            let names = structure.primaryKey.map { quoted(structure.columns[$0].name) }
            lines.append("    PRIMARY KEY (\(names.joined(separator: ", ")))")
        }
        let table = "CREATE TABLE \(quoted(structure.name)) (\n\(lines.joined(separator: ",\n"))\n);"
        return [table]
            + info.indexes.map { index in
                let columns = index.definition.columns.map(quoted).joined(separator: ", ")
                let state = index.state == .ready ? "" : " -- is being built"
                return "CREATE \(index.definition.isUnique ? "UNIQUE " : "")INDEX \(quoted(index.definition.sqlName)) "
                    + "ON \(quoted(structure.name)) (\(columns));\(state)"
            }
    }

    private static func line(_ column: Column, isKey: Bool) -> String {
        var text = "\(quoted(column.name)) \(column.type.sqlName)"
        if isKey { text += " PRIMARY KEY" } else if !column.isOptional { text += " NOT NULL" }
        if let value = column.defaultValue { text += " DEFAULT \(value.sqlLiteral)" }
        if let reference = column.foreignKey {
            text += " REFERENCES \(quoted(reference.table))"
            if reference.onDelete != .ignore { text += " ON DELETE \(reference.onDelete.sql)" }
            if reference.onUpdate != .ignore { text += " ON UPDATE \(reference.onUpdate.sql)" }
        }
        return text
    }

    /// A name, quoted unless it is a plain word.
    static func quoted(_ name: String) -> String {
        let isPlain =
            !name.isEmpty && !(name.first?.isNumber ?? true)
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
            } && !words.contains(name.uppercased())
        return isPlain ? name : name.quoted(by: "\"")
    }

    /// SQL keywords that need quotes as names, here or in other databases.
    private static let words = SQLGrammar.reserved.union([
        "SELECT", "FROM", "WHERE", "ORDER", "GROUP", "BY", "LIMIT", "OFFSET", "INSERT", "INTO", "VALUES", "UPDATE",
        "SET",
        "DELETE", "CREATE", "TABLE", "INDEX", "UNIQUE", "DROP", "ALTER", "ADD", "COLUMN", "RENAME", "TO", "PRIMARY",
        "KEY",
        "NOT", "NULL", "DEFAULT", "REFERENCES", "FOREIGN", "ON", "AND", "OR", "IN", "IS", "LIKE", "BETWEEN", "AS",
        "ASC",
        "DESC", "DISTINCT", "TRUE", "FALSE", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "EXPLAIN", "PRAGMA", "IF",
        "EXISTS",
        "WHEN", "THEN", "ELSE", "CROSS", "LEFT", "RIGHT", "FULL", "NATURAL", "USING", "INNER", "OUTER", "RETURNING",
        "CHECK", "CONSTRAINT", "CASE", "END", "HAVING", "JOIN", "UNION", "ALL",
    ])
}
