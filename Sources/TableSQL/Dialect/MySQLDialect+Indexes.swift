import TableKit

extension MySQLDialect {
    /// The bytes of a long column that a plain index holds.
    private static let prefixBytes = 1020

    /// Creates an index, or makes a plain one unique. The server makes a unique index of long text a hash index, which
    /// finds no rows; a hidden plain index beside it does.
    func create(_ index: IndexDefinition, on table: SQLTable, _ connection: any SQLConnection) throws {
        for column in index.columns {
            try table.structure.checkKey(table.structure.columns[try table.number(of: column)])
        }
        var parts: [String] = []
        if let existing = table.info.indexes.first(where: { $0.definition.columns == index.columns }) {
            if existing.definition.isUnique || !index.isUnique { return }
            parts += try dropping(existing, of: table, connection)
        }
        let name = index.name ?? index.usualName(atMost: Self.nameCharacters - 1)
        let long = try longColumns(of: index, connection)
        let isLong = index.columns.contains { long[$0] != nil }
        let columns = try index.columns.map { try quote($0) }.joined(separator: ", ")
        if index.isUnique {
            parts.append("ADD UNIQUE INDEX \(try quote(name)) (\(columns))")
            if isLong { parts.append("ADD INDEX `\(Self.companion(of: name))` (\(try prefixes(index, long)))") }
        } else {
            parts.append("ADD INDEX \(try quote(name)) (\(try prefixes(index, long)))")
        }
        _ = try connection.execute(
            SQLStatement(
                "ALTER TABLE \(try quote(table.structure.name)) \(parts.joined(separator: ", "))", isRepeated: false))
    }

    /// The name of the hidden plain index beside a unique one.
    private static func companion(of index: String) -> String { hiddenPrefix + Digest128.hexadecimal(index.utf8) }

    /// The bytes of a long column in a plain index with a number of columns.
    static func prefixBytes(ofIndexWith columns: Int) -> Int {
        min(prefixBytes, (MySQLColumns.keyBytes - 16 * columns) / max(columns, 1))
    }

    /// The columns of an index, long ones by a prefix.
    private func prefixes(_ index: IndexDefinition, _ long: [String: Int]) throws -> String {
        let bytes = Self.prefixBytes(ofIndexWith: index.columns.count)
        return try index.columns.map { column in
            guard let width = long[column] else { return try quote(column) }
            return "\(try quote(column))(\(bytes / width))"
        }.joined(separator: ", ")
    }

    /// The columns that an index holds by a prefix, with their bytes per character: long text, and text whose full
    /// length does not fit beside the other columns.
    /// - Throws: ``TableErrorCode/noTable`` if the catalogue does not show the table.
    private func longColumns(of index: IndexDefinition, _ connection: any SQLConnection) throws -> [String: Int] {
        let statement = SQLStatement(
            "SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_OCTET_LENGTH, TABLE_NAME FROM information_schema.COLUMNS"
                + " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?",
            [.value(.text(index.table), .string)], results: [.string, .string, .uint64, .string])
        let all = try connection.execute(statement).rows.filter { $0[3].string == index.table }
        if all.isEmpty { throw CatalogueErrors.noTable(index.table) }
        let rows = all.filter { index.columns.contains($0[0].string ?? "") && !$0[2].isNull }
        // Other columns take at most 16 bytes.
        let others = 16 * index.columns.count
        let isCrowded =
            rows.reduce(others) { $0 + min($1[2].int ?? .max, 2 * MySQLColumns.keyBytes) } > MySQLColumns.keyBytes
        var long: [String: Int] = [:]
        for row in rows {
            let type = row[1].string ?? ""
            let isText = type.hasSuffix("text") || type.hasSuffix("char")
            let isEndless = type.hasSuffix("text") || type.hasSuffix("blob")
            guard isEndless || isCrowded && index.columns.count > 1 && (row[2].int ?? .max) > Self.prefixBytes else {
                continue
            }
            long[row[0].string ?? ""] = isText ? 4 : 1
        }
        return long
    }

    /// The parts of ALTER TABLE that drop an index. A foreign key column gets an index of its own first.
    /// - Throws: ``TableErrorCode/noIndex`` if the catalogue does not show the index.
    func dropping(_ index: IndexInfo, of table: SQLTable, _ connection: any SQLConnection) throws -> [String] {
        let name = index.definition.name ?? ""
        let companion = Self.companion(of: name)
        let rows = try connection.execute(
            SQLStatement(
                "SELECT DISTINCT TABLE_NAME, INDEX_NAME FROM information_schema.STATISTICS"
                    + " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND INDEX_NAME IN (?, ?)",
                [table.structure.name, name, companion].map { .value(.text($0), .string) },
                results: [.string, .string])
        ).rows
        let found = rows.filter { $0[0].string == table.structure.name }.compactMap { $0[1].string }
        if !found.contains(name) { throw CatalogueErrors.noIndex(table.structure.name, index.definition.columns) }
        var parts = ["DROP INDEX \(try quote(name))"]
        if found.contains(companion) { parts.append("DROP INDEX `\(companion)`") }
        if let first = index.definition.columns.first, let number = table.structure.number(of: first),
            table.structure.columns[number].foreignKey != nil
        {
            let own = Self.companion(of: "\(table.structure.name).\(first)")
            parts.insert("ADD INDEX IF NOT EXISTS `\(own)` (\(try quote(first)))", at: 0)
        }
        return parts
    }
}
