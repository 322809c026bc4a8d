import TableKit

/// Schema changes.
extension ReferenceState {
    mutating func alter(_ change: SchemaChange) throws { try run { try $0.apply(change) } }

    private mutating func apply(_ change: SchemaChange) throws {
        switch change {
        case .createTable(let structure): try create(structure)
        case .dropTable(let name):
            try deleteRows(Set(table(name).rows.keys), of: name)
            tables[name] = nil
        case .renameTable(let name, let newName): try rename(name, to: newName)
        case .addColumn(let name, let column): try add(column, to: name)
        case .dropColumn(let name, let column): try drop(column, of: name)
        case .renameColumn(let name, let column, let newName): try rename(column, of: name, to: newName)
        case .createIndex(let index): try create(index)
        case .dropIndex(let name, let columns):
            guard let number = try table(name).indexes.firstIndex(where: { $0.columns == columns }) else {
                throw CRUDSQLExeError(
                    "There is no such index.", code: .noIndex, table: name, column: columns.joined(separator: ", "))
            }
            tables[name]?.indexes.remove(at: number)
        }
    }

    private mutating func create(_ structure: TableStructure) throws {
        guard tables[structure.name] == nil else {
            throw CRUDSQLExeError("The table exists.", code: .exists, table: structure.name)
        }
        for column in structure.primaryKey { try checkKey(structure.columns[column], structure.name) }
        tables[structure.name] = ReferenceTable(
            structure: TableStructure(
                name: structure.name, columns: structure.columns, primaryKey: structure.primaryKey))
    }

    private func checkKey(_ column: Column, _ table: String) throws {
        if column.type != .json { return }
        throw CRUDSQLExeError(
            "A nested value is no key and is in no index.", code: .unsupported, table: table, column: column.name)
    }

    private mutating func rename(_ name: String, to newName: String) throws {
        guard tables[newName] == nil else {
            throw CRUDSQLExeError("The table exists.", code: .exists, table: newName)
        }
        var table = try table(name)
        table.structure = TableStructure(
            name: newName, columns: table.structure.columns, primaryKey: table.structure.primaryKey)
        for number in table.indexes.indices { table.indexes[number].table = newName }
        tables[name] = nil
        tables[newName] = table
        for (other, table) in tables {
            let columns = table.structure.columns.map { column in
                var column = column
                if column.foreignKey?.table == name { column.foreignKey?.table = newName }
                return column
            }
            replaceColumns(of: other, columns, primaryKey: table.structure.primaryKey)
        }
    }

    private mutating func replaceColumns(of name: String, _ columns: [Column], primaryKey: [Int]) {
        tables[name]?.structure = TableStructure(name: name, columns: columns, primaryKey: primaryKey)
    }

    private mutating func add(_ column: Column, to name: String) throws {
        let table = try table(name)
        guard table.structure.number(of: column.name) == nil else {
            throw CRUDSQLExeError("The column exists.", code: .exists, table: name, column: column.name)
        }
        let value = try (column.defaultValue ?? .null).converted(to: column.type)
        if value.isNull && !column.isOptional && !table.rows.isEmpty {
            throw CRUDSQLExeError(
                "A column that cannot be NULL needs a default where the table has rows.", code: .notNull, table: name,
                column: column.name)
        }
        tables[name]?.rows = table.rows.mapValues { $0 + [value] }
        replaceColumns(of: name, table.structure.columns + [column], primaryKey: table.structure.primaryKey)
        changed.insert(name)
    }

    private func number(of column: String, in table: ReferenceTable) throws -> Int {
        if let number = table.structure.number(of: column) { return number }
        throw CRUDSQLExeError(
            "The table has no such column.", code: .noColumn, table: table.structure.name, column: column)
    }

    private mutating func drop(_ column: String, of name: String) throws {
        var table = try table(name)
        let number = try number(of: column, in: table)
        let key = table.structure.primaryKey
        if key.contains(number) {
            throw CRUDSQLExeError(
                "A column of the key cannot go.", code: .unsupported, table: name, column: column)
        }
        var columns = table.structure.columns
        columns.remove(at: number)
        table.rows = table.rows.mapValues { values in
            var values = values
            values.remove(at: number)
            return values
        }
        table.indexes.removeAll { $0.columns.contains(column) }
        tables[name] = table
        replaceColumns(of: name, columns, primaryKey: key.map { $0 > number ? $0 - 1 : $0 })
    }

    private mutating func rename(_ column: String, of name: String, to newName: String) throws {
        var table = try table(name)
        let number = try number(of: column, in: table)
        if table.structure.number(of: newName) != nil {
            throw CRUDSQLExeError("The column exists.", code: .exists, table: name, column: newName)
        }
        var columns = table.structure.columns
        columns[number].name = newName
        for index in table.indexes.indices {
            table.indexes[index].columns = table.indexes[index].columns.map { $0 == column ? newName : $0 }
        }
        tables[name] = table
        replaceColumns(of: name, columns, primaryKey: table.structure.primaryKey)
    }

    private mutating func create(_ index: IndexDefinition) throws {
        var table = try table(index.table)
        for column in index.columns {
            try checkKey(table.structure.columns[try number(of: column, in: table)], index.table)
        }
        var index = index
        index.name = index.name ?? "index_" + ([index.table] + index.columns).joined(separator: "_")
        if let existing = table.indexes.firstIndex(where: { $0.columns == index.columns }) {
            if index.isUnique { table.indexes[existing].isUnique = true }
        } else {
            table.indexes.append(index)
        }
        tables[index.table] = table
        changed.insert(index.table)
    }
}
