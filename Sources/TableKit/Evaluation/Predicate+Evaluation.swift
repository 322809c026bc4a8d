extension Predicate {
    /// Evaluates the condition for the columns' values: true, false, or unknown (nil).
    /// - Parameter column: the value of a column; NULL where a left join found no row.
    package func evaluate(_ column: (ColumnReference) -> ColumnValue) -> Bool? {
        switch self {
        case .constant(let value): return value
        case .compare(let left, let comparison, let right):
            return comparison.evaluate(column(left), right)
        case .compareColumns(let left, let comparison, let right):
            return comparison.evaluate(column(left), column(right))
        case .isNull(let reference): return column(reference).isNull
        case .isIn(let reference, let values): return Predicate.contains(values, column(reference))
        case .like(let reference, let pattern): return pattern.evaluate(column(reference))
        case .not(let part): return part.evaluate(column).map { !$0 }
        case .and(let parts):
            let values = parts.map { $0.evaluate(column) }
            return values.contains(false) ? false : values.contains(nil) ? nil : true
        case .or(let parts):
            let values = parts.map { $0.evaluate(column) }
            return values.contains(true) ? true : values.contains(nil) ? nil : false
        }
    }

    private static func contains(_ values: [ColumnValue], _ value: ColumnValue) -> Bool? {
        if values.isEmpty { return false }
        if value.isNull { return nil }
        if values.contains(where: { !$0.isNull && ColumnValue.areSame($0, value) }) { return true }
        return values.contains { $0.isNull } ? nil : false
    }

    /// The columns that the condition names.
    package var references: Set<ColumnReference> {
        switch self {
        case .constant: []
        case .compare(let column, _, _), .isNull(let column), .isIn(let column, _), .like(let column, _): [column]
        case .compareColumns(let left, _, let right): [left, right]
        case .not(let part): part.references
        case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.references) }
        }
    }
}

extension Comparison {
    /// Compares two values. The result is unknown (nil) if one of them is NULL.
    package func evaluate(_ left: ColumnValue, _ right: ColumnValue) -> Bool? {
        if left.isNull || right.isNull { return nil }
        return holds(order: ColumnValue.order(left, right))
    }

    /// True if the comparison holds for two values whose three-way order is below 0, 0, or above 0.
    @inlinable
    @inline(__always)
    package func holds(order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// The comparison with its operands swapped.
    package var mirrored: Comparison {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}
