import TableKit

extension ReferenceSession {
    func tables() throws -> [TableInfo] {
        try checkOpen()
        return state.tables.values.map(\.info).sorted { $0.structure.name < $1.structure.name }
    }

    func table(named name: String) throws -> TableInfo? {
        try checkOpen()
        return state.tables[name]?.info
    }

    func run(_ query: Query) throws -> any RowStream {
        try checkOpen()
        let sources = try ReferenceSources(query, state: state)
        return ReferenceRowStream(query, sources: sources)
    }

    func withRow(_ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void) throws -> Bool
    {
        try checkOpen()
        let stored = try state.table(table.name)
        let projection = ReferenceProjection(table, of: stored)
        // The key of the structure counts, in its order; the catalogue's key may differ.
        let names = table.primaryKey.map { table.columns[$0].name }
        let row = stored.sortedRows.first { row in
            zip(names, key).allSatisfy { name, value in
                stored.structure.number(of: name).map { ColumnValue.areSame(row.values[$0], value) } ?? false
            }
        }
        guard let row, !names.isEmpty else { return false }
        var buffer = RowBuffer()
        try projection.append(row.values, to: &buffer)
        try buffer.withRow(0) { try body($0, projection.shape) }
        return true
    }

    func count(_ query: Query) throws -> Int {
        try checkOpen()
        let sources = try ReferenceSources(query, state: state)
        return QueryEvaluation(query, rows: sources.values).parents().count
    }

    func aggregate(_ query: AggregateQuery) throws -> [[ColumnValue]] {
        try checkOpen()
        let sources = try ReferenceSources(query.rows, state: state)
        return try QueryEvaluation(query.rows, rows: sources.values)
            .aggregate(groupBy: query.groupBy, query.aggregates)
    }

    func explain(_ query: Query) throws -> QueryPlan {
        try checkOpen()
        let tables = try query.sources.map { try state.table($0.name) }
        return QueryPlan(
            step: "walk of \(query.sources[0].name)", detail: "and evaluation in memory",
            estimatedRows: tables[0].rows.count)
    }

    func plans(for query: Query) throws -> [QueryPlan] { [try explain(query)] }
}

extension ReferenceTable {
    var info: TableInfo {
        TableInfo(
            structure: structure, indexes: indexes.map { IndexInfo($0, estimatedEntries: rows.count) },
            estimatedRows: rows.count)
    }
}

/// The tables of a query, projected to its structures.
struct ReferenceSources {
    let projections: [ReferenceProjection]
    /// The rows in the catalogue's columns.
    let rows: [[[ColumnValue]]]
    /// The rows in the structures' columns.
    let values: [[[ColumnValue]]]

    init(_ query: Query, state: ReferenceState) throws {
        let tables = try query.sources.map { try state.table($0.name) }
        let projections = zip(query.sources, tables).map { ReferenceProjection($0, of: $1) }
        self.projections = projections
        rows = tables.map { $0.sortedRows.map(\.values) }
        values = zip(projections, rows).map { projection, rows in rows.map(projection.values) }
        for reference in query.predicate?.references ?? [] {
            try projections[reference.source].check([reference.column])
        }
        try projections[0].check(query.order.map(\.column))
        for join in query.joins {
            try projections[join.parent].check([join.on])
            try projections[join.source].check(join.order.map(\.column))
            guard let pivot = join.pivot else {
                try projections[join.source].check([join.equals])
                continue
            }
            try projections[pivot.source].check([join.equals, pivot.column])
            try projections[join.source].check([pivot.equals])
        }
    }
}
