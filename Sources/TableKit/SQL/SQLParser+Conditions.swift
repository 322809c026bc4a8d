/// Conditions and values.
extension SQLParser {
    /// Parses a condition after WHERE or HAVING.
    mutating func condition() throws(CRUDSQLGenError) -> SQLCondition {
        let outer = supported
        supported = SQLGrammar.condition
        defer { supported = outer }
        return try disjunction()
    }

    private mutating func disjunction() throws(CRUDSQLGenError) -> SQLCondition {
        var parts = [try conjunction()]
        while takes("OR") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction() throws(CRUDSQLGenError) -> SQLCondition {
        var parts = [try negation()]
        while takes("AND") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation() throws(CRUDSQLGenError) -> SQLCondition {
        guard takes("NOT") else { return try comparison() }
        return .not(try nested { parser throws(CRUDSQLGenError) in try parser.negation() })
    }

    private mutating func comparison() throws(CRUDSQLGenError) -> SQLCondition {
        let start = token
        guard takes(sign: "(") else { return try comparison(of: try operand(), start) }
        let inner = try nested { parser throws(CRUDSQLGenError) in try parser.disjunction() }
        try expect(sign: ")")
        if case .truth(let operand, let start) = inner { return try comparison(of: operand, start) }
        return inner
    }

    private mutating func comparison(of left: SQLOperand, _ start: SQLToken) throws(CRUDSQLGenError) -> SQLCondition {
        if takes("IS", "NOT", "NULL") || takes("NOTNULL") || takes("NOT", "NULL") { return .not(.isNull(left)) }
        if takes("IS", "NULL") || takes("ISNULL") { return .isNull(left) }
        let isNegated = takes("NOT")
        let place = token
        if takes("IN") { return negated(.isIn(left, try list()), isNegated) }
        if takes("LIKE") { return negated(.like(left, try value(), place), isNegated) }
        if takes("BETWEEN") {
            let lower = try operand()
            try expect("AND")
            let upper = try operand()
            return negated(
                .and([.compare(left, .greaterOrEqual, lower, place), .compare(left, .lessOrEqual, upper, place)]),
                isNegated)
        }
        if isNegated { throw unexpected("IN, LIKE or BETWEEN is missing.") }
        guard case .sign(let sign) = token.kind, let comparison = SQLParser.comparisons[sign] else {
            return .truth(left, start)
        }
        advance()
        return .compare(left, comparison, try operand(), place)
    }

    private static let comparisons: [String: Comparison] = [
        "=": .equal, "==": .equal, "<>": .notEqual, "!=": .notEqual, "<": .less, "<=": .lessOrEqual, ">": .greater,
        ">=": .greaterOrEqual,
    ]

    private func negated(_ condition: SQLCondition, _ isNegated: Bool) -> SQLCondition {
        isNegated ? .not(condition) : condition
    }

    private mutating func list() throws(CRUDSQLGenError) -> [SQLOperand] {
        try expect(sign: "(")
        if takes(sign: ")") { return [] }
        var values: [SQLOperand] = []
        repeat { values.append(try value()) } while takes(sign: ",")
        try expect(sign: ")")
        return values
    }

    /// Parses an operand that is not a column.
    mutating func value() throws(CRUDSQLGenError) -> SQLOperand {
        let start = token
        let operand = try operand()
        switch operand {
        case .value, .parameter, .lastInsertRowID: break
        case .column, .aggregate:
            throw .syntax("A value is missing; columns cannot stand here.", at: start, supported: SQLGrammar.value)
        }
        return operand
    }

    /// Parses a value, a parameter or a column.
    mutating func operand() throws(CRUDSQLGenError) -> SQLOperand {
        let start = token
        switch start.kind {
        case .value(let value):
            advance()
            return .value(try signed(value, isNegative: false, start))
        case .sign("-"), .sign("+"):
            advance()
            guard case .value(let value) = token.kind else { throw unexpected("A number is missing.") }
            advance()
            return .value(try signed(value, isNegative: start.kind == .sign("-"), start))
        case .parameter(let number):
            advance()
            return .parameter(parameter(number), start)
        case .word, .quotedName: return try namedOperand()
        default: throw unexpected("A column or a value is missing.")
        }
    }

    private func signed(
        _ value: ColumnValue, isNegative: Bool, _ start: SQLToken
    ) throws(CRUDSQLGenError) -> ColumnValue {
        guard isNegative else { return value }
        switch value {
        case .integer(let number): return .integer(-number)
        case .unsigned(let number): return number == 1 << 63 ? .integer(.min) : .real(-Double(number))
        case .real(let number): return .real(-number)
        default: throw .syntax("Only numbers have a sign.", at: start, supported: SQLGrammar.value)
        }
    }

    private mutating func namedOperand() throws(CRUDSQLGenError) -> SQLOperand {
        if takes("NULL") { return .value(.null) }
        if takes("TRUE") { return .value(.bool(true)) }
        if takes("FALSE") { return .value(.bool(false)) }
        if following.kind == .sign("(") {
            let start = token
            if allowsAggregates, let aggregate = try aggregate() { return .aggregate(aggregate.value, start) }
            guard takes("LAST_INSERT_ROWID") else {
                throw CRUDSQLGenError.syntax(
                    "The function is not supported here.", at: token, supported: SQLGrammar.value)
            }
            try expect(sign: "(")
            try expect(sign: ")")
            return .lastInsertRowID
        }
        return .column(try column())
    }

    /// Parses a column, with an optional table name.
    mutating func column() throws(CRUDSQLGenError) -> SQLColumn {
        let first = try name("a column")
        guard takes(sign: ".") else { return SQLColumn(name: first) }
        return SQLColumn(table: first, name: try name("a column"))
    }
}
