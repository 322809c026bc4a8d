/// Evaluates a query on rows in memory, without optimization: the reference for every engine.
///
/// A tuple is a parent with one row, or NULL, of each table that the condition names. The query's parents are those of
/// tuples that the condition accepts. The array of a join has the distinct rows of accepted tuples.
package struct QueryEvaluation {
    let query: Query
    /// The rows of each source, in key order.
    let rows: [[[ColumnValue]]]
    private let matches: [JoinMatches]

    /// - Parameter rows: for each source the rows of its table, in key order, with the source's columns.
    package init(_ query: Query, rows: [[[ColumnValue]]]) {
        self.query = query
        self.rows = rows
        matches = query.joins.map { JoinMatches($0, rows: rows) }
    }

    /// The numbers of the parents in the rows of source 0, ordered and limited by the query.
    package func parents() -> [Int] {
        let named = query.sourcesLeading(to: query.predicate?.references.map(\.source) ?? [])
        let accepted = rows[0].indices.filter { parent in
            tuples(of: parent, sources: named).contains(where: isAccepted)
        }
        let ordered = QueryEvaluation.sorted(accepted, rows: rows[0], by: query.order)
        let distinct =
            query.isDistinct ? QueryEvaluation.distinct(ordered, rows: rows[0], columns: query.columns) : ordered
        return QueryEvaluation.cut(distinct, query.limit)
    }

    /// The tuples of a parent with the rows of these sources. All other sources are NULL.
    func tuples(of parent: Int, sources: Set<Int>) -> [[Int?]] {
        var tuples: [[Int?]] = [[parent] + query.sources.dropFirst().map { _ in nil }]
        for (join, matches) in zip(query.joins, matches) where sources.contains(join.source) {
            tuples = tuples.flatMap { tuple -> [[Int?]] in
                guard let row = tuple[join.parent] else { return [tuple] }
                let found = matches.rows(for: rows[join.parent][row][join.on])
                if found.isEmpty { return [tuple] }
                return found.map { match in
                    var longer = tuple
                    longer[join.source] = match.row
                    if let pivot = join.pivot { longer[pivot.source] = match.pivot }
                    return longer
                }
            }
        }
        return tuples
    }

    /// True if the condition is true for a tuple.
    func isAccepted(_ tuple: [Int?]) -> Bool {
        guard let predicate = query.predicate else { return true }
        return predicate.evaluate { reference in
            tuple[reference.source].map { rows[reference.source][$0][reference.column] } ?? .null
        } ?? false
    }
}

extension QueryEvaluation {
    /// Sorts row numbers by an order. The sort is stable.
    static func sorted(_ numbers: [Int], rows: [[ColumnValue]], by terms: [OrderTerm]) -> [Int] {
        numbers.enumerated().sorted { left, right in
            let order = compare(rows[left.element], rows[right.element], by: terms)
            return order == 0 ? left.offset < right.offset : order < 0
        }.map(\.element)
    }

    static func compare(_ left: [ColumnValue], _ right: [ColumnValue], by terms: [OrderTerm]) -> Int {
        for term in terms {
            let order = ColumnValue.order(left[term.column], right[term.column])
            if order != 0 { return term.isDescending ? -order : order }
        }
        return 0
    }

    /// Keeps the first of each group of rows with equal columns.
    static func distinct(_ numbers: [Int], rows: [[ColumnValue]], columns: [Int]? = nil) -> [Int] {
        var seen: Set<ValueTuple> = []
        return numbers.filter { number in
            let row = rows[number]
            return seen.insert(ValueTuple(columns.map { $0.map { row[$0] } } ?? row)).inserted
        }
    }

    static func cut<T>(_ items: [T], _ limit: RowLimit?) -> [T] {
        guard let limit else { return items }
        let rest = items.dropFirst(max(limit.skip, 0))
        return Array(limit.count.map { rest.prefix(max($0, 0)) } ?? rest)
    }
}

/// The rows that a join finds for each value of its parent's column.
private struct JoinMatches {
    /// A joined row with the pivot's row. `row` is nil if the pivot's row refers to no row.
    struct Match {
        var row: Int?
        var pivot: Int?
    }

    private let found: [ValueTuple: [Match]]

    init(_ join: JoinClause, rows: [[[ColumnValue]]]) {
        guard let pivot = join.pivot else {
            found = JoinMatches.grouped(rows[join.source], by: join.equals).mapValues { $0.map { Match(row: $0) } }
            return
        }
        let joined = JoinMatches.grouped(rows[join.source], by: pivot.equals)
        found = JoinMatches.grouped(rows[pivot.source], by: join.equals).mapValues { pivots in
            pivots.flatMap { number -> [Match] in
                let key = ValueTuple([rows[pivot.source][number][pivot.column]])
                return joined[key]?.map { Match(row: $0, pivot: number) } ?? [Match(row: nil, pivot: number)]
            }
        }
    }

    /// Groups row numbers by the value of a column. Leaves out NULLs, which join nothing.
    private static func grouped(_ rows: [[ColumnValue]], by column: Int) -> [ValueTuple: [Int]] {
        let numbers = rows.indices.filter { !rows[$0][column].isNull }
        return Dictionary(grouping: numbers) { ValueTuple([rows[$0][column]]) }
    }

    func rows(for value: ColumnValue) -> [Match] { found[ValueTuple([value])] ?? [] }
}
