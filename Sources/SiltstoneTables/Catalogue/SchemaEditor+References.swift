import Siltstone
import TableKit

/// Checks of foreign keys when the schema changes.
extension SchemaEditor {
    /// Checks the types of the foreign keys of a new table, and of those that refer to it.
    func checkReferences(of structure: TableStructure) throws {
        for column in structure.columns {
            guard let reference = column.foreignKey else { continue }
            let parent = reference.table == structure.name ? structure : catalogue.tables[reference.table]?.structure
            try check(column, of: structure.name, parent)
        }
        // A table that replaces a committed one may come before the new tables that refer to it. No row of the old ones
        // refers to it, because the drop acted as a delete of its rows.
        if engine.catalogues.newest.tables[structure.name] != nil { return }
        try checkReferences(to: structure.name, by: structure)
    }

    /// Checks the types of the foreign keys that were declared before the table with this name existed.
    func checkReferences(to name: String, by parent: TableStructure) throws {
        for (child, column) in catalogue.references(to: name) {
            try check(child.columns[column].column, of: child.name, parent, advice: "Drop \(child.name) first")
        }
    }

    /// Checks the type of the foreign key of a new column.
    func checkReference(by column: Column, of table: String) throws {
        try check(column, of: table, column.foreignKey.flatMap { catalogue.tables[$0.table]?.structure })
    }

    /// - Throws: `TableErrorCode.type` if a column cannot refer to a table's key. Conversions between their types
    ///   round, or have no inverse, so the rows that refer to a key could not be found by it.
    private func check(
        _ column: Column, of table: String, _ parent: TableStructure?, advice: String? = nil
    ) throws {
        guard let parent, parent.primaryKey.count == 1 else { return }
        let key = parent.columns[parent.primaryKey[0]]
        if column.type.canRefer(to: key.type) { return }
        throw CRUDSQLExeError(
            "The column of type \(column.type) cannot refer to \(parent.name), whose key \(key.name) has type"
                + " \(key.type). \(advice.map { $0 + ", or give" } ?? "Give") both the same type.",
            code: .type, table: table, column: column.name)
    }

    /// Checks that the default of a new column, which all rows of the table now have, refers to a row.
    func checkDefault(of column: Column, in table: TableDescription) throws {
        guard let reference = column.foreignKey, let value = column.defaultValue, try !isEmpty(table) else { return }
        // The table itself may be the parent.
        if let parent = catalogue.tables[reference.table], let key = parent.keyType.flatMap({ value.fitting($0) }) {
            let row = KeyEncoder(parent.rowPrefix)
            row.append(key)
            if try transaction.contains(row.bytes) { return }
        }
        throw CRUDSQLExeError(
            "The table has rows, and the default of the new column refers to a row of \(reference.table) that does not"
                + " exist.", code: .foreignKey, table: table.name, column: column.name, key: value.readable)
    }
}
