package import TableKit

/// The statement of look-ups in one table by key. Connections keep what they prepare for it.
package final class RowLookup: Sendable {
    package let text: String
    /// The types of the key's values.
    package let types: [ColumnType]
    /// The types of the result's columns.
    package let results: [ColumnType]
    /// The places of the result's columns in a row.
    package let slots: [RowSlot]

    package init(_ text: String, types: [ColumnType], results: [ColumnType], slots: [RowSlot]) {
        self.text = text
        self.types = types
        self.results = results
        self.slots = slots
    }

    /// The statement with the values of a key.
    package func statement(_ key: [ColumnValue]) -> SQLStatement {
        SQLStatement(text, zip(key, types).map(SQLStatement.Parameter.value), results: results)
    }
}
