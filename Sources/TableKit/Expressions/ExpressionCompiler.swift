/// Compiles expressions into predicates on the columns of a query's tables.
struct ExpressionCompiler {
    /// The tables of ``Query/sources``.
    let sources: [TableStructure]
    /// The types of the tables.
    let types: [any Any.Type]

    /// A side of a comparison.
    private enum Operand {
        case column(ColumnReference)
        case value(ColumnValue)
    }

    /// Compiles a condition. Evaluates lazy expressions.
    /// - Throws: ``CRUDSQLGenError`` for a property that is no column, or whose type is no table of the query.
    func predicate(_ expression: CRUDExpression) throws -> Predicate {
        switch expression {
        case .and: .and(try parts(of: expression, .and))
        case .or: .or(try parts(of: expression, .or))
        case .not(let rhs): .not(try predicate(rhs))
        case .equality(let lhs, let rhs): try comparison(lhs, .equal, rhs)
        case .inequality(let lhs, let rhs): try comparison(lhs, .notEqual, rhs)
        case .lessThan(let lhs, let rhs): try comparison(lhs, .less, rhs)
        case .lessThanEqual(let lhs, let rhs): try comparison(lhs, .lessOrEqual, rhs)
        case .greaterThan(let lhs, let rhs): try comparison(lhs, .greater, rhs)
        case .greaterThanEqual(let lhs, let rhs): try comparison(lhs, .greaterOrEqual, rhs)
        case .in(let lhs, let rhs): try containment(lhs, rhs)
        case .like(let lhs, let wild1, let text, let wild2): try likeness(lhs, wild1, text, wild2)
        case .lazy(let producer): try predicate(producer())
        case .column, .keyPath: .compare(try column(expression), .equal, .bool(true))
        default: try constant(expression)
        }
    }

    // MARK: Logic

    /// Compiles nested conjunctions or disjunctions into one list. A loop and not a recursion, since a chain may be long.
    private func parts(of expression: CRUDExpression, _ joint: Condition.Joint) throws -> [Predicate] {
        var parts: [Predicate] = []
        var pending = [expression]
        while let next = pending.popLast() {
            switch (next, joint) {
            case (.and(let lhs, let rhs), .and), (.or(let lhs, let rhs), .or): pending += [rhs, lhs]
            default:
                switch (try predicate(next), joint) {
                case (.and(let inner), .and), (.or(let inner), .or): parts += inner
                case (let part, _): parts.append(part)
                }
            }
        }
        return parts
    }

    private func constant(_ expression: CRUDExpression) throws -> Predicate {
        switch expression.literal {
        case .bool(let value)?: .constant(value)
        case .null?: .constant(nil)
        default: throw CRUDSQLGenError("A condition is true, false or unknown, not \(expression).", code: .type)
        }
    }

    // MARK: Comparisons

    private func comparison(
        _ lhs: CRUDExpression, _ comparison: Comparison, _ rhs: CRUDExpression
    ) throws -> Predicate {
        switch (try operand(lhs), try operand(rhs)) {
        case (.column(let left), .column(let right)): .compareColumns(left, comparison, right)
        case (.column(let column), .value(let value)): compare(column, comparison, value)
        case (.value(let value), .column(let column)): compare(column, comparison.mirrored, value)
        case (.value(let left), .value(let right)):
            switch (comparison, left.isNull || right.isNull) {
            case (.equal, true): .constant(left.isNull && right.isNull)
            case (.notEqual, true): .constant(!(left.isNull && right.isNull))
            case (_, true): .constant(nil)
            default: .constant(comparison.evaluate(left, right))
            }
        }
    }

    private func compare(_ column: ColumnReference, _ comparison: Comparison, _ value: ColumnValue) -> Predicate {
        guard value.isNull else { return .compare(column, comparison, fitting(value, column)) }
        return switch comparison {
        case .equal: .isNull(column)
        case .notEqual: .not(.isNull(column))
        default: .constant(nil)
        }
    }

    /// Parses text as a value of the column's type, such as a UUID or a date. Returns all other values unchanged.
    private func fitting(_ value: ColumnValue, _ column: ColumnReference) -> ColumnValue {
        guard case .text(let text) = value else { return value }
        let type = sources[column.source].columns[column.column].type
        // JSON compares by its bytes, which need not be JSON here.
        if type == .json { return .json(text) }
        return type == .string ? value : value.fitting(type) ?? value
    }

    private func containment(_ lhs: CRUDExpression, _ rhs: [CRUDExpression]) throws -> Predicate {
        let values = rhs.compactMap(\.literal)
        guard values.count == rhs.count, case .column(let column) = try operand(lhs) else {
            return .or(try rhs.map { try comparison(lhs, .equal, $0) })
        }
        return .isIn(column, values.map { fitting($0, column) })
    }

    private func likeness(
        _ lhs: CRUDExpression, _ wild1: Bool, _ text: String, _ wild2: Bool
    ) throws -> Predicate {
        let place: LikePattern.Place =
            switch (wild1, wild2) {
            case (true, true): .anywhere
            case (false, true): .atStart
            case (true, false): .atEnd
            case (false, false): .whole
            }
        return .like(try column(lhs), LikePattern(text, place))
    }

    // MARK: Operands

    private func operand(_ expression: CRUDExpression) throws -> Operand {
        switch expression {
        case .value(let value): return .value(value)
        case .keyPath(let path): return .column(try column(of: path))
        case .column(let name): return .column(try column(named: name))
        case .lazy(let producer): return try operand(producer())
        default:
            guard let literal = expression.literal else {
                throw CRUDSQLGenError("A comparison is between columns and values, not \(expression).")
            }
            return .value(literal)
        }
    }

    private func column(_ expression: CRUDExpression) throws -> ColumnReference {
        guard case .column(let column) = try operand(expression) else {
            throw CRUDSQLGenError("A column is needed here, not \(expression).", code: .argument)
        }
        return column
    }

    private func column(named name: String) throws -> ColumnReference {
        for (source, structure) in sources.enumerated() {
            if let column = structure.number(of: name) { return ColumnReference(source: source, column: column) }
        }
        throw CRUDSQLGenError(
            "No table of the query has the column.", code: .noColumn, table: sources.first?.name, column: name)
    }

    private func column(of path: AnyKeyPath) throws -> ColumnReference {
        let root = Swift.type(of: path).rootType
        guard let source = types.firstIndex(where: { $0 == root }) else {
            throw CRUDSQLGenError(
                "The condition names a property of \(root), which is no table of this query.", code: .noTable,
                table: sources.first?.name)
        }
        return ColumnReference(source: source, column: try path.columnNumber())
    }
}

extension AnyKeyPath {
    /// The number of the column that the path names, in the structure of its root type.
    /// - Throws: ``CRUDSQLGenError`` if it names no column, or an array property.
    func columnNumber() throws -> Int {
        switch try KeyPathColumns.target(of: self) {
        case .column(let number): return number
        case .subTable:
            throw CRUDSQLGenError(
                "\(self) is an array of another table's rows, which has no column.", code: .noColumn)
        }
    }

    /// The number of the array property that the path names.
    /// - Throws: ``CRUDSQLGenError`` if it names none.
    func subTableNumber() throws -> Int {
        switch try KeyPathColumns.target(of: self) {
        case .subTable(let number): return number
        case .column:
            throw CRUDSQLGenError("\(self) is a column, and no array of another table's rows.", code: .noColumn)
        }
    }
}
