/// Resolves the names and parameters of a statement.
struct SQLBinding {
    /// The values of the parameters.
    let parameters: [ColumnValue]
    /// The value of `last_insert_rowid()`.
    let lastInsertID: Int64
    /// The table whose columns can be named.
    var structure: TableStructure?
    /// The alias of the table.
    var alias: String?

    /// Evaluates an operand that is not a column.
    func value(_ operand: SQLOperand) throws -> ColumnValue {
        switch operand {
        case .value(let value): return value
        case .lastInsertRowID: return .integer(lastInsertID)
        case .parameter(let number, let token):
            guard parameters.indices.contains(number) else {
                throw CRUDSQLGenError(
                    """
                    Line \(token.line), column \(token.column): parameter \(number + 1) has no value; \
                    \(parameters.count) values were given.
                    """, code: .argument)
            }
            return parameters[number]
        case .aggregate(_, let token):
            throw CRUDSQLGenError.syntax("An aggregate cannot stand here.", at: token, supported: SQLGrammar.select)
        case .column(let column):
            throw CRUDSQLGenError(
                "Line \(column.name.token.line), column \(column.name.token.column): a column cannot stand here.",
                code: .syntax, column: column.name.text)
        }
    }

    /// Evaluates an operand and converts the value to a column's type.
    func value(_ operand: SQLOperand, for column: Column) throws -> ColumnValue {
        let value = try value(operand)
        if let fitting = value.coerced(to: column.type) { return fitting }
        throw CRUDEncoderError(
            "The value \(value) is no value of type \(column.type), or out of its range.", code: .type,
            table: structure?.name, column: column.name)
    }

    /// Returns the number of a column.
    func number(_ column: SQLColumn) throws -> Int {
        guard let structure else {
            throw CRUDSQLGenError("There is no table to take columns from.", code: .noTable, column: column.name.text)
        }
        if let table = column.table {
            let names = [structure.name, alias].compactMap { $0?.lowercased() }
            guard names.contains(table.text.lowercased()) else {
                throw CRUDSQLGenError(
                    "Line \(table.token.line), column \(table.token.column): the table is not part of the statement.",
                    code: .noTable, table: table.text)
            }
        }
        return try structure.existingNumber(column.name)
    }

    /// Returns the column with this number.
    func column(_ number: Int) throws -> Column {
        guard let structure else { throw CRUDSQLGenError("There is no table.", code: .noTable) }
        return structure.columns[number]
    }
}

/// Conditions.
extension SQLBinding {
    /// Compiles a condition into a predicate.
    func predicate(_ condition: SQLCondition) throws -> Predicate {
        switch condition {
        case .and(let parts): return .and(try parts.map(predicate))
        case .or(let parts): return .or(try parts.map(predicate))
        case .not(let part): return .not(try predicate(part))
        case .isNull(.column(let column)): return .isNull(ColumnReference(column: try number(column)))
        case .isNull(let operand): return .constant(try value(operand).isNull)
        case .isIn(let left, let list): return try isIn(left, list)
        case .like(let left, let pattern, let token): return try like(left, pattern, token)
        case .truth(let operand, let token): return try truth(operand, token)
        case .compare(.column(let left), let comparison, .column(let right), _):
            return .compareColumns(
                ColumnReference(column: try number(left)), comparison, ColumnReference(column: try number(right)))
        case .compare(.column(let left), let comparison, let right, _):
            return try compare(left, comparison, right)
        case .compare(let left, let comparison, .column(let right), _):
            return try compare(right, comparison.mirrored, left)
        case .compare(let left, let comparison, let right, _):
            return .constant(comparison.evaluate(try value(left), try value(right)))
        }
    }

    private func compare(_ column: SQLColumn, _ comparison: Comparison, _ operand: SQLOperand) throws -> Predicate {
        let number = try number(column)
        let value = try value(operand).compared(with: try self.column(number).type)
        return .compare(ColumnReference(column: number), comparison, value)
    }

