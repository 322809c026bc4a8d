#if PEER_SQLITE
import SiltstoneTesting
import TableKit

/// Says queries of the seam in SQLite's SQL.
struct SQLiteRenderer {
    let query: Query
    /// The values of the parameters of the text that is being made.
    private(set) var bindings: [ColumnValue] = []

    init(_ query: Query) { self.query = query }

    private func name(_ column: ColumnReference) -> String {
        "s\(column.source).\(query.sources[column.source].columns[column.column].name)"
    }

    private func name(_ source: Int, _ column: Int) -> String { name(ColumnReference(source: source, column: column)) }

    /// The columns of the parents that the result has.
    var columns: [Int] { query.columns ?? Array(query.sources[0].columns.indices) }

    /// The parents: a number for each, then the values of ``columns``.
    mutating func parents() -> String {
        bindings = []
        let names = columns.map { query.sources[0].columns[$0].name }
        let listed = columns.map { ", \(name(0, $0)) AS \(query.sources[0].columns[$0].name)" }.joined()
        let order = terms(0, query.order)
        let from = "FROM \(query.sources[0].name) AS s0 WHERE \(filter())"
        let limit = query.limit.map { " LIMIT \($0.count ?? -1) OFFSET \($0.skip)" } ?? ""
        if !query.isDistinct || (query.columns == nil && !query.sources[0].primaryKey.isEmpty) {
            return "SELECT s0.rowid AS r\(listed) \(from) ORDER BY \(order)\(limit)"
        }
        return """
            SELECT min(r) AS r, \(names.joined(separator: ", ")) \
            FROM (SELECT s0.rowid AS r\(listed), row_number() OVER (ORDER BY \(order)) AS place \(from)) \
            GROUP BY \(names.joined(separator: ", ")) ORDER BY min(place)\(limit)
            """
    }

    /// The rows of a join: the numbers of owner and row, then the row's values, in the order of the join.
    mutating func rows(of join: JoinClause, parents: [Int64]) -> String {
        bindings = []
        let tables = tables(withAll: (query.predicate?.sources ?? []).union([join.source]))
        let values = query.sources[join.source].columns.indices.map { ", \(name(join.source, $0))" }.joined()
        return """
            SELECT DISTINCT s\(join.parent).rowid, s\(join.source).rowid\(values) FROM \(tables) \
            WHERE s\(join.parent).rowid IS NOT NULL AND s\(join.source).rowid IS NOT NULL \
            AND s0.rowid IN (\(parents.map(String.init).joined(separator: ", "))) \
            AND \(query.predicate.map { text($0) } ?? "1") ORDER BY \(terms(join.source, join.order))
            """
    }

    /// The groups, ordered.
    mutating func aggregates(_ aggregate: AggregateQuery) -> String {
        let rows = parents()
        let columns = query.sources[0].columns
        let groups = aggregate.groupBy.map { columns[$0].name }
        let values = aggregate.aggregates.map { aggregate in
            switch aggregate {
            case .count: "count(*)"
            case .countValues(let column): "count(\(columns[column].name))"
            case .countDistinct(let column): "count(DISTINCT \(columns[column].name))"
            case .min(let column): "min(\(columns[column].name))"
            case .max(let column): "max(\(columns[column].name))"
            case .sum(let column): "sum(\(columns[column].name))"
            case .average(let column): "avg(\(columns[column].name))"
            }
        }
        let grouping = groups.joined(separator: ", ")
        return "SELECT \((groups + values).joined(separator: ", ")) FROM (\(rows))"
            + (groups.isEmpty ? "" : " GROUP BY \(grouping) ORDER BY \(grouping)")
    }

    /// The condition of the query as that of a change of its only table, which is named `s0` there.
    mutating func condition() -> String {
        bindings = []
        return query.predicate.map { text($0) } ?? "1"
    }

    /// An order made total by the key, or by the order of insertion.
    private func terms(_ source: Int, _ order: [OrderTerm]) -> String {
        let key = query.sources[source].primaryKey.map { name(source, $0) }
        let terms = order.map { name(source, $0.column) + ($0.isDescending ? " DESC" : "") }
        return (terms + (key.isEmpty ? ["s\(source).rowid"] : key)).joined(separator: ", ")
    }

    private mutating func filter() -> String {
        guard let predicate = query.predicate else { return "1" }
        if predicate.sources.isSubset(of: [0]) { return text(predicate) }
        return "s0.rowid IN (SELECT s0.rowid FROM \(tables(withAll: predicate.sources)) WHERE \(text(predicate)))"
    }

    /// The tables with the left joins that lead to these sources.
    private func tables(withAll sources: Set<Int>) -> String {
        var all = sources
        for join in query.joins.reversed() {
            if let pivot = join.pivot, all.contains(pivot.source) { all.insert(join.source) }
            if all.contains(join.source) { all.insert(join.parent) }
        }
        var text = "\(query.sources[0].name) AS s0"
        for join in query.joins where all.contains(join.source) {
            var on = (left: name(join.parent, join.on), column: join.equals)
            if let pivot = join.pivot {
                text += " LEFT JOIN \(query.sources[pivot.source].name) AS s\(pivot.source)"
                text += " ON \(on.left) = \(name(pivot.source, on.column))"
                on = (name(pivot.source, pivot.column), pivot.equals)
            }
            text += " LEFT JOIN \(query.sources[join.source].name) AS s\(join.source)"
            text += " ON \(on.left) = \(name(join.source, on.column))"
        }
        return text
    }

    private mutating func bound(_ value: ColumnValue) -> String {
        bindings.append(value)
        return "?"
    }

    private mutating func text(_ predicate: Predicate) -> String {
        switch predicate {
        case .constant(let value): return value.map { $0 ? "1" : "0" } ?? "NULL"
        case .compare(let column, let comparison, let value):
            return "\(name(column)) \(comparison.sign) \(bound(value))"
        case .compareColumns(let left, let comparison, let right):
            return "\(name(left)) \(comparison.sign) \(name(right))"
        case .isNull(let column): return "\(name(column)) IS NULL"
        case .isIn(let column, let values):
            return "\(name(column)) IN (\(values.map { bound($0) }.joined(separator: ", ")))"
        case .like(let column, let pattern):
            return "\(name(column)) LIKE \(bound(.text(pattern.sql)))"
                + (pattern.place == .wildcards ? "" : " ESCAPE '\\'")
        case .not(let part): return "NOT (\(text(part)))"
        case .and(let parts): return parts.isEmpty ? "1" : "(\(parts.map { text($0) }.joined(separator: " AND ")))"
        case .or(let parts): return parts.isEmpty ? "0" : "(\(parts.map { text($0) }.joined(separator: " OR ")))"
        }
    }
}

extension Comparison {
    /// The sign in SQL.
    var sign: String {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension LikePattern {
    /// The pattern of SQLite's LIKE, wildcards within the text escaped.
    var sql: String {
        if place == .wildcards { return text }
        let escaped = text.map { "\\%_".contains($0) ? "\\\($0)" : String($0) }.joined()
        switch place {
        case .anywhere: return "%\(escaped)%"
        case .atStart: return "\(escaped)%"
        case .atEnd: return "%\(escaped)"
        case .whole, .wildcards: return escaped
        }
    }
}

extension Predicate {
    /// The numbers of the tables that the condition names.
    var sources: Set<Int> {
        switch self {
        case .constant: []
        case .compare(let column, _, _), .isNull(let column), .isIn(let column, _), .like(let column, _):
            [column.source]
        case .compareColumns(let left, _, let right): [left.source, right.source]
        case .not(let part): part.sources
        case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.sources) }
        }
    }
}
#endif
