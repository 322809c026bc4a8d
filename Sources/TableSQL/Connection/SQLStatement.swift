package import TableKit

/// An SQL statement: text with placeholders, their values, and the types of the result's columns.
package struct SQLStatement: Sendable {
    /// A value for a placeholder.
    package enum Parameter: Sendable {
        /// One value, sent as this column type.
        case value(ColumnValue, ColumnType)
        /// An array, for servers that have arrays (``SQLDialect/hasArrays``).
        case array([ColumnValue], ColumnType)
        /// One column of some rows as an array, for servers that have arrays.
        case column(PackedRows, Int, Range<Int>)
        /// The values of some rows, row by row: as many placeholders.
        case rows(PackedRows, Range<Int>)

        /// The number of placeholders.
        package var count: Int {
            if case .rows(let rows, let range) = self { rows.slots.count * range.count } else { 1 }
        }
    }

    /// The text. Placeholders follow the dialect's syntax, in the order of ``parameters``.
    package var text: String
    /// The values for the placeholders.
    package var parameters: [Parameter]
    /// The column types of the result; empty for a statement without a result.
    package var results: [ColumnType]
    /// Whether the statement is worth preparing: the same text runs again with other values.
    package var isRepeated: Bool
    /// Whether it looks for the reason of a failure. It then runs even where the failure has ended the transaction.
    package var explainsFailure = false

    package init(
        _ text: String, _ parameters: [Parameter] = [], results: [ColumnType] = [], isRepeated: Bool = true
    ) {
        self.text = text
        self.parameters = parameters
        self.results = results
        self.isRepeated = isRepeated
    }
}

/// The complete result of a statement.
package struct SQLResultSet: Sendable {
    /// The rows, each with a value for each of ``SQLStatement/results``.
    package var rows: [[ColumnValue]] = []
    /// The number of rows inserted, updated or deleted.
    package var changedRows = 0

    package init(rows: [[ColumnValue]] = [], changedRows: Int = 0) {
        self.rows = rows
        self.changedRows = changedRows
    }
}
