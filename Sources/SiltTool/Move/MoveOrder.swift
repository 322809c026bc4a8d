import TableKit

/// A table to move, and the columns of it that must wait for other tables.
struct MovedTable {
    let source: TableStructure
    let indexes: [IndexDefinition]
    /// Columns that refer to later tables. They are added once those exist.
    var laterColumns: [Int] = []
    /// Columns that may refer to later rows. At first they are NULL or, if they cannot be, refer to their own row. They are
    /// set in a second pass.
    var lateValues: [Int] = []

    init(_ info: TableInfo) {
        source = info.structure
        indexes = info.indexes.map(\.definition)
    }

    /// Whether another table has the same name, columns, key and indexes. The order of the indexes may differ.
    func hasSameStructure(as other: MovedTable) -> Bool {
        source.isSame(as: other.source) && Set(indexes) == Set(other.indexes)
    }

    /// The table without ``laterColumns``.
    var first: TableStructure {
        let kept = source.columns.indices.filter { !laterColumns.contains($0) }
        return TableStructure(
            name: source.name, columns: kept.map { source.columns[$0] },
            primaryKey: source.primaryKey.compactMap { kept.firstIndex(of: $0) })
    }

    /// - Parameter existing: the target's table of this name.
    /// - Throws: ``ToolError`` if it cannot hold the rows.
    func refuseOtherColumns(_ existing: TableStructure) throws {
        let columns = Self.columns(existing)
        // Later columns come one after the other: a move that was interrupted may have added some of them.
        if columns.isSuperset(of: Self.columns(first)), columns.isSubset(of: Self.columns(source)) { return }
        throw ToolError(.usage, "the target has a table \(source.name) with other columns")
    }

    /// Names and types of columns and the key, which two tables must share to hold the same rows. A column of the key is
    /// never NULL, even if its type in Swift is optional; most databases report only that.
    private static func columns(_ structure: TableStructure) -> Set<String> {
        let key = structure.primaryKey.enumerated().map { "key \($0) \(structure.columns[$1].name)" }
        let columns = structure.columns.enumerated().map { number, column in
            let isOptional = column.isOptional && !structure.primaryKey.contains(number)
            return "\(column.type) \(isOptional) \(column.name)"
        }
        return Set(columns + key)
    }
}

/// Sorts tables so that each comes after the tables that it refers to.
enum MoveOrder {
    /// - Throws: ``ToolError`` if tables refer to each other in a circle of columns that cannot be NULL.
    static func sorted(_ tables: [TableInfo]) throws -> [MovedTable] {
        var waiting = tables.map(MovedTable.init)
        var names = Set(waiting.map(\.source.name))
        var sorted: [MovedTable] = []
        while !waiting.isEmpty {
            let place = waiting.firstIndex { later($0, names).isEmpty } ?? waiting.firstIndex { isBreakable($0, names) }
            guard let place else {
                let circle = waiting.map(\.source.name).joined(separator: ", ")
                throw ToolError(
                    .usage, "the tables \(circle) refer to each other in a circle of columns that cannot be NULL")
            }
            var table = waiting.remove(at: place)
            names.remove(table.source.name)
            table.laterColumns = later(table, names)
            table.lateValues = (table.laterColumns + toItself(table.source)).sorted()
            sorted.append(table)
        }
        return sorted
    }

    /// The columns outside of the key that refer to rows of the same table.
    private static func toItself(_ table: TableStructure) -> [Int] {
        let key = table.primaryKey
        if key.isEmpty { return [] }
        return table.columns.indices.filter { number in
            let column = table.columns[number]
            return column.foreignKey?.table == table.name && (column.isOptional || key.count == 1)
                && !key.contains(number)
        }
    }

    /// The columns that refer to other tables with these names.
    private static func later(_ table: MovedTable, _ names: Set<String>) -> [Int] {
        table.source.columns.indices.filter { number in
            guard let other = table.source.columns[number].foreignKey?.table, other != table.source.name else {
                return false
            }
            return names.contains(other)
        }
    }

    private static func isBreakable(_ table: MovedTable, _ names: Set<String>) -> Bool {
        later(table, names).allSatisfy {
            table.source.columns[$0].isOptional && !table.source.primaryKey.isEmpty
                && !table.source.primaryKey.contains($0)
        }
    }
}
