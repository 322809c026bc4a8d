import TableKit

extension SQLSession {
    func withRow(
        _ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void
    ) throws -> Bool {
        // The type's order of the key, and its key, which need not be the server's.
        if table.primaryKey.isEmpty { return false }
        let (plan, statement) = try planFind(table, key)
        guard let row = try read({ try $0.execute(statement) }).rows.first else { return false }
        var buffer = RowBuffer()
        try buffer.append(plan.source.values(row, columns: plan.columns), layout: plan.layout)
        try buffer.withRow(0) { try body($0, plan.shape) }
        return true
    }

    /// The statement of a look-up, from its plan where there is one that the types of the values allow.
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
        // A column that the table lacks is looked for each time: another program may have added it.
        if !hasChangedSchema, !source.places.contains(nil), plan.parameters(key, dialect) != nil {
            core.catalogue.keep(plan, generation: generation)
        }
        return (plan, statement)
    }
}

/// How rows of a table are looked up by their key: the statement, and how its row is read.
struct FindPlan: Sendable {
    let source: SQLSource
    let columns: [Int]
    /// With the parameters of the look-up that it was made for.
    let statement: SQLStatement
    let layout: RowLayout
    let shape: RowShape

    init(_ source: SQLSource, columns: [Int], _ statement: SQLStatement) {
        self.source = source
        self.columns = columns
        self.statement = statement
        (layout, shape) = source.shape()
    }

    /// The parameters of a look-up by other values; nil where its statement has another text.
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
