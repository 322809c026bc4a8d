/// Runs SQL statements in a session.
struct SQLExecution {
    let session: any TableSession
    let parameters: [ColumnValue]
    /// The value of `last_insert_rowid()`: the key of the last row inserted.
    var lastInsertID: Int64

    /// Runs a statement other than transaction control.
    mutating func run(_ statement: SQLStatement) throws -> SQLResult {
        switch statement {
        case .transaction:
            throw CRUDSQLGenError("Transactions are not begun or ended within a session.", code: .transaction)
        case .createTable(let definition): return try changingSchema { try create(definition) }
        case .dropTable(let name, let ifExists):
            return try changingSchema { try dropTable(name, ifExists: ifExists) }
        case .createIndex(let definition): return try changingSchema { try create(definition) }
        case .dropIndex(let name, let ifExists):
            return try changingSchema { try dropIndex(name, ifExists: ifExists) }
        case .alter(let table, let alteration): return try changingSchema { try alter(table, alteration) }
        case .insert(let insert): return try run(insert)
        case .update(let update): return try run(update)
        case .delete(let delete): return try run(delete)
        case .select(let select): return try SQLSelection(select, self).run()
        case .explain(let inner, let isRun): return try explain(inner, isRun)
        case .pragma(let name, let argument): return try pragma(name, argument)
        }
    }

    private func changingSchema(_ body: () throws -> Void) throws -> SQLResult {
        try session.changingSchema(body)
        return SQLResult()
    }

    /// The binding for a statement on a table.
    func binding(_ structure: TableStructure? = nil, alias: String? = nil) -> SQLBinding {
        SQLBinding(parameters: parameters, lastInsertID: lastInsertID, structure: structure, alias: alias)
    }

    private func explain(_ statement: SQLStatement, _ isRun: Bool) throws -> SQLResult {
        var query: Query
        switch statement {
        case .select(let select):
            guard let rows = try SQLSelection(select, self).query() else {
                return SQLResult(columns: ["plan"], rows: [[.text("values alone")]])
            }
            query = rows
        case .update(let update): query = try matching(update.table, update.condition)
        case .delete(let delete): query = try matching(delete.table, delete.condition)
        default: throw CRUDSQLGenError("This cannot be explained.", code: .syntax)
        }
        let plan = try isRun ? session.explainRunning(query) : session.explain(query)
        let lines = plan.description.split(separator: "\n")
        return SQLResult(columns: ["plan"], rows: lines.map { [.text(String($0))] }, plan: plan)
    }

    private func matching(_ name: SQLName, _ condition: SQLCondition?) throws -> Query {
        let structure = try session.existingTable(name).structure
        var query = Query(structure)
        query.predicate = try condition.map { try binding(structure).predicate($0) }
        query.isDistinct = false
        return query
    }
}

/// INSERT, UPDATE, DELETE.
extension SQLExecution {
    private mutating func run(_ insert: SQLInsert) throws -> SQLResult {
        let structure = try session.existingTable(insert.table).structure
        let binding = binding(structure)
        var columns = try insert.columns.map { try $0.map { try structure.existingNumber($0) } }
        if let columns, Set(columns).count < columns.count {
            throw CRUDSQLGenError("A column is named twice.", code: .argument, table: structure.name)
        }
        var rows = RowBuffer()
        let nulls = structure.columns.map { _ in ColumnValue.null }
        if let given = insert.rows {
            let numbers = columns ?? Array(structure.columns.indices)
            for row in given {
                try rows.append(try values(row, numbers, nulls, binding), layout: structure.layout)
            }
        } else {
            columns = []
            try rows.append(nulls, layout: structure.layout)
        }
        var statement = InsertStatement(structure, columns: columns, rows: rows)
        statement.onConflict = insert.onConflict
        statement.isReturning = insert.returning != nil
        try check(insert.returning, structure)
        let result = try session.insert(statement)
        if let id = result.lastInsertID { lastInsertID = id }
        return try self.result(result, insert.returning, structure)
    }

    /// The values of a row, with some columns set.
    private func values(
        _ row: [SQLOperand], _ numbers: [Int], _ nulls: [ColumnValue], _ binding: SQLBinding
    ) throws -> [ColumnValue] {
        guard row.count == numbers.count else {
            throw CRUDSQLGenError(
                "A row has \(row.count) values for \(numbers.count) columns.", code: .argument,
                table: binding.structure?.name)
        }
        var values = nulls
        for (number, operand) in zip(numbers, row) {
            values[number] = try binding.value(operand, for: try binding.column(number))
        }
        return values
    }

    private func run(_ update: SQLUpdate) throws -> SQLResult {
        let structure = try session.existingTable(update.table).structure
        let binding = binding(structure)
        var values = structure.columns.map { _ in ColumnValue.null }
        var columns: [Int] = []
        for (name, operand) in update.assignments {
            let number = try structure.existingNumber(name)
            if columns.contains(number) {
                throw CRUDSQLGenError(
                    "The column is set twice.", code: .argument, table: structure.name, column: name.text)
            }
            columns.append(number)
            values[number] = try binding.value(operand, for: structure.columns[number])
        }
        var row = RowBuffer()
        try row.append(values, layout: structure.layout)
        var statement = UpdateStatement(
            structure, columns: columns, row: row, predicate: try update.condition.map(binding.predicate))
        statement.isReturning = update.returning != nil
        try check(update.returning, structure)
        return try result(try session.update(statement), update.returning, structure)
    }

    private func run(_ delete: SQLDelete) throws -> SQLResult {
        let structure = try session.existingTable(delete.table).structure
        var statement = DeleteStatement(
            structure, predicate: try delete.condition.map(binding(structure).predicate))
        statement.isReturning = delete.returning != nil
        try check(delete.returning, structure)
        return try result(try session.delete(statement), delete.returning, structure)
    }

    /// Checks the items of RETURNING before the change: within a transaction an error after it would leave it there.
    private func check(_ items: [SQLItem]?, _ structure: TableStructure) throws {
        _ = try items.map { try SQLOutput.outputs(of: $0, binding(structure)) }
    }

    /// The row count, and the rows for RETURNING. Its constants may have the key of the row just inserted.
    private func result(
        _ result: ChangeResult, _ items: [SQLItem]?, _ structure: TableStructure
    ) throws -> SQLResult {
        guard let items else { return SQLResult(changes: result.count) }
        let outputs = try SQLOutput.outputs(of: items, binding(structure))
        let shape = result.shape ?? RowShape(structure)
        let rows = try (0..<result.rows.count).map { row in
            try result.rows.withRow(row) { try SQLOutput.values(outputs, shape, $0) }
        }
        return SQLResult(columns: outputs.map(\.name), changes: result.count, rows: rows)
    }
}