    private func isIn(_ left: SQLOperand, _ list: [SQLOperand]) throws -> Predicate {
        let values = try list.map(value)
        guard case .column(let column) = left else {
            let left = try value(left)
            return .constant(Predicate.isIn(ColumnReference(column: 0), values).evaluate { _ in left })
        }
        let number = try number(column)
        let type = try self.column(number).type
        return .isIn(ColumnReference(column: number), values.map { $0.compared(with: type) })
    }

    private func like(_ left: SQLOperand, _ pattern: SQLOperand, _ token: SQLToken) throws -> Predicate {
        let pattern = try value(pattern)
        if pattern.isNull { return .constant(nil) }
        guard case .text(let text)? = pattern.coerced(to: .string) else {
            throw CRUDSQLGenError.syntax("The pattern is no text.", at: token, supported: "LIKE 'text%'")
        }
        guard case .column(let column) = left else {
            return .constant(LikePattern(sql: text).evaluate(try value(left).coerced(to: .string) ?? .null))
        }
        let number = try number(column)
        let type = try self.column(number).type
        guard type == .string || type == .json else {
            throw CRUDSQLGenError.syntax(
                "The column \(column.name.text) is no text.", at: token, supported: "LIKE on columns of text.")
        }
        return .like(ColumnReference(column: number), LikePattern(sql: text))
    }

    private func truth(_ operand: SQLOperand, _ token: SQLToken) throws -> Predicate {
        guard case .column(let column) = operand else {
            switch try value(operand) {
            case .null: return .constant(nil)
            case .bool(let value): return .constant(value)
            case .integer(let value): return .constant(value != 0)
            case .unsigned: return .constant(true)
            case .real(let value): return .constant(value != 0)
            default: throw CRUDSQLGenError.syntax("This is no condition.", at: token, supported: SQLGrammar.condition)
            }
        }
        let number = try number(column)
        let type = try self.column(number).type
        if type == .bool { return .compare(ColumnReference(column: number), .equal, .bool(true)) }
        guard type.isInteger || type.isFloatingPoint else {
            throw CRUDSQLGenError.syntax(
                "The column \(column.name.text) is no condition.", at: token, supported: SQLGrammar.condition)
        }
        return .compare(ColumnReference(column: number), .notEqual, .integer(0))
    }
}

extension ColumnValue {
    /// Converts the value for a comparison with a column. Parses text as the column's type. Rounds reals for a `Float`
    /// column, so that `= 0.1` finds rows inserted with 0.1. Keeps other numbers exact.
    fileprivate func compared(with type: ColumnType) -> ColumnValue {
        switch self {
        case .real where type == .float: fitting(type) ?? self
        case .text(let text) where type == .json: .json(text)
        case .integer where type != .bool && type != .string, .unsigned where type != .string,
            .real where type.isInteger,
            .real where type == .double:
            self
        default: coerced(to: type) ?? self
        }
    }
}

extension LikePattern {
    /// Simplifies a pattern of SQL's LIKE to a form that indexes may serve.
    init(sql pattern: String) {
        let isWildcard = { (byte: UInt8) in byte == UInt8(ascii: "%") || byte == UInt8(ascii: "_") }
        let isOpenAtStart = pattern.utf8.first == UInt8(ascii: "%")
        let inner = isOpenAtStart ? Substring(pattern.unicodeScalars.dropFirst()) : Substring(pattern)
        let isOpenAtEnd = inner.utf8.last == UInt8(ascii: "%")
        let literal = isOpenAtEnd ? Substring(inner.unicodeScalars.dropLast()) : inner
        if literal.utf8.contains(where: isWildcard) {
            self.init(pattern, .wildcards)
        } else if isOpenAtStart && (isOpenAtEnd || literal.isEmpty) {
            self.init(String(literal), .anywhere)
        } else {
            self.init(String(literal), isOpenAtStart ? .atEnd : isOpenAtEnd ? .atStart : .whole)
        }
    }
}
