package import TableKit

/// Renders queries as SQL: parents with their condition, order and limit. ``JoinFetch`` reads joined rows separately.
package struct QueryRenderer {
    package let query: Query
    package let sources: [SQLSource]
    private let dialect: any SQLDialect
    let predicates: PredicateRenderer

    package init(_ query: Query, _ sources: [SQLSource], _ dialect: any SQLDialect) {
        self.query = query
        self.sources = sources
        self.dialect = dialect
        predicates = PredicateRenderer(sources)
    }

    /// Whether equal parents may occur twice. The reader must then drop the second one.
    package var needsDistinct: Bool { query.isDistinct && !sources[0].hasKey(in: query.columns) }

    /// The columns of the parents to read, by number in the structure; without those that the table lacks.
    package var columns: [Int] {
        // Joins and their conditions need all columns of a parent.
        let wanted =
            query.joins.isEmpty ? query.columns ?? Array(sources[0].places.indices) : Array(sources[0].places.indices)
        return wanted.filter { sources[0].places[$0] != nil }
    }

    /// The query for the parents.
    /// - Parameter limit: nil if the reader applies the limit itself.
    package func parents(limit: RowLimit?) throws -> SQLStatement {
        try parents { text in
            try appendOrder(to: &text)
            let count = limit?.count.map { max($0, 0) }
            text += dialect.limit(count: count, skip: max(limit?.skip ?? 0, 0))
        }
    }

    /// The query for the parents, of which there is one at most.
    package func row() throws -> SQLStatement { try parents { _ in } }

    /// The query for the parents, with what `appendEnd` appends.
    private func parents(_ appendEnd: (inout SQLText) throws -> Void) throws -> SQLStatement {
        var text = SQLText(dialect, "SELECT ")
        let columns = columns
        text += columns.isEmpty ? "1" : try selection(columns)
        try appendSource(to: &text)
        try appendConditions(to: &text)
        try appendEnd(&text)
        return text.statement(results: columns.isEmpty ? [.int64] : columns.map(sources[0].type))
    }

    /// The query for the number of parents.
    package func count() throws -> SQLStatement {
        var text = SQLText(dialect, "SELECT count(*) FROM (SELECT ")
        if needsDistinct {
            // The server's equality is the same as in memory.
            let columns = (query.columns ?? Array(sources[0].places.indices)).filter { sources[0].places[$0] != nil }
            let names = try columns.map { try predicates.comparable(ColumnReference(column: $0), dialect) }
            text +=
                "DISTINCT "
                + (names.isEmpty ? "1" : names.enumerated().map { "\($1) AS c\($0)" }.joined(separator: ", "))
        } else {
            text += "1 AS one"
        }
        try appendSource(to: &text)
        try appendConditions(to: &text)
        text += dialect.limit(count: query.limit?.count.map { max($0, 0) }, skip: max(query.limit?.skip ?? 0, 0))
        text += ") AS found"
        return text.statement(results: [.int64])
    }

    /// The query for aggregates in groups; nil if the server cannot compute them.
    package func aggregate(_ aggregates: AggregateQuery) throws -> SQLStatement? {
        guard query.limit == nil, !needsDistinct else { return nil }
        var results = aggregates.groupBy.map(sources[0].type)
        let groups = try aggregates.groupBy.map { dialect.grouped(try column($0), sources[0].type($0)) }
        var parts = groups
        try checkReadable(aggregates.groupBy + aggregates.aggregates.compactMap(\.readColumn))
        for aggregate in aggregates.aggregates {
            let column = aggregate.column
            let type = column.map(sources[0].type) ?? .int64
            let name = try column.map { try predicates.column(ColumnReference(column: $0), dialect) } ?? "1"
            guard let (expression, result) = dialect.aggregate(aggregate, name, type) else { return nil }
            parts.append(expression)
            results.append(result)
        }
        var text = SQLText(dialect, "SELECT " + parts.joined(separator: ", "))
        try appendSource(to: &text)
        try appendConditions(to: &text)
        if !aggregates.groupBy.isEmpty {
            text += " GROUP BY " + groups.joined(separator: ", ")
        }
        return text.statement(results: results)
    }

    // MARK: Parts

    private func selection(_ columns: [Int]) throws -> String {
        try checkReadable(columns)
        return try columns.map(column).joined(separator: ", ")
    }

    /// Throws `type` if the values of a column of the parents cannot be read.
    private func checkReadable(_ columns: [Int]) throws {
        for place in columns.compactMap({ sources[0].places[$0] }) { try sources[0].table.checkReadable(place) }
    }

    private func column(_ number: Int) throws -> String {
        try predicates.column(ColumnReference(column: number), dialect)
    }

    private func appendSource(to text: inout SQLText) throws {
        text += " FROM \(try dialect.quote(sources[0].structure.name)) AS \(sources[0].alias)"
    }

    /// Appends the conditions on the parents, and one subquery for conditions on joined tables.
    private func appendConditions(to text: inout SQLText) throws {
        guard let predicate = query.predicate else { return }
        let parts = predicate.conjuncts
        // `and` of nothing is no condition.
        if parts.isEmpty { return }
        let own = parts.filter { $0.references.allSatisfy { $0.source == 0 } }
        let joined = parts.filter { !$0.references.allSatisfy { $0.source == 0 } }
        text += " WHERE "
        if !own.isEmpty { try predicates.append(.and(own), to: &text) }
        if joined.isEmpty { return }
        if !own.isEmpty { text += " AND " }
        try appendExistence(of: joined, to: &text)
    }

    /// Appends a test that some tuple of the parent and joined rows, or NULLs, fulfils the conditions.
    private func appendExistence(of conditions: [Predicate], to text: inout SQLText) throws {
        let named = query.sourcesLeading(to: conditions.flatMap { $0.references.map(\.source) })
        let joins = query.joins.filter { named.contains($0.source) }
        // If NULL cannot fulfil a condition, the left join is an inner join, which servers run as a semi-join.
        let isInner =
            joins.count == 1 && joins[0].pivot == nil && conditions.contains { $0.refusesNull(of: joins[0].source) }
        text += "EXISTS (SELECT 1 FROM "
        if isInner, let join = joins.first {
            text += try table(join.source)
            text += " WHERE "
            try append(join.equalities[0], to: &text)
            text += " AND "
        } else {
            text += "(SELECT 1 AS one) AS o"
            for equality in joins.flatMap(\.equalities) {
                text += " LEFT JOIN \(try table(equality.right.source)) ON "
                try append(equality, to: &text)
            }
            text += " WHERE "
        }
        try predicates.append(.and(conditions), to: &text)
        text += ")"
    }

    private func table(_ source: Int) throws -> String {
        "\(try dialect.quote(sources[source].structure.name)) AS \(sources[source].alias)"
    }

    private func append(
        _ equality: (left: ColumnReference, right: ColumnReference), to text: inout SQLText
    ) throws {
        try predicates.append(.compareColumns(equality.left, .equal, equality.right), to: &text)
    }

    /// Appends the order, and the key behind it, so that rows with equal values have an order, too.
    private func appendOrder(to text: inout SQLText) throws {
        let table = sources[0].table
        var named: Set<Int> = []
        var terms = try query.order.map { term in
            let place = sources[0].places[term.column]
            if let place { named.insert(place) }
            let column = try predicates.comparable(ColumnReference(column: term.column), dialect)
            return dialect.ordered(
                column, isDescending: term.isDescending, isOptional: !(place.map(table.isNeverNull) ?? false))
        }
        for number in table.structure.primaryKey where !named.contains(number) {
            let column = table.structure.columns[number]
            let name = "\(sources[0].alias).\(try dialect.quote(column.name))"
            terms.append(dialect.comparable(name, column.type))
        }
        if let row = table.rowColumn { terms.append("\(sources[0].alias).\(try dialect.quote(row))") }
        if !terms.isEmpty { text += " ORDER BY " + terms.joined(separator: ", ") }
    }
}

extension Aggregate {
    /// The column whose values the aggregate returns; nil for numbers of rows and values.
    fileprivate var readColumn: Int? {
        switch self {
        case .count, .countValues, .countDistinct: nil
        case .min, .max, .sum, .average: column
        }
    }
}

extension Predicate {
    /// Whether the condition is never true if the columns of a source are NULL.
    fileprivate func refusesNull(of source: Int) -> Bool {
        switch self {
        case .constant(let value): value != true
        case .compare(let column, _, _), .like(let column, _): column.source == source
        case .isIn(let column, _): column.source == source
        case .compareColumns(let left, _, let right): left.source == source || right.source == source
        case .isNull, .not: false
        case .and(let parts): parts.contains { $0.refusesNull(of: source) }
        case .or(let parts): !parts.isEmpty && parts.allSatisfy { $0.refusesNull(of: source) }
        }
    }
}
