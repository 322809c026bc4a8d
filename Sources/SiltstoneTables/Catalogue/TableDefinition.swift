package import TableKit

/// The stored definition of a table.
package struct TableDefinition: Sendable, Hashable {
    /// A column in the rows of one layout.
    package struct LayoutColumn: Sendable, Hashable {
        package var id: UInt64
        package var type: ColumnType
    }

    /// The number in the keys of the table. Never reused.
    package var id: UInt64
    package var name: String
    /// The columns, in the order of the newest layout.
    package var columns: [ColumnDescription]
    /// The ids of the key's columns. Empty: rows have hidden row numbers.
    package var primaryKey: [UInt64]
    /// The columns of each layout, by number. New rows have the last one.
    package var layouts: [[LayoutColumn]]
    package var indexes: [IndexDescription] = []
    package var nextColumn: UInt64
    package var nextIndex: UInt64 = KeySpace.firstIndexNumber

    /// The position of a column in ``columns``.
    package func position(of id: UInt64) -> Int? { columns.firstIndex { $0.id == id } }

    /// The position of a column in ``columns``.
    package func position(named name: String) -> Int? { columns.firstIndex { $0.column.name == name } }
}
