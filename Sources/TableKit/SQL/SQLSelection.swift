/// Runs a SELECT.
struct SQLSelection {
    let select: SQLSelect
    let session: any TableSession
    /// The table, its alias and the parameters.
    let binding: SQLBinding

    init(_ select: SQLSelect, _ execution: SQLExecution) throws {
        self.select = select
        session = execution.session
        let structure = try select.table.map { try execution.session.existingTable($0).structure }
        binding = execution.binding(structure, alias: select.alias?.text)
    }

    private var isAggregate: Bool {
        !select.groupBy.isEmpty || select.hasAggregates
    }

    func run() throws -> SQLResult {
        if isAggregate {
            var grouping = try SQLGrouping(self)
            return try grouping.run()
        }
        let outputs = try SQLOutput.outputs(of: select.items, binding)
        guard let query = try query() else {
            return SQLResult(
                columns: outputs.map(\.name),
                rows: [
                    outputs.map { output in
                        if case .constant(let value) = output.source { value } else { .null }
                    }
                ])
        }
        let stream = try session.run(query)
        return SQLResult(columns: outputs.map(\.name)) {
            guard let batch = try stream.next() else { return nil }
            return try (0..<batch.rows.count).map { row in
                try batch.rows.withRow(row) { try SQLOutput.values(outputs, batch.shape, $0) }
            }
        }
    }

    /// The query of the statement; nil if it reads no table.
    func query() throws -> Query? {
        guard let structure = binding.structure else { return nil }
        var query = Query(structure)
        query.predicate = try select.condition.map(binding.predicate)
        query.isDistinct = false
        if isAggregate { return query }
        let outputs = try SQLOutput.outputs(of: select.items, binding)
        query.columns = SQLOutput.columns(outputs)
        query.isDistinct = select.isDistinct
        query.order = try order(outputs)
        query.limit = try limit()
        return query
    }

    private func order(_ outputs: [SQLOutput]) throws -> [OrderTerm] {
        try select.order.compactMap { term in
            switch term.item {
            case .position(let position, let token):
                guard outputs.indices.contains(position - 1) else {
                    throw CRUDSQLGenError.syntax(
                        "There are \(outputs.count) columns.", at: token, supported: SQLGrammar.select)
                }
                guard case .column(let number) = outputs[position - 1].source else { return nil }
                return OrderTerm(column: number, isDescending: term.isDescending)
            case .aggregate(_, let token):
                throw CRUDSQLGenError.syntax(
                    "Only groups are ordered by an aggregate.", at: token, supported: SQLGrammar.select)
            case .column(let column):
                if column.table == nil, let output = outputs.first(where: { $0.name == column.name.text }) {
                    guard case .column(let number) = output.source else { return nil }
                    return OrderTerm(column: number, isDescending: term.isDescending)
                }
                return OrderTerm(column: try binding.number(column), isDescending: term.isDescending)
            }
        }
    }

    /// LIMIT and OFFSET. A negative limit means no limit.
    func limit() throws -> RowLimit? {
        guard let operand = select.limit else { return nil }
        let count = try number(operand)
        let skip = try select.offset.map(number) ?? 0
        return RowLimit(count: count.flatMap { $0 < 0 ? nil : $0 }, skip: max(skip ?? 0, 0))
    }

    private func number(_ operand: SQLOperand) throws -> Int? {
        let value = try binding.value(operand)
        switch value.coerced(to: .int64) {
        case .integer(let number)?: return Int(clamping: number)
        case .null?: return nil
        default: throw CRUDSQLGenError("The limit \(value) is no whole number.", code: .argument)
        }
    }
}
