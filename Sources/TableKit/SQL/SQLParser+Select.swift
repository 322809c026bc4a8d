/// SELECT.
extension SQLParser {
    mutating func select() throws(CRUDSQLGenError) -> SQLSelect {
        supported = SQLGrammar.select
        try expect("SELECT")
        var select = SQLSelect()
        select.isDistinct = takes("DISTINCT")
        if !select.isDistinct { _ = takes("ALL") }
        select.items = try items()
        guard takes("FROM") else { return select }
        select.table = try name("a table")
        select.alias = try alias()
        if token.kind == .sign(",") {
            throw .syntax("Joins are not supported: use `join` of the typed API.", at: token, supported: supported)
        }
        if takes("WHERE") { select.condition = try condition() }
        if takes("GROUP", "BY") {
            repeat { select.groupBy.append(try column()) } while takes(sign: ",")
        }
        if !select.groupBy.isEmpty || select.hasAggregates, takes("HAVING") {
            allowsAggregates = true
            defer { allowsAggregates = false }
            select.having = try condition()
        }
        if takes("ORDER", "BY") {
            repeat { select.order.append(try orderTerm()) } while takes(sign: ",")
        }
        if takes("LIMIT") { try limit(&select) }
        return select
    }

    private mutating func limit(_ select: inout SQLSelect) throws(CRUDSQLGenError) {
        select.limit = try value()
        if takes("OFFSET") {
            select.offset = try value()
        } else if takes(sign: ",") {
            // SQLite's other form: `LIMIT offset, count`.
            select.offset = select.limit
            select.limit = try value()
        }
    }

    /// Parses an optional alias, with or without AS.
    private mutating func alias() throws(CRUDSQLGenError) -> SQLName? {
        if takes("AS") { return try name("an alias") }
        switch token.kind {
        case .quotedName: return try name("an alias")
        case .word(let word) where !SQLGrammar.reserved.contains(word.uppercased()): return try name("an alias")
        default: return nil
        }
    }

    /// Parses the items of a result.
    mutating func items() throws(CRUDSQLGenError) -> [SQLItem] {
        var items: [SQLItem] = []
        repeat { items.append(try item()) } while takes(sign: ",")
        return items
    }

    private mutating func item() throws(CRUDSQLGenError) -> SQLItem {
        if takes(sign: "*") { return SQLItem(value: .all, name: "*") }
        if following.kind == .sign("."), isStarAfterDot {
            _ = try name("a table")
            advance()
            advance()
            return SQLItem(value: .all, name: "*")
        }
        if let aggregate = try aggregate() {
            return SQLItem(value: .aggregate(aggregate.value), name: try alias()?.text ?? aggregate.text)
        }
        let start = token
        let operand = try operand()
        let text =
            switch operand {
            case .column(let column): column.name.text
            case .lastInsertRowID: "last_insert_rowid()"
            default: start.text
            }
        return SQLItem(value: .operand(operand), name: try alias()?.text ?? text)
    }

    /// Parses an aggregate, with its text. Returns nil if none comes next.
    mutating func aggregate() throws(CRUDSQLGenError) -> (value: SQLAggregate, text: String)? {
        guard following.kind == .sign("("), case .word(let word) = token.kind else { return nil }
        let function = word.uppercased()
        guard ["COUNT", "MIN", "MAX", "SUM", "AVG"].contains(function) else { return nil }
        advance()
        advance()
        if function == "COUNT", takes(sign: "*") {
            try expect(sign: ")")
            return (.count, "\(word)(*)")
        }
        let isDistinct = function == "COUNT" && takes("DISTINCT")
        let column = try column()
        try expect(sign: ")")
        let text = "\(word)(\(isDistinct ? "DISTINCT " : "")\(column.name.text))"
        switch function {
        case "COUNT": return (.countValues(column, isDistinct: isDistinct), text)
        case "MIN": return (.min(column), text)
        case "MAX": return (.max(column), text)
        case "SUM": return (.sum(column), text)
        default: return (.average(column), text)
        }
    }

    private mutating func orderTerm() throws(CRUDSQLGenError) -> (item: SQLOrderItem, isDescending: Bool) {
        let start = token
        let item: SQLOrderItem
        if case .value(.integer(let number)) = start.kind {
            advance()
            item = .position(Int(clamping: number), start)
        } else if let aggregate = try aggregate() {
            item = .aggregate(aggregate.value, start)
        } else {
            item = .column(try column())
        }
        if takes("DESC") { return (item, true) }
        _ = takes("ASC")
        return (item, false)
    }
}
