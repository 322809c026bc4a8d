import TableKit

/// Reads the joined rows for a batch of parents, with one statement for each joined table. ``QueryEvaluation`` assigns
/// them to parents in memory, so that their order is the same on all servers.
struct JoinFetch {
    private let session: SQLSession
    private let renderer: QueryRenderer

    init(_ session: SQLSession, _ renderer: QueryRenderer) {
        self.session = session
        self.renderer = renderer
    }

    /// For each join, the rows that belong to the parents.
    func joined(to parents: [[ColumnValue]]) throws -> [JoinedRows] {
        let query = renderer.query
        var rows: [[[ColumnValue]]] = query.sources.map { _ in [] }
        rows[0] = parents
        for (left, right) in query.joins.flatMap(\.equalities) {
            try renderer.predicates.checkOrder(of: left, .equal, right)
            let values = Self.distinct(rows[left.source].map { $0[left.column] })
            rows[right.source] = try fetch(right.source, where: right.column, isIn: values)
        }
        let evaluation = QueryEvaluation(query, rows: rows)
        return try zip(query.joins, evaluation.joined(to: Array(parents.indices))).map { join, found in
            let (layout, shape) = renderer.sources[join.source].shape()
            var result = JoinedRows(shape: shape)
            for number in found.rows { try result.rows.append(rows[join.source][number], layout: layout) }
            for members in found.members {
                result.members += members.map(Int32.init)
                result.ends.append(result.members.count)
            }
            return result
        }
    }

    /// The rows whose column has one of these values, in the order of the key.
    private func fetch(_ source: Int, where column: Int, isIn values: [ColumnValue]) throws -> [[ColumnValue]] {
        if values.isEmpty { return [] }
        var query = Query(renderer.query.sources[source])
        query.predicate = .isIn(ColumnReference(column: column), values)
        query.isDistinct = false
        let own = SQLSource(
            renderer.sources[source].structure, renderer.sources[source].table, alias: "t0")
        let fetch = QueryRenderer(query, [own], session.dialect)
        let statement = try fetch.parents(limit: nil)
        let rows = try session.naming(own.structure.name) { try session.read { try $0.execute(statement) }.rows }
        return rows.map { own.values($0, columns: fetch.columns) }
    }

    private static func distinct(_ values: [ColumnValue]) -> [ColumnValue] {
        var seen: Set<ValueTuple> = []
        return values.filter { !$0.isNull && seen.insert(ValueTuple([$0])).inserted }
    }
}
