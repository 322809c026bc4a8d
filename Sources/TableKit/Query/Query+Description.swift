import Foundation

extension Query: CustomStringConvertible {
    /// The query in an SQL-like notation, for logs.
    public var description: String {
        var text =
            "SELECT \(columns.map { $0.map { name(ColumnReference(column: $0)) }.joined(separator: ", ") } ?? "*")"
        text += " FROM \(sources[0].name)"
        for join in joins {
            let on = name(ColumnReference(source: join.parent, column: join.on))
            if let pivot = join.pivot {
                text += " JOIN \(sources[pivot.source].name) ON \(on)"
                text += " = \(name(ColumnReference(source: pivot.source, column: join.equals)))"
                text += " JOIN \(sources[join.source].name)"
                text += " ON \(name(ColumnReference(source: pivot.source, column: pivot.column)))"
                text += " = \(name(ColumnReference(source: join.source, column: pivot.equals)))"
            } else {
                text += " JOIN \(sources[join.source].name) ON \(on)"
                text += " = \(name(ColumnReference(source: join.source, column: join.equals)))"
            }
            text += suffix(join.source, join.order, join.limit)
            if let each = join.limitEach { text += " EACH\(suffix(join.source, [], each))" }
        }
        if let predicate { text += " WHERE \(predicate.text { name($0) })" }
        return text + suffix(0, order, limit)
    }

    private func name(_ column: ColumnReference) -> String {
        let table = sources[column.source]
        let name = table.columns[column.column].name
        return sources.count == 1 ? name : "\(table.name).\(name)"
    }

    private func suffix(_ source: Int, _ order: [OrderTerm], _ limit: RowLimit?) -> String {
        var text = ""
        if !order.isEmpty {
            let terms = order.map {
                name(ColumnReference(source: source, column: $0.column)) + ($0.isDescending ? " DESC" : "")
            }
            text += " ORDER BY \(terms.joined(separator: ", "))"
        }
        if let count = limit?.count { text += " LIMIT \(count)" }
        if let skip = limit?.skip, skip > 0 { text += " OFFSET \(skip)" }
        return text
    }
}

extension Predicate {
    /// The condition in an SQL-like notation.
    package func text(_ name: (ColumnReference) -> String) -> String {
        switch self {
        case .constant(let value): value.map { $0 ? "TRUE" : "FALSE" } ?? "NULL"
        case .compare(let column, let comparison, let value): "\(name(column)) \(comparison.sign) \(value.text)"
        case .compareColumns(let left, let comparison, let right): "\(name(left)) \(comparison.sign) \(name(right))"
        case .isNull(let column): "\(name(column)) IS NULL"
        case .isIn(let column, let values):
            "\(name(column)) IN (\(values.prefix(8).map(\.text).joined(separator: ", "))"
                + (values.count > 8 ? ", … \(values.count) in all)" : ")")
        case .like(let column, let pattern): "\(name(column)) LIKE \(pattern.text) (\(pattern.place))"
        case .not(let part): "NOT (\(part.text(name)))"
        case .and(let parts): "(\(parts.map { $0.text(name) }.joined(separator: " AND ")))"
        case .or(let parts): "(\(parts.map { $0.text(name) }.joined(separator: " OR ")))"
        }
    }
}

extension Comparison {
    /// The operator in SQL.
    package var sign: String {
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

extension ColumnValue {
    /// The value as a literal.
    fileprivate var text: String {
        switch self {
        case .null: "NULL"
        case .bool(let value): value ? "TRUE" : "FALSE"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): "\(value)"
        case .date(let value): "'\(ColumnDate.format(value))'"
        case .uuid(let value): "'\(value.uuidString)'"
        case .text(let value), .json(let value): "'\(value)'"
        case .bytes(let value): "\(value.count) bytes"
        }
    }
}
