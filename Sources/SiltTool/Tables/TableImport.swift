import TableKit

/// Imports a file into a table. A first pass checks every row, a second one stores them.
struct TableImport {
    /// The report of `import`.
    struct Report: Encodable {
        var table: String
        var created = false
        /// The number of committed rows.
        var rows = 0
        var seconds = 0.0
    }

    /// The key column of a new table.
    enum KeyChoice: Equatable {
        /// The column `id`, if there is one.
        case automatic
        case none
        case column(String)
    }

    /// An input with all rows checked.
    struct Checked {
        /// The input of the second pass: the first one's, rewound, or the copy of a pipe.
        var source: InputSource
        var structure: TableStructure
        /// Whether the table must be created.
        var isNew: Bool
    }

    let table: String
    let format: ImportedRows.Format
    let key: KeyChoice
    /// Whether rows replace those with the same key.
    let isReplacing: Bool
    /// The rows of a transaction; nil for all.
    let batchRows: Int?
    let isQuiet: Bool

    // MARK: First pass

    /// Checks every row, and finds the column types of a new table.
    /// - Parameter existing: the table; nil if it does not exist.
    /// - Throws: ``ToolError`` with the line of malformed input.
    func check(_ source: InputSource, _ existing: TableStructure?) throws -> Checked {
        if let existing, case .column(let name) = key, existing.primaryKey != [existing.number(of: name)] {
            throw ToolError(.usage, "the table \(table) exists, and '\(name)' is not its key")
        }
        let copy = source.bytes == nil ? try System.temporaryFile() : nil
        var survey = ColumnSurvey()
        let progress = Progress("check", totalBytes: source.bytes, isQuiet: isQuiet)
        let header: (Int, [String]) throws -> Void = { line, names in
            guard let existing else { return survey.add(header: names) }
            for name in names { _ = try number(of: name, existing, line, source.name) }
        }
        let bytes = try ImportedRows.forEach(
            source, format, copyingTo: copy, progress: progress, header: header
        ) { row in
            guard let existing else { return survey.add(row) }
            for (name, cell) in zip(row.columns, row.values) {
                let column = existing.columns[try number(of: name, existing, row.headerLine, source.name)]
                _ = try value(cell, column, row.line, source.name)
            }
        }
        // Both passes see the same bytes, although a program may append to the file all the time.
        let checked = InputSource(
            descriptor: copy ?? source.descriptor, name: source.name, bytes: bytes, limit: bytes)
        try System.rewind(checked.descriptor, by: bytes, name: copy == nil ? source.name : "a temporary file")
        return Checked(
            source: checked, structure: try existing ?? structure(survey, source.name), isNew: existing == nil)
    }

    /// A table with the columns of the file. Without rows, they are text that may be NULL.
    private func structure(_ survey: ColumnSurvey, _ source: String) throws -> TableStructure {
        guard !survey.columns.isEmpty else { throw ToolError(.usage, "the input has no rows to make a table of") }
        var columns = zip(survey.columns, survey.guesses).map { name, guess in
            Column(name, guess.type, isOptional: guess.hasNull || !survey.hasRows)
        }
        let key = try keyNumber(survey, source)
        if let key { columns[key].isOptional = false }
        return TableStructure(name: table, columns: columns, primaryKey: key.map { [$0] } ?? [])
    }

    private func keyNumber(_ survey: ColumnSurvey, _ source: String) throws -> Int? {
        let number: Int?
        switch key {
        case .none: return nil
        case .automatic: number = survey.numbers["id"]
        case .column(let name):
            number = survey.numbers[name]
            if number == nil { throw ToolError(.usage, "there is no column '\(name)' to be the key") }
        }
        guard let number, let line = survey.guesses[number].firstNull else { return number }
        throw ToolError(
            .usage,
            "\(source):\(line): no value for '\(survey.columns[number])', which is the key; "
                + "choose another by --key, or none by --no-key")
    }

    // MARK: Values

    /// The number of a column.
    func number(of name: String, _ structure: TableStructure, _ line: Int, _ source: String) throws -> Int {
        if let number = structure.number(of: name) { return number }
        let known = structure.columns.map(\.name).joined(separator: ", ")
        throw ToolError(.usage, "\(source):\(line): the table \(table) has no column '\(name)'; it has \(known)")
    }

    /// Parses a cell as a value of a column.
    func value(_ cell: ImportedCell?, _ column: Column, _ line: Int, _ source: String) throws -> ColumnValue {
        guard let cell, cell.kind != .null || column.type == .json else { return .null }
        if let value = CellText.value(cell, column.type) { return value }
        throw ToolError(
            .usage, "\(source):\(line): '\(cell.text.prefix(40))' is no \(column.type) for the column \(column.name)")
    }
}
