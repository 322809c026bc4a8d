package import TableKit

/// Errors of schema changes that create what exists, or lack what they change.
package enum CatalogueErrors {
    package static func exists(_ table: String, column: String? = nil) -> CRUDSQLExeError {
        CRUDSQLExeError(
            column == nil ? "The table exists." : "The column exists.", code: .exists, table: table, column: column)
    }

    static func noTable(_ table: String) -> CRUDSQLExeError {
        CRUDSQLExeError("There is no such table.", code: .noTable, table: table)
    }

    static func noIndex(_ table: String, _ columns: [String]) -> CRUDSQLExeError {
        CRUDSQLExeError(
            "There is no such index.", code: .noIndex, table: table, column: columns.joined(separator: ", "))
    }
}

extension [String: SQLTable] {
    /// The table with this name. Throws `noTable`.
    package func existing(_ name: String) throws -> SQLTable {
        if let table = self[name] { return table }
        throw CatalogueErrors.noTable(name)
    }
}

extension SQLTable {
    /// The number of a column. Throws `noColumn`.
    package func number(of column: String) throws -> Int {
        if let number = structure.number(of: column) { return number }
        throw CRUDSQLExeError("The table has no such column.", code: .noColumn, table: structure.name, column: column)
    }

    /// The number of a column to drop. Throws for a column of the primary key.
    package func numberToDrop(_ column: String) throws -> Int {
        let number = try number(of: column)
        if !structure.primaryKey.contains(number) { return number }
        throw CRUDSQLExeError(
            "A column of the key cannot go.", code: .unsupported, table: structure.name, column: column)
    }

    /// The index on these columns, in this order. Throws `noIndex`.
    package func index(on columns: [String]) throws -> IndexInfo {
        if let index = info.indexes.first(where: { $0.definition.columns == columns }) { return index }
        throw CatalogueErrors.noIndex(structure.name, columns)
    }
}

extension TableStructure {
    /// Throws if a column cannot be part of a key or an index.
    package func checkKey(_ column: Column) throws {
        if column.type != .json { return }
        throw CRUDSQLExeError(
            "A nested value is no key and is in no index.", code: .unsupported, table: name, column: column.name)
    }
}
