#if PEER_SQLITE
import Foundation
import SiltstoneTesting
import TableKit

/// Says a query over one table in words that both databases read.
struct SQLTextWriter {
    let table: TableStructure

    /// The text of a SELECT, and whether it fixes the order of its rows. Nil where no text says the query in both.
    func select(_ query: Query) -> (text: String, isOrdered: Bool)? {
        guard let condition = filter(query.predicate) else { return nil }
        let columns = query.columns ?? Array(table.columns.indices)
        let names = query.columns == nil ? "*" : columns.map { table.columns[$0].name }.joined(separator: ", ")
        // Beside DISTINCT, an order by other columns says not which of two equal rows counts.
        let isWhole = query.columns == nil || !query.isDistinct
        let isOrdered = isWhole && !table.primaryKey.isEmpty
        guard isOrdered || query.limit == nil else { return nil }
        var text = "SELECT \(query.isDistinct ? "DISTINCT " : "")\(names) FROM \(table.name)\(condition)"
        if isOrdered {
            let key = table.primaryKey.map { table.columns[$0].name }
            let terms = query.order.map { table.columns[$0.column].name + ($0.isDescending ? " DESC" : "") }
            text += " ORDER BY \((terms + key).joined(separator: ", "))"
        }
        if let limit = query.limit { text += " LIMIT \(limit.count ?? -1) OFFSET \(limit.skip)" }
        return (text, isOrdered)
    }

    /// The text of a SELECT of groups, ordered by group.
    func select(_ aggregate: AggregateQuery) -> String? {
        guard aggregate.rows.limit == nil, let condition = filter(aggregate.rows.predicate) else { return nil }
        func name(_ column: Int) -> String { table.columns[column].name }
        let groups = aggregate.groupBy.map(name)
        let values = aggregate.aggregates.map { aggregate in
            switch aggregate {
            case .count: "COUNT(*)"
            case .countValues(let column): "COUNT(\(name(column)))"
            case .countDistinct(let column): "COUNT(DISTINCT \(name(column)))"
            case .min(let column): "MIN(\(name(column)))"
            case .max(let column): "MAX(\(name(column)))"
            case .sum(let column): "SUM(\(name(column)))"
            case .average(let column): "AVG(\(name(column)))"
            }
        }
        let grouping = groups.joined(separator: ", ")
        return "SELECT \((groups + values).joined(separator: ", ")) FROM \(table.name)\(condition)"
            + (groups.isEmpty ? "" : " GROUP BY \(grouping) ORDER BY \(grouping)")
    }

    private func filter(_ predicate: TableKit.Predicate?) -> String? {
        guard let predicate else { return "" }
        return text(predicate).map { " WHERE \($0)" }
    }

    private func name(_ column: ColumnReference) -> String { table.columns[column.column].name }

    private func text(_ predicate: TableKit.Predicate) -> String? {
        switch predicate {
        case .constant(let value): return value.map { $0 ? "TRUE" : "FALSE" } ?? "NULL"
        case .compare(let column, .equal, .bool(true)): return name(column)
        case .compare(let column, let comparison, let value):
            return SQLTextWriter.literal(value, table.columns[column.column].type)
                .map { "\(name(column)) \(comparison.sign) \($0)" }
        case .compareColumns(let left, let comparison, let right):
            return "\(name(left)) \(comparison.sign) \(name(right))"
        case .isNull(let column): return "\(name(column)) IS NULL"
        case .not(.isNull(let column)): return "\(name(column)) IS NOT NULL"
        case .isIn(let column, let values): return list(column, values).map { "\(name(column)) IN (\($0))" }
        case .not(.isIn(let column, let values)): return list(column, values).map { "\(name(column)) NOT IN (\($0))" }
        case .like(let column, let pattern): return pattern.literal.map { "\(name(column)) LIKE \($0)" }
        case .not(.like(let column, let pattern)): return pattern.literal.map { "\(name(column)) NOT LIKE \($0)" }
        case .not(let part): return text(part).map { "NOT (\($0))" }
        case .and(let parts): return joined(parts, "AND", empty: "TRUE")
        case .or(let parts): return joined(parts, "OR", empty: "FALSE")
        }
    }

    private func joined(_ parts: [TableKit.Predicate], _ word: String, empty: String) -> String? {
        let texts = parts.compactMap(text)
        if texts.count < parts.count { return nil }
        return texts.isEmpty ? empty : "(\(texts.joined(separator: " \(word) ")))"
    }

    private func list(_ column: ColumnReference, _ values: [ColumnValue]) -> String? {
        let texts = values.compactMap { SQLTextWriter.literal($0, table.columns[column.column].type) }
        return texts.count == values.count ? texts.joined(separator: ", ") : nil
    }

    /// A literal, if both databases read it as the same value of a column. Dates are texts here and reals in SQLite as it
    /// is used; a real beside a column of floats is rounded here.
    static func literal(_ value: ColumnValue, _ type: ColumnType) -> String? {
        switch value {
        case .null: return "NULL"
        case .bool(let value): return value ? "TRUE" : "FALSE"
        case .integer(let value): return String(value)
        case .real(let value):
            if type == .float, Double(Float(value)) != value { return nil }
            return value.isInfinite ? value < 0 ? "-9e999" : "9e999" : String(value)
        case .uuid(let value): return "'\(value.uuidString)'"
        case .text(let value), .json(let value): return "'\(value.replacing("'", with: "''"))'"
        case .bytes(let value):
            return "x'\(value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'"
        case .date, .unsigned: return nil
        }
    }
}

extension LikePattern {
    /// The pattern as a literal, if it needs no ESCAPE.
    fileprivate var literal: String? {
        if place != .wildcards, sql.contains("\\") { return nil }
        return "'\(sql.replacing("'", with: "''"))'"
    }
}
#endif
