import TableKit

extension SQLSession {
    func withRow(
        _ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void
    ) throws -> Bool {
        // The order and the key of the structure count; the server's key may differ.
        if table.primaryKey.isEmpty { return false }
        let (plan, statement) = try planFind(table, key)
        guard let row = try read({ try $0.execute(statement) }).rows.first else { return false }
        var buffer = RowBuffer()
        try buffer.append(plan.source.values(row, columns: plan.columns), layout: plan.layout)
        try buffer.withRow(0) { try body($0, plan.shape) }
        return true
    }

    /// The statement of a look-up, from its cached plan if the types of the values allow it.
    private func planFind(_ table: TableStructure, _ key: [ColumnValue]) throws -> (FindPlan, SQLStatement) {
        if !hasChangedSchema, let plan = core.catalogue.findPlan(table), let values = plan.parameters(key, dialect) {
            readTables.insert(table.name)
            var statement = plan.statement
            statement.parameters = values
            return (plan, statement)
        }
        let generation = core.catalogue.generation
        let source = try sources([table])[0]
        try source.check(table.primaryKey)
        var query = Query(table)
        query.predicate = .and(
            zip(table.primaryKey, key).map { .compare(ColumnReference(column: $0), .equal, $1) })
        query.isDistinct = false
        let renderer = QueryRenderer(query, [source], dialect)
        let statement = try renderer.parents(limit: RowLimit(count: 1))
        let plan = FindPlan(source, columns: renderer.columns, statement)
        // Not cached while the table lacks a column: another program may add it.
        if !hasChangedSchema, !source.places.contains(nil), plan.parameters(key, dialect) != nil {
            core.catalogue.keep(plan, generation: generation)
        }
        return (plan, statement)
    }
}

/// The plan of look-ups in a table by key: the statement, and how to read its row.
struct FindPlan: Sendable {
    let source: SQLSource
    let columns: [Int]
    /// The statement of the look-up that made the plan, with its parameters.
    let statement: SQLStatement
    let layout: RowLayout
    let shape: RowShape

    init(_ source: SQLSource, columns: [Int], _ statement: SQLStatement) {
        self.source = source
        self.columns = columns
        self.statement = statement
        (layout, shape) = source.shape()
    }

    /// The parameters for other values; nil if these need another statement text.
    func parameters(_ key: [ColumnValue], _ dialect: any SQLDialect) -> [SQLStatement.Parameter]? {
        let columns = source.structure.primaryKey
        guard key.count == columns.count, statement.parameters.count == key.count else { return nil }
        var parameters: [SQLStatement.Parameter] = []
        parameters.reserveCapacity(key.count)
        for place in key.indices {
            let folded = FoldedComparison(.equal, key[place], with: source.type(columns[place]), dialect)
            guard case .compare(.equal, let value, let type) = folded,
                case .value(_, type) = statement.parameters[place]
            else { return nil }
            parameters.append(.value(value, type))
        }
        return parameters
    }
}
