package import TableKit

/// A statement under construction: its text and the values of its placeholders.
package struct SQLText {
    package let dialect: any SQLDialect
    package private(set) var text = ""
    package private(set) var parameters: [SQLStatement.Parameter] = []
    /// Whether the text differs from call to call, so that preparing it is useless.
    package var isUnique = false

    package init(_ dialect: any SQLDialect, _ text: String = "") {
        self.dialect = dialect
        self.text = text
    }

    package static func += (left: inout SQLText, right: String) { left.text += right }

    /// Appends a placeholder for a value.
    /// - Parameter form: the type of the date column to which the value belongs.
    package mutating func bind(_ value: ColumnValue, _ type: ColumnType, _ form: DateForm? = nil) {
        let placeholder = placeholder(for: value, type)
        text += form?.value(ofSeconds: placeholder) ?? placeholder
    }

    /// Adds a value and returns its placeholder, which the caller puts into the text.
    package mutating func placeholder(for value: ColumnValue, _ type: ColumnType) -> String {
        parameters.append(.value(value, type))
        return dialect.placeholder(parameters.count, type)
    }

    /// Appends rows of values, each in brackets, for a dialect whose placeholders have no numbers.
    package mutating func bind(rows: ArraySlice<[ColumnValue]>, _ types: [ColumnType]) {
        let row = "(" + types.map { dialect.placeholder(0, $0) }.joined(separator: ", ") + ")"
        text.reserveCapacity(text.utf8.count + rows.count * (row.utf8.count + 2))
        parameters.reserveCapacity(parameters.count + rows.count * types.count)
        for (number, values) in rows.enumerated() {
            if number > 0 { text += ", " }
            text += row
            for (value, type) in zip(values, types) { parameters.append(.value(value, type)) }
        }
    }

    /// Appends packed rows, like ``bind(rows:_:)``.
    package mutating func bind(_ rows: PackedRows, _ range: Range<Int>) {
        let row = "(" + rows.slots.map { dialect.placeholder(0, $0.type) }.joined(separator: ", ") + ")"
        text.reserveCapacity(text.utf8.count + range.count * (row.utf8.count + 2))
        for number in range {
            if number > range.lowerBound { text += ", " }
            text += row
        }
        parameters.append(.rows(rows, range))
    }

    /// Appends a placeholder for a column of packed rows as an array.
    package mutating func bind(column: Int, of rows: PackedRows, _ range: Range<Int>) {
        parameters.append(.column(rows, column, range))
        text += dialect.arrayPlaceholder(parameters.count, rows.slots[column].type)
    }

    /// Appends a placeholder for an array, or a query with its values, for the brackets of ANY.
    /// - Parameter form: the type of the date column to which the values belong.
    package mutating func bind(array: [ColumnValue], _ type: ColumnType, _ form: DateForm? = nil) {
        parameters.append(.array(array, type))
        let array = dialect.arrayPlaceholder(parameters.count, type)
        text += form.map { "SELECT \($0.value(ofSeconds: "x")) FROM unnest(\(array)) AS u(x)" } ?? array
    }

    /// Appends a quoted name.
    package mutating func name(_ identifier: String) throws { text += try dialect.quote(identifier) }

    package func statement(results: [ColumnType] = []) -> SQLStatement {
        SQLStatement(text, parameters, results: results, isRepeated: !isUnique)
    }
}
