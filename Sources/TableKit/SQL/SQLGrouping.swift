/// Runs a SELECT with aggregates or groups. Sorts and limits the groups in memory.
struct SQLGrouping {
    private let selection: SQLSelection
    private let groupBy: [Int]
    private var aggregates: [Aggregate] = []

    init(_ selection: SQLSelection) throws {
        self.selection = selection
        groupBy = try selection.select.groupBy.map(selection.binding.number)
    }

    /// A column of the result: a value of the group, or a constant.
    private enum Place {
        case value(Int)
        case constant(ColumnValue)
    }

    mutating func run() throws -> SQLResult {
        guard let query = try selection.query() else {
            throw CRUDSQLGenError("An aggregate needs a table.", code: .syntax)
        }
        let places = try selection.select.items.map { try place(of: $0) }
        let terms = try order(places)
        let having = try selection.select.having.map { try groupCondition($0, places) }
        var groups = try selection.session.aggregate(
            AggregateQuery(query, groupBy: groupBy, aggregates: aggregates))
        if let having {
            let predicate = try groupBinding.predicate(having)
            groups = groups.filter { group in predicate.evaluate { group[$0.column] } == true }
        }
        groups = sorted(groups, by: terms)
        var rows = groups.map { group in places.map { SQLGrouping.value($0, group) } }
        if selection.select.isDistinct {
            var seen: Set<ValueTuple> = []
            rows = rows.filter { seen.insert(ValueTuple($0)).inserted }
        }
        let names = try selection.select.items.map { try name(of: $0) }
        return SQLResult(columns: names, rows: QueryEvaluation.cut(rows, try selection.limit()))
    }

    private static func value(_ place: Place, _ group: [ColumnValue]) -> ColumnValue {
        switch place {
        case .value(let number): group[number]
        case .constant(let value): value
        }
    }

    private func name(of item: SQLItem) throws -> String {
        guard case .operand(.column(let column)) = item.value, item.name == column.name.text else { return item.name }
        return try selection.binding.column(try selection.binding.number(column)).name
    }

    private mutating func place(of item: SQLItem) throws -> Place {
        switch item.value {
        case .all: throw CRUDSQLGenError("* cannot stand beside aggregates.", code: .syntax)
        case .aggregate(let aggregate): return .value(try place(of: aggregate))
        case .operand(.column(let column)): return .value(try place(ofGroup: column))
        case .operand(let operand): return .constant(try selection.binding.value(operand))
        }
    }

    private func place(ofGroup column: SQLColumn) throws -> Int {
        let number = try selection.binding.number(column)
        if let place = groupBy.firstIndex(of: number) { return place }
        let token = column.name.token
        throw CRUDSQLGenError(
            "Line \(token.line), column \(token.column): beside aggregates stand only columns of GROUP BY.",
            code: .syntax, column: column.name.text)
    }

    private mutating func place(of aggregate: SQLAggregate) throws -> Int {
        let binding = selection.binding
        let bound: Aggregate =
            switch aggregate {
            case .count: .count
            case .countValues(let column, false): .countValues(try binding.number(column))
            case .countValues(let column, true): .countDistinct(try binding.number(column))
            case .min(let column): .min(try binding.number(column))
            case .max(let column): .max(try binding.number(column))
            case .sum(let column): .sum(try summable(column))
            case .average(let column): .average(try summable(column))
            }
        if let known = aggregates.firstIndex(of: bound) { return groupBy.count + known }
        aggregates.append(bound)
        return groupBy.count + aggregates.count - 1
    }

    private func summable(_ column: SQLColumn) throws -> Int {
        let number = try selection.binding.number(column)
        let type = try selection.binding.column(number).type
        if type.isInteger || type.isFloatingPoint || type == .bool { return number }
        throw CRUDSQLGenError(
            "Only numbers have a sum.", code: .type, table: selection.binding.structure?.name,
            column: column.name.text)
    }

    // MARK: HAVING

    /// Rewrites a HAVING condition: columns and aggregates become columns named by the index of their value in a group.
    private mutating func groupCondition(_ condition: SQLCondition, _ places: [Place]) throws -> SQLCondition {
        try condition.mapping { operand in
            switch operand {
            case .aggregate(let aggregate, let token):
                return SQLGrouping.named(try place(of: aggregate), token)
            case .column(let column):
                let token = column.name.token
                let items = selection.select.items
                if column.table == nil, let item = items.firstIndex(where: { $0.name == column.name.text }),
                    case .value(let number) = places[item]
                {
                    return SQLGrouping.named(number, token)
                }
                return SQLGrouping.named(try place(ofGroup: column), token)
            default: return operand
            }
        }
    }

    private static func named(_ place: Int, _ token: SQLToken) -> SQLOperand {
        .column(SQLColumn(name: SQLName(text: "\(place)", token: token)))
    }

    /// The values of a group as a table. Its columns are named by their index.
    private var groupBinding: SQLBinding {
        get throws {
            var binding = selection.binding
            let types = try groupBy.map { try binding.column($0).type } + aggregates.map { try type(of: $0) }
            binding.structure = TableStructure(
                name: "", columns: types.enumerated().map { Column("\($0)", $1, isOptional: true) })
            return binding
        }
    }

    private func type(of aggregate: Aggregate) throws -> ColumnType {
        switch aggregate {
        case .count, .countValues, .countDistinct: .int64
        case .min(let column), .max(let column): try selection.binding.column(column).type
        case .sum(let column): try selection.binding.column(column).type.isFloatingPoint ? .double : .int64
        case .average: .double
        }
    }

    // MARK: ORDER BY

    private mutating func order(_ places: [Place]) throws -> [(place: Int, isDescending: Bool)] {
        var terms: [(place: Int, isDescending: Bool)] = []
        for (item, isDescending) in selection.select.order {
            if let place = try orderPlace(item, places) { terms.append((place, isDescending)) }
        }
        return terms
    }

    /// The index of the value that a term orders by; nil for a constant.
    private mutating func orderPlace(_ item: SQLOrderItem, _ places: [Place]) throws -> Int? {
        switch item {
        case .aggregate(let aggregate, _): return try place(of: aggregate)
        case .position(let position, let token):
            guard places.indices.contains(position - 1) else {
                throw CRUDSQLGenError.syntax(
                    "There are \(places.count) columns.", at: token, supported: SQLGrammar.select)
            }
            if case .value(let number) = places[position - 1] { return number }
            return nil
        case .column(let column):
            let items = selection.select.items
            if column.table == nil, let named = items.firstIndex(where: { $0.name == column.name.text }) {
                if case .value(let number) = places[named] { return number }
                return nil
            }
            return try place(ofGroup: column)
        }
    }

    private func sorted(
        _ groups: [[ColumnValue]], by terms: [(place: Int, isDescending: Bool)]
    ) -> [[ColumnValue]] {
        let orderTerms = terms.map { OrderTerm(column: $0.place, isDescending: $0.isDescending) }
        return QueryEvaluation.sorted(Array(groups.indices), rows: groups, by: orderTerms).map { groups[$0] }
    }
}
