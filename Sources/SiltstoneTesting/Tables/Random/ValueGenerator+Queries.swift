public import TableKit

extension ValueGenerator {
    /// A value to compare with a column, usually a possible value of it. Only numbers are mixed with other numeric
    /// types: TableKit orders other kinds by kind, but SQLite converts text to numbers.
    public mutating func literal(_ type: ColumnType) -> ColumnValue {
        if random.chance(5) { return .null }
        if type.isInteger, random.chance(25) {
            return random.pick([
                .integer(300), .real(1.5), .real(-0.5), .real(1), .real(1e30), .real(-1e30), .real(.infinity),
                .integer(-1), .integer(.min), .integer((1 << 53) + 1), .real(9_007_199_254_740_992),
            ])
        }
        if type.isFloatingPoint, random.chance(25) {
            return random.pick([.integer(2), .integer(-1), .real(1e30), .real(0.1), .real(-.infinity), .integer(7)])
        }
        return value(type)
    }

    /// A random condition on columns of the tables.
    public mutating func predicate(_ sources: [TableStructure], depth: Int = 3) -> Predicate {
        let source = random.chance(60) ? 0 : random.below(sources.count)
        let number = random.below(sources[source].columns.count)
        let column = ColumnReference(source: source, column: number)
        let type = sources[source].columns[number].type
        switch random.below(depth > 0 ? 15 : 9) {
        case 0, 1, 2: return .compare(column, comparison(), literal(type))
        case 3: return .compare(column, .equal, value(type))
        case 4: return .isNull(column)
        case 5: return .isIn(column, (0..<random.below(5)).map { _ in literal(type) })
        case 6: return like(column, type)
        case 7: return compareColumns(column, type, sources)
        case 8: return random.chance(20) ? .constant(random.pick([true, false, nil])) : like(column, type)
        case 9, 10, 11: return .and((0..<random.below(4)).map { _ in predicate(sources, depth: depth - 1) })
        case 12: return .or((0..<random.below(4)).map { _ in predicate(sources, depth: depth - 1) })
        default: return .not(predicate(sources, depth: depth - 1))
        }
    }

    private mutating func like(_ column: ColumnReference, _ type: ColumnType) -> Predicate {
        guard type == .string || type == .json else { return .compare(column, comparison(), literal(type)) }
        return .like(column, LikePattern(text(), random.pick([.anywhere, .atStart, .atEnd, .whole, .wildcards])))
    }

    private mutating func compareColumns(
        _ column: ColumnReference, _ type: ColumnType, _ sources: [TableStructure]
    ) -> Predicate {
        let source = random.below(sources.count)
        let others = sources[source].columns.indices.filter { sources[source].columns[$0].type.kind == type.kind }
        guard !others.isEmpty else { return .isNull(column) }
        return .compareColumns(column, comparison(), ColumnReference(source: source, column: random.pick(others)))
    }

