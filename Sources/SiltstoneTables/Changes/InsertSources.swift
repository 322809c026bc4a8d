import TableKit

/// The conversion of an insert's rows to rows of the table.
enum InsertSources {
    /// The rows have the newest layout, except for its number.
    case direct
    /// Each column is taken from the statement's row or from its default.
    case composed([RowComposer.Source])

    /// - Parameter columns: the numbers of the columns that the statement sets. Nil: all of the structure's.
    /// - Throws: `TableErrorCode.noColumn` if the table lacks one of them.
    init(_ binding: TableBinding, columns: [Int]?) throws {
        let table = binding.table
        if columns == nil, binding.hasNewestSlots {
            self = .direct
            return
        }
        var isSet = [Bool](repeating: columns == nil, count: binding.structure.columns.count)
        for column in columns ?? [] where isSet.indices.contains(column) { isSet[column] = true }
        for (number, position) in binding.positions.enumerated() where isSet[number] && position == nil {
            throw CRUDSQLExeError(
                "The table has no such column. Create it anew with .reconcileTable.", code: .noColumn,
                table: table.name, column: binding.structure.columns[number].name)
        }
        self = .composed(
            try table.columns.indices.map { position in
                let column = table.columns[position].column
                guard let number = binding.numbers[position], isSet[number] else {
                    return try .value(column.defaultValue ?? .null, for: column.type)
                }
                return .slot(binding.structure.layout.slots[number], isOld: false, for: column.type)
            })
    }
}
