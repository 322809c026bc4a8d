package import TableKit

/// A column as the catalogue has it.
package struct ColumnDescription: Sendable, Hashable {
    /// The number that layouts, keys and indexes name the column by. Never used again in its table.
    package var id: UInt64
    /// Name, type, default and reference.
    package var column: Column
    /// The value of rows that are older than the column.
    package var initialValue: ColumnValue = .null
}
