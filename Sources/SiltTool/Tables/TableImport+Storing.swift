import TableKit

extension TableImport {
    /// The rows of one statement.
    private static let chunkRows = 1000

    /// Stores the rows of a checked input.
    /// - Parameter report: receives the number of committed rows, even if this throws.
    /// - Throws: ``ToolError`` with the line of a row that the table refuses.
    func store(_ checked: Checked, in engine: any TableEngine, _ report: inout Report) throws {
        let session = try engine.begin(.serial)
        if checked.isNew {
            do { try session.alter(.createTable(checked.structure)) } catch {
                session.rollback()
                throw error
            }
        }
        report.created = checked.isNew
        var run = StoringRun(self, checked, engine, session)
        do {
            let progress = Progress("import", totalBytes: checked.source.bytes, isQuiet: isQuiet)
            let bytes = try ImportedRows.forEach(checked.source, format, progress: progress) { try run.add($0) }
            if let expected = checked.source.limit, bytes < expected {
                throw ToolError(
                    .usage, "\(checked.source.name) became shorter while it was read; import it again")
            }
            try run.commit()
        } catch {
            run.session.rollback()
            report.rows = run.committedRows
            throw run.committedRows == 0 ? error : run.describePartly(error)
        }
        report.rows = run.committedRows
    }

    /// The second pass, which stores rows.
    fileprivate struct StoringRun {
        let settings: TableImport
        let structure: TableStructure
        let source: String
        let engine: any TableEngine
        var session: any TableSession
        /// Rows for the next statement, and their first lines.
        var chunk = RowBuffer()
        var lines: [Int] = []
        /// The columns of these rows.
        var columns: [String] = []
        var numbers: [Int] = []
        /// The rows of the open transaction.
        var pendingRows = 0
        var lastLine = 0
        var committedRows = 0
        var committedLine = 0

        init(
            _ settings: TableImport, _ checked: Checked, _ engine: any TableEngine, _ session: any TableSession
        ) {
            self.settings = settings
            structure = checked.structure
            source = checked.source.name
            self.engine = engine
            self.session = session
        }
    }
}

extension TableImport.StoringRun {
    mutating func add(_ row: ImportedRows.Row) throws {
        if row.columns != columns {
            try insert()
            columns = row.columns
            numbers = try columns.map { try settings.number(of: $0, structure, row.headerLine, source) }
        }
        var values = [ColumnValue](repeating: .null, count: structure.columns.count)
        for (number, cell) in zip(numbers, row.values) {
            values[number] = try settings.value(cell, structure.columns[number], row.line, source)
        }
        try chunk.append(values, layout: structure.layout)
        lines.append(row.line)
        lastLine = row.line
        pendingRows += 1
        if chunk.count == TableImport.chunkRows { try insert() }
        if pendingRows == settings.batchRows {
            try commit()
            session = try engine.begin(.serial)
        }
    }

    mutating func commit() throws {
        try insert()
        try session.commit()
        committedRows += pendingRows
        committedLine = lastLine
        pendingRows = 0
    }

    private mutating func insert() throws {
        guard !chunk.isEmpty else { return }
        do { try insert(chunk) } catch let error as any TableError { throw place(error) }
        chunk.removeAll()
        lines.removeAll(keepingCapacity: true)
    }

    private func insert(_ rows: RowBuffer) throws {
        var statement = InsertStatement(
            structure, columns: numbers.count == structure.columns.count ? nil : numbers, rows: rows)
        statement.onConflict = settings.isReplacing ? .replace : .fail
        _ = try session.insert(statement)
    }

    /// Adds the line of the offending row to an error. Finds it by inserting the rows again, one by one, in the
    /// transaction that will be rolled back.
    private func place(_ error: any TableError) -> ToolError {
        for row in lines.indices {
            var single = RowBuffer()
            chunk.withRow(row) { single.append($0) }
            do { try insert(single) } catch let other as any TableError {
                guard other.code == error.code, other.key == error.key, other.column == error.column else { continue }
                return ToolError(ExitCode(error.code), "\(source):\(lines[row]): \(error)")
            } catch { break }
        }
        return ToolError(ExitCode(error.code), "\(source), lines \(lines.first ?? 0) to \(lastLine): \(error)")
    }

    /// Adds the number of rows stored by earlier batches to an error.
    func describePartly(_ error: any Error) -> ToolError {
        let failure = Failure(error)
        return ToolError(
            failure.exitCode,
            "\(failure.message); stored before it: \(HumanUnits.count(committedRows, "row")), "
                + "to line \(committedLine)")
    }
}
