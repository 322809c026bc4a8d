import TableKit

extension ReferenceState {
    /// A foreign key column.
    private struct Reference {
        var child: String
        var column: Int
        var key: ForeignKeyReference
    }

    private func references(to table: String) -> [Reference] {
        tables.values.sorted { $0.structure.name < $1.structure.name }.flatMap { child in
            child.structure.columns.enumerated().compactMap { number, column in
                guard let key = column.foreignKey, key.table == table else { return nil }
                return Reference(child: child.structure.name, column: number, key: key)
            }
        }
    }

    /// The keys of the child's rows that refer to one of these keys.
    private func rows(of reference: Reference, referringTo keys: Set<ValueTuple>) -> [ValueTuple] {
        (tables[reference.child]?.sortedRows ?? []).filter { row in
            keys.contains(ValueTuple([row.values[reference.column]]))
        }.map(\.key)
    }

    /// Throws if a row refers to a missing row. Checks only references from or to changed tables.
    func checkForeignKeys() throws {
        for child in tables.values {
            for (number, column) in child.structure.columns.enumerated() {
                guard let key = column.foreignKey else { continue }
                if !changed.contains(child.structure.name) && !changed.contains(key.table) { continue }
                for values in child.rows.values where !values[number].isNull {
                    guard tables[key.table]?.structure.primaryKey.count == 1,
                        tables[key.table]?.rows[ValueTuple([values[number]])] != nil
                    else {
                        throw CRUDSQLExeError(
                            "The value refers to no row of table \(key.table).", code: .foreignKey,
                            table: child.structure.name, column: column.name, key: values[number].readable)
                    }
                }
            }
        }
    }

    /// Deletes rows and runs the actions of foreign keys that refer to them.
    mutating func deleteRows(_ keys: Set<ValueTuple>, of name: String, depth: Int = 0) throws {
        if keys.isEmpty { return }
        try checkDepth(depth, name)
        let references = references(to: name)
        for reference in references where reference.key.onDelete == .restrict {
            try refuse(reference, keys, name)
        }
        changed.insert(name)
        for key in keys { tables[name]?.rows[key] = nil }
        for reference in references {
            let children = rows(of: reference, referringTo: keys)
            switch reference.key.onDelete {
            case .ignore, .restrict: break
            case .cascade: try deleteRows(Set(children), of: reference.child, depth: depth + 1)
            case .setNull, .setDefault:
                try set(reference, of: children, depth: depth) { _, column in
                    reference.key.onDelete == .setNull ? .null : column.defaultValue ?? .null
                }
            }
        }
    }

    /// Replaces rows and runs the actions of foreign keys that refer to changed keys.
    mutating func replaceRows(
        _ replacements: [(key: ValueTuple, values: [ColumnValue])], of name: String, depth: Int = 0
    ) throws {
        try checkDepth(depth, name)
        var table = try table(name)
        var newKeys: [ValueTuple: ValueTuple] = [:]
        for (key, values) in replacements {
            try table.checkNotNull(values)
            table.rows[key] = nil
            newKeys[key] = table.structure.primaryKey.isEmpty ? key : try table.key(of: values)
        }
        for (key, values) in replacements {
            try table.add(values, key: newKeys[key] ?? key)
            if let column = table.numberColumn, case .integer(let number) = values[column] { table.use(number) }
        }
        let references = references(to: name)
        let moved = newKeys.filter { $0.key != $0.value }
        for reference in references where reference.key.onUpdate == .restrict {
            try refuse(reference, Set(moved.keys), name)
        }
        tables[name] = table
        changed.insert(name)
        for reference in references where !moved.isEmpty {
            let children = rows(of: reference, referringTo: Set(moved.keys))
            switch reference.key.onUpdate {
            case .ignore, .restrict: break
            case .cascade:
                try set(reference, of: children, depth: depth) { old, _ in
                    moved[ValueTuple([old])]?.values.first ?? old
                }
            case .setNull: try set(reference, of: children, depth: depth) { _, _ in .null }
            case .setDefault:
                try set(reference, of: children, depth: depth) { _, column in column.defaultValue ?? .null }
            }
        }
    }

    /// Sets the column of a reference in its child's rows.
    private mutating func set(
        _ reference: Reference, of children: [ValueTuple], depth: Int,
        to value: (_ old: ColumnValue, Column) -> ColumnValue
    ) throws {
        let child = try table(reference.child)
        let column = child.structure.columns[reference.column]
        var replacements: [(key: ValueTuple, values: [ColumnValue])] = []
        for key in children {
            guard var values = child.rows[key] else { continue }
            values[reference.column] = try value(values[reference.column], column).converted(to: column.type)
            replacements.append((key, values))
        }
        if !replacements.isEmpty { try replaceRows(replacements, of: reference.child, depth: depth + 1) }
    }

    private func refuse(_ reference: Reference, _ keys: Set<ValueTuple>, _ name: String) throws {
        let referring = rows(of: reference, referringTo: keys).filter { reference.child != name || !keys.contains($0) }
        guard let row = referring.first else { return }
        throw CRUDSQLExeError(
            "Rows of table \(reference.child) refer to the row.", code: .foreignKey, table: name, key: "\(row.values)")
    }

    private func checkDepth(_ depth: Int, _ name: String) throws {
        if depth <= 1000 { return }
        throw CRUDSQLExeError("Foreign keys lead on more than 1,000 times.", code: .argument, table: name)
    }
}
