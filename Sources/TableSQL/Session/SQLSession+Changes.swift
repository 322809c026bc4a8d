import TableKit

extension SQLSession {
    func insert(_ statement: InsertStatement) throws -> ChangeResult {
        let source = try sources([statement.table])[0]
        let columns = statement.columns ?? Array(statement.table.columns.indices)
        try source.check(columns)
        let returned = source.places.indices.filter { source.places[$0] != nil }
        var insert = SQLInsert(
            table: source.table, columns: columns.compactMap { source.places[$0] }, rows: [],
            onConflict: statement.onConflict,
            returning: statement.isReturning ? returned.compactMap { source.places[$0] } : [])
        let isRefused = insert.givesRefusedReferences
        if !isRefused, let rows = packedRows(statement, columns, source), dialect.packs(insert, rows) {
            insert.packed = rows
        } else {
            insert.rows = try rows(statement, columns, source)
        }
        var result = ChangeResult()
        if statement.isReturning { result.shape = source.shape().shape }
        if insert.count == 0 { return result }
        if isRefused { try checkReferences(of: insert) }
        changedTables.insert(source.table.structure.name)
        insert.closing = closing
        let outcome = try naming(source.structure.name) {
            try change(isOne: dialect.isOneStatement(insert), insert.closing) { try core.dialect.insert(insert, $0) }
        }
        result.count = outcome.count
        result.lastInsertID = outcome.lastInsertID
        if statement.isReturning { try append(outcome.rows, returned, source, to: &result) }
        return result
    }

    /// The rows as they were encoded; nil if a column of the server's table is missing or has another type.
    private func packedRows(_ statement: InsertStatement, _ columns: [Int], _ source: SQLSource) -> PackedRows? {
        let slots = columns.map { statement.table.layout.slots[$0] }
        guard statement.rows.count > 1,
            zip(columns, slots).allSatisfy({ source.places[$0] != nil && source.type($0) == $1.type })
        else { return nil }
        return PackedRows(statement.rows, slots: slots)
    }

    private func rows(
        _ statement: InsertStatement, _ columns: [Int], _ source: SQLSource
    ) throws -> [[ColumnValue]] {
        var rows: [[ColumnValue]] = []
        rows.reserveCapacity(statement.rows.count)
        for row in 0..<statement.rows.count {
            rows.append(
                try statement.rows.withRow(row) { bytes in
                    try columns.map { column in
                        let value = try statement.table.layout.slots[column].value(in: bytes)
                        return try stored(value, source.type(column), source, column)
                    }
                })
        }
        return rows
    }

    func update(_ statement: UpdateStatement) throws -> ChangeResult {
        let source = try sources([statement.table])[0]
        try source.check(statement.columns)
        if statement.columns.isEmpty { return try unchanged(statement, source) }
        let dialect = dialect
        var text = SQLText(dialect, "UPDATE \(try dialect.quote(source.structure.name)) SET ")
        var assigned: [Int: ColumnValue] = [:]
        for (number, column) in statement.columns.enumerated() {
            let value = try statement.row.withRow(0) { try statement.table.layout.slots[column].value(in: $0) }
            let type = source.type(column)
            let stored = try stored(value, type, source, column)
            if number > 0 { text += ", " }
            text += "\(try dialect.quote(source.structure.columns[column].name)) = "
            let place = source.places[column]
            let bound = try place.map { try core.dialect.bound(stored, to: $0, of: source.table) } ?? stored
            text.bind(bound, type, source.dateForm(column))
            if let place { assigned[place] = stored }
        }
        let values = source.table.refusedReferences.filter { assigned[$0].map { !$0.isNull } ?? false }
        // An update of no row is fine.
        if !values.isEmpty, try unchanged(statement, source).count > 0 {
            try checkReferences(of: source.table, values)
        }
        return try changed(text, assigned, source, statement.predicate, statement.isReturning)
    }

    func delete(_ statement: DeleteStatement) throws -> ChangeResult {
        let source = try sources([statement.table])[0]
        let text = SQLText(dialect, "DELETE FROM \(try dialect.quote(source.structure.name))")
        return try changed(text, [:], source, statement.predicate, statement.isReturning)
    }

