/// CREATE, DROP, ALTER.
extension SQLExecution {
    func create(_ definition: SQLTableDefinition) throws {
        let name = definition.name.text
        if definition.ifNotExists, try session.tableIfPresent(definition.name) != nil { return }
        // Exactly, unlike look-ups: types and imports make names that differ only in case, which `silt schema` prints.
        if try session.table(named: name) != nil {
            throw CRUDSQLGenError("The table exists.", code: .exists, table: name)
        }
        var columns = try definition.columns.map { try column($0, of: name) }
        if columns.isEmpty { throw CRUDSQLGenError("A table has columns.", code: .argument, table: name) }
        if Set(columns.map(\.name)).count < columns.count {
            throw CRUDSQLGenError("Two columns have the same name.", code: .exists, table: name)
        }
        let plain = TableStructure(name: name, columns: columns)
        let key = try primaryKey(of: definition, plain)
        for number in key { columns[number].isOptional = false }
        for (column, reference) in definition.foreignKeys {
            columns[try plain.existingNumber(column)].foreignKey = try foreignKey(reference, of: name)
        }
        try session.alter(.createTable(TableStructure(name: name, columns: columns, primaryKey: key)))
        let uniques =
            try definition.columns.filter(\.isUnique).map { [$0.name.text] }
            + definition.uniques.map { try $0.map { columns[try plain.existingNumber($0)].name } }
        for unique in uniques {
            try session.alter(.createIndex(IndexDefinition(table: name, columns: unique, isUnique: true)))
        }
    }

    private func primaryKey(of definition: SQLTableDefinition, _ structure: TableStructure) throws -> [Int] {
        let inline = definition.columns.indices.filter { definition.columns[$0].isPrimaryKey }
        let key = try definition.primaryKey.map { try structure.existingNumber($0) }
        if inline.count + (key.isEmpty ? 0 : 1) > 1 {
            throw CRUDSQLGenError("A table has one primary key.", code: .argument, table: structure.name)
        }
        return inline + key
    }

    private func column(_ definition: SQLColumnDefinition, of table: String) throws -> Column {
        let name = definition.name.text
        let value = try definition.defaultValue.map { value in
            guard let fitting = value.coerced(to: definition.type) else {
                throw CRUDSQLGenError(
                    "The default \(value) is no value of type \(definition.type).", code: .type, table: table,
                    column: name)
            }
            return fitting
        }
        return Column(
            name, definition.type, isOptional: !definition.isNotNull && !definition.isPrimaryKey,
            defaultValue: value, foreignKey: try definition.reference.map { try foreignKey($0, of: table) })
    }

    private func foreignKey(_ reference: SQLReference, of table: String) throws -> ForeignKeyReference {
        let parent = try session.tableIfPresent(reference.table)?.structure
        if let parent, let column = reference.column {
            let number = try parent.existingNumber(column)
            if parent.primaryKey != [number] {
                throw CRUDSQLGenError(
                    "A foreign key refers to the primary key.", code: .unsupported, table: table, column: column.text)
            }
        }
        return ForeignKeyReference(
            table: parent?.name ?? reference.table.text, onDelete: reference.onDelete, onUpdate: reference.onUpdate)
    }

    func dropTable(_ name: SQLName, ifExists: Bool) throws {
        if ifExists, try session.tableIfPresent(name) == nil { return }
        try session.alter(.dropTable(try session.existingTable(name).structure.name))
    }

    func create(_ definition: SQLIndexDefinition) throws {
        let structure = try session.existingTable(definition.table).structure
        if let name = definition.name {
            if definition.ifNotExists, try session.indexIfPresent(name) != nil { return }
            if try session.indexes().contains(where: { $0.sqlName == name.text }) {
                throw CRUDSQLGenError("The index \(name.text) exists.", code: .exists, table: structure.name)
            }
        }
        let columns = try definition.columns.map { structure.columns[try structure.existingNumber($0)].name }
        try session.alter(
            .createIndex(
                IndexDefinition(
                    table: structure.name, columns: columns, isUnique: definition.isUnique,
                    name: definition.name?.text)))
    }

    func dropIndex(_ name: SQLName, ifExists: Bool) throws {
        guard let index = try session.indexIfPresent(name) else {
            if ifExists { return }
            throw CRUDSQLGenError("There is no index \(name.text).", code: .noIndex)
        }
        try session.alter(.dropIndex(table: index.table, columns: index.columns))
    }

    func alter(_ name: SQLName, _ alteration: SQLAlteration) throws {
        let structure = try session.existingTable(name).structure
        let table = structure.name
        switch alteration {
        case .addColumn(let definition):
            if definition.isPrimaryKey {
                throw CRUDSQLGenError(
                    "A key cannot be added.", code: .unsupported, table: table, column: definition.name.text)
            }
            try session.alter(.addColumn(table: table, try column(definition, of: table)))
            if definition.isUnique {
                try session.alter(
                    .createIndex(
                        IndexDefinition(table: table, columns: [definition.name.text], isUnique: true)))
            }
        case .dropColumn(let column):
            try session.alter(
                .dropColumn(table: table, structure.columns[try structure.existingNumber(column)].name))
        case .renameColumn(let column, let newName):
            try session.alter(
                .renameColumn(
                    table: table, structure.columns[try structure.existingNumber(column)].name, to: newName.text))
        case .renameTo(let newName):
            try session.alter(.renameTable(table, to: newName.text))
        }
    }
}
