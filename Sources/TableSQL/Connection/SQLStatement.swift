package import TableKit

/// A statement of SQL: text with placeholders, the values for them, and the types of the result's columns.
package struct SQLStatement: Sendable {
    /// A value for a placeholder.
    package enum Parameter: Sendable {
        /// One value, sent as a value of a column's type.
        case value(ColumnValue, ColumnType)
        /// An array, for servers that have arrays (``SQLDialect/hasArrays``).
        case array([ColumnValue], ColumnType)
    }

    /// The text. Placeholders are written as the dialect writes them, and numbered in the order of ``parameters``.
    package var text: String
    /// The values for the placeholders.
    package var parameters: [Parameter]
    /// The types as which the result's columns are read; empty for a statement without a result.
    package var results: [ColumnType]
    /// Whether the text is worth preparing: it comes again with other values.
    package var isRepeated: Bool

    package init(
        _ text: String, _ parameters: [Parameter] = [], results: [ColumnType] = [], isRepeated: Bool = true
    ) {
        self.text = text
        self.parameters = parameters
        self.results = results
        self.isRepeated = isRepeated
    }
}

/// The whole result of a statement.
package struct SQLResultSet: Sendable {
    /// The rows, each with a value for each of ``SQLStatement/results``.
    package var rows: [[ColumnValue]] = []
    /// Rows that were inserted, changed or deleted.
    package var changedRows = 0

    package init(rows: [[ColumnValue]] = [], changedRows: Int = 0) {
        self.rows = rows
        self.changedRows = changedRows
    }
}
