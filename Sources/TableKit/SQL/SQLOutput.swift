/// A column of a result.
struct SQLOutput {
    enum Source {
        case column(Int)
        case constant(ColumnValue)
    }

    var name: String
    var source: Source

    /// The outputs of items that are not aggregates.
    static func outputs(of items: [SQLItem], _ binding: SQLBinding) throws -> [SQLOutput] {
        try items.flatMap { item -> [SQLOutput] in
            switch item.value {
            case .all:
                guard let structure = binding.structure else {
                    throw CRUDSQLGenError("* needs a table.", code: .noTable)
                }
                return structure.columns.enumerated().map { SQLOutput(name: $1.name, source: .column($0)) }
            case .operand(.column(let column)):
                let number = try binding.number(column)
                // Without AS, the output has the catalogue's spelling of the column's name.
                let isRenamed = item.name != column.name.text
                return [
                    SQLOutput(
                        name: isRenamed ? item.name : try binding.column(number).name, source: .column(number))
                ]
            case .operand(let operand):
                return [SQLOutput(name: item.name, source: .constant(try binding.value(operand)))]
            case .aggregate:
                throw CRUDSQLGenError("An aggregate cannot stand here.", code: .syntax, column: item.name)
            }
        }
    }

    /// The distinct numbers of the columns that outputs read.
    static func columns(_ outputs: [SQLOutput]) -> [Int] {
        var columns: [Int] = []
        for output in outputs {
            if case .column(let number) = output.source, !columns.contains(number) { columns.append(number) }
        }
        return columns
    }

    /// The values of the outputs for a row.
    static func values(_ outputs: [SQLOutput], _ shape: RowShape, _ row: RawSpan) throws -> [ColumnValue] {
        let columns = columns(outputs)
        let values = try shape.values(columns, in: row)
        return outputs.map { output in
            switch output.source {
            case .constant(let value): value
            case .column(let number): columns.firstIndex(of: number).map { values[$0] } ?? .null
            }
        }
    }
}
