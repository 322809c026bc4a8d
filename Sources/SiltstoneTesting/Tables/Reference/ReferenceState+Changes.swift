import TableKit

/// Inserts, updates and deletes.
extension ReferenceState {
    mutating func insert(_ statement: InsertStatement) throws -> ChangeResult {
        try run { try $0.insertRows(statement) }
    }

    private mutating func insertRows(_ statement: InsertStatement) throws -> ChangeResult {
        let name = statement.table.name
        let projection = ReferenceProjection(statement.table, of: try table(name))
        let columns = statement.columns ?? Array(statement.table.columns.indices)
        try projection.check(columns)
        var result = ChangeResult()
        if statement.isReturning { result.shape = projection.shape }
        changed.insert(name)
        for row in 0..<statement.rows.count {
            var table = try table(name)
            var values = table.structure.columns.map { $0.defaultValue ?? .null }
            for column in columns {
                guard let place = projection.places[column] else { continue }
                let value = try statement.rows.withRow(row) {
                    try statement.table.layout.slots[column].value(in: $0)
                }
                values[place] = try value.converted(to: table.structure.columns[place].type)
            }
            if let column = table.numberColumn {
                if values[column].isNull {
                    values[column] = try ColumnValue.integer(table.takeNumber()).converted(
                        to: table.structure.columns[column].type)
                }
                if case .integer(let number) = values[column] { table.use(number) }
            }
            try table.checkNotNull(values)
            let key = try table.key(of: values)
            if table.rows[key] != nil {
                if statement.onConflict == .ignore { continue }
                if statement.onConflict == .replace { table.rows[key] = nil }
            }
            try table.add(values, key: key)
            tables[name] = table
            result.count += 1
            if let column = table.numberColumn {
                result.lastInsertID = if case .integer(let number) = values[column] { number } else { nil }
            }
            if statement.isReturning { try projection.append(values, to: &result.rows) }
        }
        return result
    }

    mutating func update(_ statement: UpdateStatement) throws -> ChangeResult {
        try run { try $0.updateRows(statement) }
    }

    private mutating func updateRows(_ statement: UpdateStatement) throws -> ChangeResult {
        let name = statement.table.name
        let table = try table(name)
        let projection = ReferenceProjection(statement.table, of: table)
        try projection.check(statement.columns)
        var replacements: [(key: ValueTuple, values: [ColumnValue])] = []
        for (key, values) in try matching(statement.predicate, table, projection) {
            var values = values
            for column in statement.columns {
                guard let place = projection.places[column] else { continue }
                let value = try statement.row.withRow(0) { try statement.table.layout.slots[column].value(in: $0) }
                values[place] = try value.converted(to: table.structure.columns[place].type)
            }
            replacements.append((key, values))
        }
        if !replacements.isEmpty { try replaceRows(replacements, of: name) }
        return try projection.result(of: replacements, isReturning: statement.isReturning)
    }

    mutating func delete(_ statement: DeleteStatement) throws -> ChangeResult {
        try run { try $0.deleteRows(statement) }
    }

    private mutating func deleteRows(_ statement: DeleteStatement) throws -> ChangeResult {
        let table = try table(statement.table.name)
        let projection = ReferenceProjection(statement.table, of: table)
        let found = try matching(statement.predicate, table, projection)
        try deleteRows(Set(found.map(\.key)), of: statement.table.name)
        return try projection.result(of: found, isReturning: statement.isReturning)
    }

    /// The rows that fulfil a condition, ordered by key.
    private func matching(
        _ predicate: Predicate?, _ table: ReferenceTable, _ projection: ReferenceProjection
    ) throws -> [(key: ValueTuple, values: [ColumnValue])] {
        guard let predicate else { return table.sortedRows }
        for reference in predicate.references where reference.source != 0 {
            throw CRUDSQLGenError("A change names its own table alone.", table: table.structure.name)
        }
        try projection.check(predicate.references.map(\.column))
        return table.sortedRows.filter { row in
            let values = projection.values(row.values)
            return predicate.evaluate { values[$0.column] } == true
        }
    }
}
