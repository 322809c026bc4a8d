import TableKit

/// Foreign keys that the server does not enforce: their table does not exist, or its key is not one column.
extension SQLSession {
    /// Throws ``TableErrorCode/foreignKey`` if a row has a value in a column whose foreign key cannot be enforced.
    func checkReferences(of insert: SQLInsert) throws {
        let columns = insert.table.structure.columns
        let values = insert.table.refusedReferences.filter { number in
            guard let place = insert.columns.firstIndex(of: number) else {
                return columns[number].defaultValue.map { !$0.isNull } ?? false
            }
            return insert.rows.contains { !$0[place].isNull }
        }
        if !values.isEmpty { try checkReferences(of: insert.table, values) }
    }

    /// Throws ``TableErrorCode/foreignKey`` if the foreign key of one of these columns cannot be enforced. Reads the
    /// catalogue again first: another program may have created the table meanwhile.
    func checkReferences(of table: SQLTable, _ columns: [Int]) throws {
        let tables = try secondCatalogue()
        guard let present = tables[table.structure.name] else { return }
        for number in columns {
            let column = table.structure.columns[number]
            guard let parent = column.foreignKey?.table,
                present.refusedReferences.contains(where: { present.structure.columns[$0].name == column.name })
            else { continue }
            let reason =
                tables[parent] == nil ? "there is no table \(parent)" : "\(parent) has no key of one column"
            throw CRUDSQLExeError(
                "The column refers to another table, but \(reason).", code: .foreignKey, table: table.structure.name,
                column: column.name)
        }
    }
}

extension SQLInsert {
    /// Whether rows may have values in columns whose foreign keys cannot be enforced.
    var givesRefusedReferences: Bool {
        table.refusedReferences.contains {
            columns.contains($0) || !(table.structure.columns[$0].defaultValue?.isNull ?? true)
        }
    }
}
