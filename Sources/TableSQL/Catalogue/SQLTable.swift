package import TableKit

/// A table as the server has it.
package struct SQLTable: Sendable {
    /// Name, columns, key, indexes.
    package var info: TableInfo
    /// The column that orders rows of a table without a key: one that the catalogue hides.
    package var rowColumn: String?

    package init(info: TableInfo, rowColumn: String? = nil) {
        self.info = info
        self.rowColumn = rowColumn
    }

    package var structure: TableStructure { info.structure }

    /// The name of the hidden column that tables without a key are given.
    package static let rowColumnName = "_silt_row"
}

/// A table of a query: the columns that a type has beside those that the table has, matched by name.
package struct SQLSource: Sendable {
    package let structure: TableStructure
    package let table: SQLTable
    /// The table's name within the statement.
    package let alias: String
    /// The number in the table of each of the structure's columns. Nil: the table lacks it.
    package let places: [Int?]

    package init(_ structure: TableStructure, _ table: SQLTable, alias: String) {
        self.structure = structure
        self.table = table
        self.alias = alias
        places = structure.columns.map { table.structure.number(of: $0.name) }
    }

    /// The type as which the server stores a column of the structure.
    package func type(_ column: Int) -> ColumnType {
        places[column].map { table.structure.columns[$0].type } ?? structure.columns[column].type
    }

    /// Throws where the structure has a column that the table lacks.
    package func check(_ columns: some Sequence<Int>) throws {
        for column in columns {
            guard structure.columns.indices.contains(column) else {
                throw CRUDSQLExeError("Column number \(column) is none.", code: .noColumn, table: structure.name)
            }
            if places[column] != nil { continue }
            throw CRUDSQLExeError(
                "The table has no such column.", code: .noColumn, table: structure.name,
                column: structure.columns[column].name)
        }
    }

    /// Whether the table's key is among these columns of the structure.
    package func hasKey(in columns: [Int]?) -> Bool {
        let key = table.structure.primaryKey
        if key.isEmpty { return false }
        let present = columns ?? Array(places.indices)
        return key.allSatisfy { number in present.contains { places[$0] == number } }
    }

    /// How rows that ``rows(_:)`` made are read.
    package func shape() -> (layout: RowLayout, shape: RowShape) {
        let layout = RowLayout(number: 0, types: places.indices.map(type))
        let columns = zip(places, layout.slots).map { place, slot in
            place == nil ? ShapeColumn.missing : ShapeColumn.slot(slot)
        }
        return (layout, RowShape(structure, columns: [columns]))
    }
}
