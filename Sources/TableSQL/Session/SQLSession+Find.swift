import Synchronization
package import TableKit

extension SQLSession {
    func withRow(
        _ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void
    ) throws -> Bool {
        // The order and the key of the structure count; the server's key may differ.
        if table.primaryKey.isEmpty { return false }
        let (plan, statement) = try planFind(table, key)
        guard let row = try naming(table.name, { try read { try $0.execute(statement) } }).rows.first else {
            return false
        }
        var buffer = RowBuffer()
        try buffer.append(plan.source.values(row, columns: plan.columns), layout: plan.layout)
        try buffer.withRow(0) { try body($0, plan.shape) }
        return true
    }

    /// The statement of a look-up, from its cached plan if the types of the values allow it.
    private func planFind(_ table: TableStructure, _ key: [ColumnValue]) throws -> (FindPlan, SQLStatement) {
        if !hasChangedSchema, let plan = core.catalogue.findPlan(table), let values = plan.values(key, dialect) {
            readTables.insert(table.name)
            return (plan, plan.lookup.statement(values))
        }
        let generation = core.catalogue.generation
        let source = try sources([table])[0]
        try source.check(table.primaryKey)
        var query = Query(table)
        query.predicate = .and(
            zip(table.primaryKey, key).map { .compare(ColumnReference(column: $0), .equal, $1) })
        query.isDistinct = false
        let renderer = QueryRenderer(query, [source], dialect)
        // Without an order and a limit the server has less to plan.
        let statement =
            try source.hasKeyOnly(table.primaryKey) ? renderer.row() : renderer.parents(limit: RowLimit(count: 1))
        let plan = FindPlan(source, columns: renderer.columns, statement, generation: generation)
        // Not cached while the table lacks a column: another program may add it.
        if !hasChangedSchema, !source.places.contains(nil), plan.values(key, dialect) != nil {
            core.catalogue.keep(plan, generation: generation)
        }
        return (plan, statement)
    }
}

extension SQLEngine {
    /// Looks a row up on a connection of the pool, without a session.
    package func withRow(
        _ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void
    ) throws -> Bool {
        guard let plan = core.catalogue.findPlan(table), let values = plan.values(key, core.dialect) else {
            let session = try beginReadStatement()
            defer { session.rollback() }
            return try session.withRow(table, key: key, body)
        }
        let task = TaskCancellation.current
        // The usual case needs no metadata of the connection's type.
        if task == nil, let connection = core.idle.takeFresh() {
            return try core.withRow(plan, values, connection, nil, body)
        }
        return try core.withRow(plan, values, try takeConnection(task), task, body)
    }
}

extension SQLEngineCore {
    /// Looks a row up on a connection, and releases it.
    fileprivate func withRow(
        _ plan: FindPlan, _ key: [ColumnValue], _ connection: any SQLConnection, _ task: TaskCancellation?,
        _ body: (RawSpan, RowShape) throws -> Void
    ) throws -> Bool {
        defer { idle.release(connection) }
        try checkOpen()
        let row = plan.takeRow()
        defer { plan.giveBack(row) }
        do {
            connection.usePlans(ofGeneration: plan.generation)
            let isFound =
                if let task {
                    try task.run(connection) { try connection.fetchRow(plan.lookup, key: key, into: row) }
                } else {
                    try connection.fetchRow(plan.lookup, key: key, into: row)
                }
            if !isFound { return false }
        } catch let error as SQLConnectionError {
            note(error)
            throw error.naming(plan.source.structure.name).tableError
        }
        try row.withRow { try body($0, plan.shape) }
        return true
    }
}

/// The plan of look-ups in a table by key: the statement, and how to read its row.
final class FindPlan: Sendable {
    let source: SQLSource
    let columns: [Int]
    let lookup: RowLookup
    let layout: RowLayout
    let shape: RowShape
    /// Whether the key is one integer of 64 bits, which is compared as it is.
    private let isInteger: Bool
    /// The generation of the catalogue that the plan was made for.
    let generation: Int
    /// The memory of a row, while no look-up uses it.
    private let spare = Mutex<Spare>(Spare())

    /// A row without other references, which may therefore move between threads.
    private struct Spare: @unchecked Sendable {
        var row: RowAssembler?
    }

    init(_ source: SQLSource, columns: [Int], _ statement: SQLStatement, generation: Int) {
        self.source = source
        self.columns = columns
        self.generation = generation
        (layout, shape) = source.shape()
        // The condition of a key has single values only.
        let types = statement.parameters.compactMap { if case .value(_, let type) = $0 { type } else { nil } }
        isInteger = types == [.int64] && source.structure.primaryKey.map(source.type) == [.int64]
        let layout = layout
        lookup = RowLookup(
            statement.text, types: types, results: statement.results, slots: columns.map { layout.slots[$0] })
    }

    func takeRow() -> RowAssembler {
        nonisolated(unsafe) var row: RowAssembler?
        spare.withLock { unsafe row = $0.row.take() }
        return unsafe row ?? RowAssembler(layout)
    }

    func giveBack(_ row: RowAssembler) {
        nonisolated(unsafe) let row = row
        spare.withLock { unsafe $0.row = row }
    }

    /// The values of another key as parameters; nil if these need another statement text.
    func values(_ key: [ColumnValue], _ dialect: any SQLDialect) -> [ColumnValue]? {
        if isInteger, key.count == 1, case .integer = key[0] { return key }
        let columns = source.structure.primaryKey
        let types = lookup.types
        guard key.count == columns.count, types.count == key.count else { return nil }
        var values: [ColumnValue] = []
        values.reserveCapacity(key.count)
        for place in key.indices {
            let folded = FoldedComparison(.equal, key[place], with: source.type(columns[place]), dialect)
            guard case .compare(.equal, let value, types[place]) = folded else { return nil }
            values.append(value)
        }
        return values
    }
}

extension SQLSource {
    /// Whether these columns of the structure are the table's key, no more and no less.
    fileprivate func hasKeyOnly(_ columns: [Int]) -> Bool {
        let key = table.structure.primaryKey
        return !key.isEmpty && key.count == columns.count && hasKey(in: columns)
    }
}