    private mutating func comparison() -> Comparison {
        random.pick([.equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
    }

    private mutating func order(_ table: TableStructure, atLeast count: Int) -> [OrderTerm] {
        let isDescending = random.chance(50)
        return random.some(Array(table.columns.indices), atMost: max(count, random.below(3))).map {
            OrderTerm(column: $0, isDescending: random.chance(80) ? isDescending : !isDescending)
        }
    }

    private mutating func limit() -> RowLimit {
        RowLimit(count: random.chance(20) ? nil : random.below(12), skip: random.below(4))
    }

    /// A random query of one table.
    public mutating func query(_ table: TableStructure) -> Query {
        var query = Query(table)
        if random.chance(90) { query.predicate = predicate([table]) }
        if random.chance(40) { query.limit = limit() }
        query.order = order(table, atLeast: query.limit == nil || random.chance(15) ? 0 : 1)
        query.isDistinct = random.chance(70)
        if random.chance(25) {
            query.columns = random.some(Array(table.columns.indices), atMost: random.below(2) + 1).sorted()
        }
        return query
    }

    /// A random query with joins of two to four tables, including grandchildren and pivots. A query with a limit has an
    /// order, because the limit could otherwise select any rows.
    ///
    /// Not of more tables, and not of three if one is large: a condition on all of them is evaluated on their product, and
    /// that of six tables of 30 rows took twenty minutes.
    public mutating func joinQuery(_ tables: [TableStructure]) -> Query {
        var query = Query(tables[0])
        for number in 0..<(isLarge ? 1 : random.pick([1, 1, 1, 2, 2, 3])) {
            if query.sources.count == 4 { break }
            let joined = query.joins.map(\.source)
            let parent = joined.isEmpty || random.chance(60) ? 0 : random.pick(joined)
            if let join = join("p\(number)", parent, &query.sources, tables) { query.joins.append(join) }
        }
        if random.chance(80) { query.predicate = predicate(query.sources, depth: 2) }
        if random.chance(30) || query.joins.contains(where: { $0.limit != nil }) { query.limit = limit() }
        query.order = order(tables[0], atLeast: query.limit == nil ? 0 : 1)
        return query
    }

    private mutating func join(
        _ property: String, _ parent: Int, _ sources: inout [TableStructure], _ tables: [TableStructure]
    ) -> JoinClause? {
        let child = random.pick(tables)
        let between = !isLarge && sources.count < 3 && random.chance(35) ? random.pick(tables) : nil
        let middle = between ?? child
        guard let (on, equals) = matching(sources[parent], middle) else { return nil }
        var pivot: PivotClause?
        if let between {
            guard let (column, childColumn) = matching(between, child) else { return nil }
            sources.append(between)
            pivot = PivotClause(source: sources.count - 1, column: column, equals: childColumn)
        }
        sources.append(child)
        var join = JoinClause(
            property: property, parent: parent, source: sources.count - 1, on: on, equals: equals, pivot: pivot)
        join.order = order(child, atLeast: 0)
        join.limit = random.chance(15) ? limit() : nil
        join.limitEach = random.chance(15) ? limit() : nil
        return join
    }

    /// Columns of the same kind in two tables, mostly `id` and `link`.
    private mutating func matching(_ left: TableStructure, _ right: TableStructure) -> (Int, Int)? {
        let on = random.chance(90) ? random.below(2) : random.below(left.columns.count)
        let kind = left.columns[on].type.kind
        let others = right.columns.indices.filter { right.columns[$0].type.kind == kind && kind != .json }
        guard !others.isEmpty else { return nil }
        return (on, random.chance(80) ? others[0] : random.pick(others))
    }

    /// Random aggregates over the rows of a query.
    public mutating func aggregateQuery(_ rows: Query) -> AggregateQuery {
        var rows = rows
        rows.columns = nil
        if rows.order.isEmpty { rows.limit = nil }
        let columns = rows.sources[0].columns
        let groupBy = random.some(Array(columns.indices), atMost: random.below(3))
        var aggregates: [Aggregate] = [.count]
        for _ in 0..<random.below(4) {
            let number = random.below(columns.count)
            let type = columns[number].type
            let isNumber = type.isInteger || type.isFloatingPoint || type == .bool
            var choices: [Aggregate] = [.countValues(number), .countDistinct(number), .min(number), .max(number)]
            if isNumber { choices.append(.sum(number)) }
            // SQLite averages as reals: values near 2^63 would swallow the others.
            if isNumber, type != .int64, type != .uint64 { choices.append(.average(number)) }
            aggregates.append(random.pick(choices))
        }
        return AggregateQuery(rows, groupBy: groupBy, aggregates: aggregates)
    }
}

/// Kinds of values. Values of one kind are compared by value, those of different kinds by kind.
public enum ValueKind: Sendable { case number, bool, date, uuid, text, bytes, json }

extension ColumnType {
    /// The kind of the type's values.
    public var kind: ValueKind {
        switch self {
        case .bool: .bool
        case .date: .date
        case .uuid: .uuid
        case .string: .text
        case .bytes: .bytes
        case .json: .json
        default: .number
        }
    }
}
