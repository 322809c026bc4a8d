package import TableKit

/// A column in the catalogue.
package struct ColumnDescription: Sendable, Hashable {
    /// The number of the column in layouts, keys and indexes. Never reused in its table.
    package var id: UInt64
    /// The name, type, default and reference.
    package var column: Column
    /// The value in rows older than the column.
    package var initialValue: ColumnValue = .null
}