    /// The result of an update without columns: the matching rows.
    private func unchanged(_ statement: UpdateStatement, _ source: SQLSource) throws -> ChangeResult {
        var query = Query(statement.table)
        query.predicate = statement.predicate
        query.isDistinct = false
        let renderer = try renderer(query)
        let rows = try read { try $0.execute(try renderer.parents(limit: nil)) }.rows
        var result = ChangeResult()
        result.count = rows.count
        if statement.isReturning { try append(rows, renderer.columns, source, to: &result) }
        return result
    }

    /// Runs an update or a delete of the matching rows.
    private func changed(
        _ head: SQLText, _ assigned: [Int: ColumnValue], _ source: SQLSource, _ predicate: Predicate?,
        _ isReturning: Bool
    ) throws -> ChangeResult {
        for reference in predicate?.references ?? [] where reference.source != 0 {
            throw CRUDSQLGenError("A change names its own table alone.", table: source.structure.name)
        }
        try source.check((predicate?.references ?? []).map(\.column))
        let own = SQLSource(source.structure, source.table, alias: "")
        let returned = source.places.indices.filter { source.places[$0] != nil }
        let numbers = isReturning ? returned.compactMap { source.places[$0] } : []
        let tablesBefore = changedTables
        // Foreign key actions may change any table that refers to this one.
        changedTables.formUnion(try catalogue().values.referring(to: source.structure.name))
        changedTables.insert(source.structure.name)
        var change = SQLChange(
            table: source.table, head: head, assigned: assigned,
            condition: { text in
                guard let predicate else { return }
                text += " WHERE "
                try PredicateRenderer([own]).append(predicate, to: &text)
            }, returning: numbers, tables: try catalogue(), closing: closing)
        change.changesKey = assignsKey(assigned, source, predicate)
        let (count, rows) = try naming(source.structure.name) {
            try self.change(isOne: dialect.isOneStatement(change), change.closing) {
                try core.dialect.change(change, $0)
            }
        }
        if count == 0 { changedTables = tablesBefore }
        var result = ChangeResult()
        result.count = count
        if isReturning {
            result.shape = source.shape().shape
            let key = source.table.structure.primaryKey.compactMap { numbers.firstIndex(of: $0) }
            let sorted = rows.sorted { left, right in
                ValueTuple(key.map { left[$0] }) < ValueTuple(key.map { right[$0] })
            }
            try append(sorted, returned, source, to: &result)
        }
        return result
    }

    /// Whether an update sets the numbered key, and not just to the value by which the condition chooses the row.
    private func assignsKey(
        _ assigned: [Int: ColumnValue], _ source: SQLSource, _ predicate: Predicate?
    ) -> Bool {
        guard let key = source.table.numberColumn, let value = assigned[key] else { return false }
        return !(predicate?.conjuncts ?? []).contains { condition in
            guard case .compare(let reference, .equal, let wanted) = condition else { return false }
            return source.places[reference.column] == key && ColumnValue.order(wanted, value) == 0
        }
    }

    private func append(
        _ rows: [[ColumnValue]], _ columns: [Int], _ source: SQLSource, to result: inout ChangeResult
    ) throws {
        let (layout, shape) = source.shape()
        result.shape = shape
        for row in rows { try result.rows.append(source.values(row, columns: columns), layout: layout) }
    }

    /// A value converted to the type of the server's column.
    private func stored(
        _ value: ColumnValue, _ type: ColumnType, _ source: SQLSource, _ column: Int
    ) throws -> ColumnValue {
        let value = try value.converted(to: type)
        try source.checkForm(of: column, value)
        if let reason = dialect.refusal(of: value, type) {
            throw CRUDSQLExeError(
                reason, code: .type, table: source.structure.name, column: source.structure.columns[column].name)
        }
        return value
    }
}

extension Sequence<SQLTable> {
    /// The tables with foreign keys to one, directly or through others.
    /// - Parameter follows: whether a foreign key counts.
    func referring(to name: String, by follows: (ForeignKeyReference) -> Bool = { _ in true }) -> Set<String> {
        var found: Set<String> = []
        var next = [name]
        while let parent = next.popLast() {
            for table in lazy.map(\.structure) {
                let keys = table.columns.lazy.compactMap(\.foreignKey)
                guard keys.contains(where: { $0.table == parent && follows($0) }) else { continue }
                if found.insert(table.name).inserted { next.append(table.name) }
            }
        }
        return found
    }
}
