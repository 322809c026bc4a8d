import TableKit

/// Column definitions. Text and bytes in a key need a maximum length, which depends on the key's other columns.
struct MySQLColumns {
    let dialect: MySQLDialect

    /// The most bytes of a key or of a B-tree index.
    static let keyBytes = 3072

    /// The SQL type of a column.
    /// - Parameter share: the column's bytes within a key; nil for a column in no key.
    func type(_ type: ColumnType, share: Int?) -> String {
        switch type {
        case .bool: "TINYINT(1)"
        case .int8: "TINYINT"
        case .int16: "SMALLINT"
        case .int32: "INT"
        case .int64: "BIGINT"
        case .uint8: "TINYINT UNSIGNED"
        case .uint16: "SMALLINT UNSIGNED"
        case .uint32: "INT UNSIGNED"
        case .uint64: "BIGINT UNSIGNED"
        case .float: "FLOAT"
        case .double, .date: "DOUBLE"
        case .uuid: "BINARY(16)"
        case .string, .json: (share.map { "VARCHAR(\($0 / 4))" } ?? "LONGTEXT") + Self.characters
        case .bytes: share.map { "VARBINARY(\($0))" } ?? "LONGBLOB"
        }
    }

    private static let characters = " CHARACTER SET utf8mb4 COLLATE \(MySQLDialect.collation)"

    /// The most bytes of each text or byte column in a key of these columns.
    func share(_ columns: [ColumnType]) -> Int {
        let fixed = columns.reduce(0) { $0 + ($1.fixedWidth ?? 0) }
        let texts = columns.count { $0.fixedWidth == nil }
        return (Self.keyBytes - fixed) / max(texts, 1)
    }

    /// A column definition for CREATE and ALTER TABLE.
    /// - Parameters:
    ///   - share: the column's bytes within the primary key; nil for a column outside of it.
    ///   - isNumbered: whether NULL draws the next number (AUTO_INCREMENT).
    func definition(_ column: Column, share: Int?, isNumbered: Bool = false) throws -> String {
        // A foreign key column is in an index.
        let share = share ?? (column.foreignKey == nil ? nil : Self.keyBytes)
        var text = "\(try dialect.quote(column.name)) \(type(column.type, share: share))"
        text += column.isOptional && !isNumbered ? " NULL" : " NOT NULL"
        if isNumbered { text += " AUTO_INCREMENT" }
        if let value = column.defaultValue, !value.isNull, !isNumbered {
            text += " DEFAULT (\(try constant(try value.converted(to: column.type), column.type)))"
        }
        return text + " COMMENT \(dialect.quoted(try ColumnNote(column).comment()))"
    }

    /// A default value. For text and bytes only these forms survive the catalogue: it would return literal bytes as
    /// text.
    private func constant(_ value: ColumnValue, _ type: ColumnType) throws -> String {
        switch value {
        case .text(let text), .json(let text): "CONVERT(x'\(text.utf8.hexadecimal)' USING utf8mb4)"
        case .bytes, .uuid: "UNHEX(\(try dialect.literal(value, type).dropFirst()))"
        default: try dialect.literal(value, type)
        }
    }

    /// The column definitions and the primary key of a new table.
    func parts(_ structure: TableStructure) throws -> [String] {
        let key = structure.primaryKey
        let isNumbered = key.count == 1 && structure.columns[key[0]].type.isInteger
        let share = share(key.map { structure.columns[$0].type })
        var parts = try structure.columns.enumerated().map { number, column in
            guard key.contains(number) else { return try definition(column, share: nil) }
            var column = column
            column.isOptional = false
            return try definition(column, share: share, isNumbered: isNumbered)
        }
        if key.isEmpty {
            parts.append("`\(SQLTable.rowColumnName)` BIGINT UNSIGNED NOT NULL AUTO_INCREMENT INVISIBLE PRIMARY KEY")
        } else {
            let names = try key.map { try dialect.quote(structure.columns[$0].name) }
            parts.append("PRIMARY KEY (\(names.joined(separator: ", ")))")
        }
        return parts
    }
}
