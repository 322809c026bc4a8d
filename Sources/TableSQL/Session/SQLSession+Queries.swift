import TableKit

extension SQLSession {
    /// A renderer for a query. Throws if a table lacks a column of its conditions, orders or joins.
    func renderer(_ query: Query) throws -> QueryRenderer {
        let sources = try sources(query.sources)
        for reference in query.predicate?.references ?? [] { try sources[reference.source].check([reference.column]) }
        try sources[0].check(query.order.map(\.column))
        for join in query.joins {
            for reference in join.equalities.flatMap({ [$0.left, $0.right] }) {
                try sources[reference.source].check([reference.column])
            }
            try sources[join.source].check(join.order.map(\.column))
        }
        return QueryRenderer(query, sources, dialect)
    }

    func run(_ query: Query) throws -> any RowStream {
        let renderer = try renderer(query)
        let isCut = renderer.needsDistinct
        // Each join runs its own statement.
        if !query.joins.isEmpty { try beginForSeveral() }
        let statement = try renderer.parents(limit: isCut ? nil : query.limit)
        let isSmall = (query.limit?.count).map { $0 <= SQLRowStream.batchRows } ?? false
        let rows: any SQLRows =
            if !isCut, isSmall || renderer.findsOneRow {
                FetchedRows(
                    try naming(renderer.sources[0].structure.name) { try read { try $0.execute(statement) }.rows })
            } else {
                try openRows(statement)
            }
        return SQLRowStream(self, renderer, rows)
    }

    /// Opens a cursor for a result that may be long.
    private func openRows(_ statement: SQLStatement) throws -> any SQLRows {
        try beginForSeveral()
        return try open(statement, batchRows: SQLRowStream.batchRows)
    }

    func count(_ query: Query) throws -> Int {
        let statement = try renderer(query).count()
        return try read { try $0.execute(statement) }.rows.first?.first?.int ?? 0
    }

    func aggregate(_ query: AggregateQuery) throws -> [[ColumnValue]] {
        let renderer = try renderer(query.rows)
        try renderer.sources[0].check(query.groupBy + query.aggregates.compactMap(\.column))
        guard let statement = try renderer.aggregate(query) else { return try aggregateHere(query, renderer) }
        let rows = try naming(query.rows.sources[0].name) { try read { try $0.execute(statement) }.rows }
        let columns = query.rows.sources[0].columns
        let results = try rows.map { row in
            try Array(row.prefix(query.groupBy.count))
                + zip(query.aggregates, row.dropFirst(query.groupBy.count)).map { aggregate, value in
                    try aggregate.checked(value, columns)
                }
        }
        let groups = query.groupBy.count
        return results.sorted { ValueTuple(Array($0.prefix(groups))) < ValueTuple(Array($1.prefix(groups))) }
    }

    /// Computes aggregates in memory that the server cannot compute.
    private func aggregateHere(_ query: AggregateQuery, _ renderer: QueryRenderer) throws -> [[ColumnValue]] {
        let stream = SQLRowStream(
            self, renderer, try openRows(try renderer.parents(limit: renderer.needsDistinct ? nil : query.rows.limit)))
        var rows: [[ColumnValue]] = []
        while let batch = try stream.nextParents() { rows += batch }
        var plain = Query(query.rows.sources[0])
        plain.isDistinct = false
        return try QueryEvaluation(plain, rows: [rows]).aggregate(groupBy: query.groupBy, query.aggregates)
    }

    func explain(_ query: Query) throws -> QueryPlan {
        let renderer = try renderer(query)
        let statement = try renderer.parents(limit: renderer.needsDistinct ? nil : query.limit)
        let lines = try read { try $0.execute(dialect.explain(statement)) }.rows.compactMap { $0.last?.string }
        let steps = lines.map { QueryPlan(step: $0, estimatedRows: 0) }
        return QueryPlan(
            step: dialect.name, detail: statement.text, estimatedRows: renderer.sources[0].table.info.estimatedRows,
            inputs: steps)
    }

    func plans(for query: Query) throws -> [QueryPlan] { [try explain(query)] }
}

/// A result in memory, returned as one batch.
private final class FetchedRows: SQLRows {
    private var rows: [[ColumnValue]]?

    init(_ rows: [[ColumnValue]]) { self.rows = rows }

    func next() -> [[ColumnValue]]? {
        defer { rows = nil }
        return rows
    }

    func close() { rows = nil }
}

extension SQLSource {
    /// A row's values in the structure's columns; NULL for columns that were not read.
    func values(_ row: [ColumnValue], columns: [Int]) -> [ColumnValue] {
        var values = [ColumnValue](repeating: .null, count: places.count)
        for (value, column) in zip(row, columns) { values[column] = value }
        return values
    }
}

extension QueryRenderer {
    /// Whether the condition sets every column of the key to one value.
    var findsOneRow: Bool {
        let key = sources[0].table.structure.primaryKey
        guard !key.isEmpty, let predicate = query.predicate else { return false }
        let pinned = predicate.conjuncts.compactMap { part -> Int? in
            guard case .compare(let column, .equal, _) = part, column.source == 0 else { return nil }
            return sources[0].places[column.column]
        }
        return key.allSatisfy(pinned.contains)
    }
}

extension Aggregate {
    /// Checks a result. A sum of integers, which is text, must fit into 64 bits.
    fileprivate func checked(_ value: ColumnValue, _ columns: [Column]) throws -> ColumnValue {
        guard case .sum(let number) = self, columns[number].type.isInteger, case .text(let text) = value else {
            if case .sum(let number) = self, !columns[number].type.isInteger, !columns[number].type.isFloatingPoint {
                throw CRUDSQLExeError("Only numbers have a sum.", code: .type, column: columns[number].name)
            }
            return value
        }
        let column = columns[number]
        guard let sum = Int128(text) else {
            throw CRUDSQLExeError("The sum \(text) is no integer.", code: .type, column: column.name)
        }
        if column.type == .uint64, let sum = UInt64(exactly: sum) { return ColumnValue(sum) }
        if column.type != .uint64, let sum = Int64(exactly: sum) { return .integer(sum) }
        throw CRUDSQLExeError("The sum is out of the range of 64 bits.", code: .type, column: column.name)
    }
}

extension ColumnValue {
    package var int: Int? { if case .integer(let value) = self { Int(value) } else { nil } }
    package var string: String? {
        switch self {
        case .text(let value), .json(let value): value
        default: nil
        }
    }
}
