import TableKit

/// One import of a file into a table: a pass that checks every row, then one that stores them.
struct TableImport {
    /// What `import` reports.
    struct Report: Encodable {
        var table: String
        var created = false
        var rows = 0
        var seconds = 0.0
    }

    /// Rows that are inserted by one statement.
    private static let chunkRows = 1000

    let engine: any TableEngine
    let table: String
    let format: ImportedRows.Format
    /// The column that is the key of a table that is made.
    let key: String?
    /// Whether rows take the place of those with their key.
    let isReplacing: Bool
    /// Rows of a transaction. Nil: all of them.
    let batchRows: Int?
    let isQuiet: Bool

    /// What the first pass finds.
    fileprivate struct Survey {
        var columns: [String] = []
        var guesses: [ColumnGuess] = []
        var numbers: [String: Int] = [:]
        var rows = 0
    }

    func run(_ source: InputSource) throws -> Report {
        let started = System.seconds
        var report = Report(table: table)
        let existing = try reading { try $0.table(named: table)?.structure }
        let (survey, checked) = try survey(source, existing)
        let session = try engine.begin(.serial)
        do {
            let structure: TableStructure
            if let existing {
                structure = existing
            } else {
                structure = try make(survey, session)
                report.created = true
            }
            report.rows = try store(checked, structure, session)
        } catch {
            session.rollback()
            throw error
        }
        report.seconds = System.seconds - started
        return report
    }

    private func reading<R>(_ body: (any TableSession) throws -> R) throws -> R {
        let session = try engine.beginRead()
        defer { session.rollback() }
        return try body(session)
    }

    // MARK: First pass

    /// Checks every row, and finds the types of a table that is to be made.
    /// - Returns: what was found, and where the second pass reads: the same input from its start, or the copy of a pipe.
    private func survey(_ source: InputSource, _ existing: TableStructure?) throws -> (Survey, InputSource) {
        let copy = source.bytes == nil ? try System.temporaryFile() : nil
        var survey = Survey()
        let progress = Progress("check", totalBytes: source.bytes, isQuiet: isQuiet)
        try ImportedRows.forEach(source, format, copyingTo: copy, progress: progress) { row in
            survey.rows += 1
            for (name, text) in zip(row.columns, row.values) {
                if let existing {
                    _ = try value(text, name, existing, row.line, source.name)
                } else {
                    survey.add(name, text)
                }
            }
            survey.noteMissing(row.columns)
        }
        let bytes = try source.bytes ?? copy.map { try System.offset($0, name: "a temporary file") } ?? 0
        let checked = copy.map { InputSource(descriptor: $0, name: source.name, bytes: bytes) } ?? source
        try System.rewind(checked.descriptor, by: bytes, name: copy == nil ? source.name : "a temporary file")
        return (survey, checked)
    }

    /// Makes the table with the columns of the file.
    private func make(_ survey: Survey, _ session: any TableSession) throws -> TableStructure {
        guard !survey.columns.isEmpty else { throw ToolError(.usage, "the input has no rows to make a table of") }
        if let key, survey.numbers[key] == nil { throw ToolError(.usage, "there is no column '\(key)' to be the key") }
        let keyColumn = key ?? (survey.numbers["id"].map { survey.guesses[$0].hasNull } == false ? "id" : nil)
        let columns = zip(survey.columns, survey.guesses).map { name, guess in
            Column(name, guess.type, isOptional: guess.hasNull)
        }
        let structure = TableStructure(
            name: table, columns: columns, primaryKey: keyColumn.flatMap { survey.numbers[$0] }.map { [$0] } ?? [])
        try session.alter(.createTable(structure))
        return structure
    }

    // MARK: Second pass

    /// Inserts the rows; ends the session.
    private func store(_ source: InputSource, _ structure: TableStructure, _ first: any TableSession) throws -> Int {
        var session = first
        var chunk = RowBuffer()
        var columns: [String] = []
        var numbers: [Int] = []
        var line = 0
        var (rows, inTransaction) = (0, 0)
        func insert() throws {
            guard !chunk.isEmpty else { return }
            var statement = InsertStatement(
                structure, columns: numbers.count == structure.columns.count ? nil : numbers, rows: chunk)
            statement.onConflict = isReplacing ? .replace : .fail
            do { _ = try session.insert(statement) } catch let error as any TableError {
                throw ToolError(ExitCode(error.code), "\(source.name), rows up to line \(line): \(error)")
            }
            chunk.removeAll()
        }
        do {
            let progress = Progress("import", totalBytes: source.bytes, isQuiet: isQuiet)
            try ImportedRows.forEach(source, format, progress: progress) { row in
                if row.columns != columns {
                    try insert()
                    columns = row.columns
                    numbers = try columns.map { try number(of: $0, structure, row.line, source.name) }
                }
                line = row.line
                var values = [ColumnValue](repeating: .null, count: structure.columns.count)
                for (number, (name, text)) in zip(numbers, zip(row.columns, row.values)) {
                    values[number] = try value(text, name, structure, row.line, source.name)
                }
                try chunk.append(values, layout: structure.layout)
                rows += 1
                inTransaction += 1
                if chunk.count == Self.chunkRows { try insert() }
                if inTransaction == batchRows {
                    try insert()
                    try session.commit()
                    session = try engine.begin(.serial)
                    inTransaction = 0
                }
            }
            try insert()
            try session.commit()
        } catch {
            session.rollback()
            throw error
        }
        return rows
    }

    private func number(of name: String, _ structure: TableStructure, _ line: Int, _ source: String) throws -> Int {
        if let number = structure.number(of: name) { return number }
        let known = structure.columns.map(\.name).joined(separator: ", ")
        throw ToolError(.usage, "\(source):\(line): the table \(table) has no column '\(name)'; it has \(known)")
    }

    /// The value of a column that a text stands for.
    private func value(
        _ text: String?, _ name: String, _ structure: TableStructure, _ line: Int, _ source: String
    ) throws -> ColumnValue {
        let column = structure.columns[try number(of: name, structure, line, source)]
        guard let text else { return .null }
        if let value = CellText.value(text, column.type) { return value }
        throw ToolError(.usage, "\(source):\(line): '\(text.prefix(40))' is no \(column.type) for the column \(name)")
    }
}

extension TableImport.Survey {
    /// Looks at a value of a column.
    fileprivate mutating func add(_ name: String, _ text: String?) {
        let number: Int
        if let known = numbers[name] {
            number = known
        } else {
            number = columns.count
            numbers[name] = number
            columns.append(name)
            guesses.append(ColumnGuess())
            // The rows before had no such column.
            if rows > 1 { guesses[number].add(nil) }
        }
        guesses[number].add(text)
    }

    /// Columns that a row leaves out are NULL in it.
    fileprivate mutating func noteMissing(_ present: [String]) {
        guard present.count < columns.count else { return }
        for (number, name) in columns.enumerated() where !present.contains(name) { guesses[number].add(nil) }
    }
}

extension ExitCode {
    /// The status for an error of tables.
    init(_ code: TableErrorCode) {
        switch code {
        case .corrupt: self = .corrupt
        case .engine, .unavailable: self = .inputOutput
        default: self = .usage
        }
    }
}
