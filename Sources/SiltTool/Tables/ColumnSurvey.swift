/// The columns of a file and the types of their values.
struct ColumnSurvey {
    /// The names, in order of appearance.
    private(set) var columns: [String] = []
    private(set) var guesses: [ColumnGuess] = []
    /// The numbers of the columns, by name.
    private(set) var numbers: [String: Int] = [:]
    /// The line of the first row.
    private var firstLine: Int?

    /// Whether there is a row.
    var hasRows: Bool { firstLine != nil }

    /// Adds the columns of a CSV header, before the first row.
    mutating func add(header: [String]) {
        for name in header { _ = addColumn(name, true) }
    }

    /// Adds a row. Columns missing from it are NULL.
    mutating func add(_ row: ImportedRows.Row) {
        let isFirst = firstLine == nil
        firstLine = firstLine ?? row.line
        for (name, cell) in zip(row.columns, row.values) {
            let number = numbers[name] ?? addColumn(name, isFirst)
            guesses[number].add(cell, line: row.line)
        }
        guard row.columns.count < columns.count else { return }
        let present = Set(row.columns)
        for (number, name) in columns.enumerated() where !present.contains(name) {
            guesses[number].add(nil, line: row.line)
        }
    }

    private mutating func addColumn(_ name: String, _ isFirst: Bool) -> Int {
        numbers[name] = columns.count
        columns.append(name)
        guesses.append(ColumnGuess())
        // Earlier rows had no such column.
        if !isFirst, let firstLine { guesses[columns.count - 1].add(nil, line: firstLine) }
        return columns.count - 1
    }
}
