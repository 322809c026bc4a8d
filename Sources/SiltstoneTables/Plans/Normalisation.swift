import TableKit

/// Normalises the predicate of a query for the planner.
struct Normalisation {
    /// The column types of the query's tables.
    let types: [[ColumnType]]

    /// Returns the condition that matches where the predicate is true.
    /// - Throws: `TableErrorCode.noColumn` if the predicate refers to a missing table or column.
    func condition(of predicate: Predicate?) throws(CRUDSQLGenError) -> Condition {
        guard let predicate else { return .always }
        return try condition(of: predicate, isNegated: false)
    }

    private func condition(of predicate: Predicate, isNegated: Bool) throws(CRUDSQLGenError) -> Condition {
        switch predicate {
        case .constant(let value):
            guard let value else { return .never }
            return value != isNegated ? .always : .never
        case .compare(let column, let comparison, let value):
            let comparison = isNegated ? comparison.negated : comparison
            return .comparing(column, try type(of: column), comparison, value)
        case .compareColumns(let left, let comparison, let right):
            _ = (try type(of: left), try type(of: right))
            return .columns(left, isNegated ? comparison.negated : comparison, right)
        case .isNull(let column):
            _ = try type(of: column)
            return .test(column, isNegated ? .isNotNull : .isNull)
        case .isIn(let column, let values):
            return membership(column, try type(of: column), values, isNegated: isNegated)
        case .like(let column, let pattern):
            // A value that is not text matches no pattern.
            guard try type(of: column).isText else { return isNegated ? .test(column, .isNotNull) : .never }
            return .test(column, isNegated ? .isNotLike(pattern) : .like(pattern))
        case .not(let inner): return try condition(of: inner, isNegated: !isNegated)
        case .and(let parts):
            let parts = try conditions(of: parts, isNegated)
            return isNegated ? .any(parts) : .all(parts)
        case .or(let parts):
            let parts = try conditions(of: parts, isNegated)
            return isNegated ? .all(parts) : .any(parts)
        }
    }

    private func conditions(of parts: [Predicate], _ isNegated: Bool) throws(CRUDSQLGenError) -> [Condition] {
        var result: [Condition] = []
        for part in parts { result.append(try condition(of: part, isNegated: isNegated)) }
        return result
    }

    private func membership(
        _ column: ColumnReference, _ type: ColumnType, _ values: [ColumnValue], isNegated: Bool
    ) -> Condition {
        if values.isEmpty { return isNegated ? .always : .never }
        // NOT IN a list with NULL is never true.
        if isNegated, values.contains(.null) { return .never }
        let known = values.compactMap { LiteralBounds($0, for: type).exact }
        if known.isEmpty { return isNegated ? .test(column, .isNotNull) : .never }
        if isNegated {
            let distinct = ColumnTest.distinct(known)
            return .test(column, distinct.count == 1 ? .compare(.notEqual, distinct[0]) : .isNotIn(distinct))
        }
        return .test(column, .equal(to: known))
    }

    private func type(of column: ColumnReference) throws(CRUDSQLGenError) -> ColumnType {
        guard types.indices.contains(column.source), types[column.source].indices.contains(column.column) else {
            throw CRUDSQLGenError("The condition names a column that the query lacks.", code: .noColumn)
        }
        return types[column.source][column.column]
    }
}

extension Condition {
    /// Compares a column with a literal of any type, by ``ColumnValue/order(_:_:)``.
    static func comparing(
        _ column: ColumnReference, _ type: ColumnType, _ comparison: Comparison, _ value: ColumnValue
    ) -> Condition {
        if value.isNull { return .never }
        let bounds = LiteralBounds(value, for: type)
        if let exact = bounds.exact { return .test(column, .compare(comparison, exact)) }
        if let order = bounds.orderOfKinds {
            return comparison.holds(order: order) ? .test(column, .isNotNull) : .never
        }
        func bounded(_ comparison: Comparison, _ bound: ColumnValue?, orElse isMet: Bool) -> Condition {
            if let bound { return .test(column, .compare(comparison, bound)) }
            return isMet ? .test(column, .isNotNull) : .never
        }
        switch comparison {
        case .equal: return .never
        case .notEqual: return .test(column, .isNotNull)
        // If no value of the type is below the literal, all are above it.
        case .less, .lessOrEqual: return bounded(.lessOrEqual, bounds.below, orElse: false)
        case .greater, .greaterOrEqual: return bounded(.greaterOrEqual, bounds.above, orElse: false)
        }
    }
}

extension ColumnType {
    /// True for types of text values.
    var isText: Bool { self == .string || self == .json }
}
