import TableKit

/// Reads the rows of a file to import, in either format: column names and values as text.
enum ImportedRows {
    /// The formats that `import` reads and `export` writes.
    enum Format: String {
        case csv, jsonl
    }

    /// Advice for files in another encoding, which spreadsheets often write.
    static let encodingHint: StaticString = "; convert the file first, as by iconv -f WINDOWS-1252 -t UTF-8"

    /// One row of the input.
    struct Row {
        /// The first line of the row.
        var line: Int
        /// The column names, in the order of `values`.
        var columns: [String]
        /// The values; nil is NULL in a column of any type.
        var values: [ImportedCell?]
        /// The line with the column names: the first of a CSV file, the row's own for JSON lines.
        var headerLine: Int
    }

    /// Reads all rows.
    /// - Parameters:
    ///   - copy: a descriptor that receives a copy of the input.
    ///   - header: called with the line and the columns of a CSV header, before the first row.
    /// - Returns: the number of bytes read. A file may have another length by now than when it was opened.
    /// - Throws: ``ToolError`` with the line of malformed input, and errors of `body`.
    static func forEach(
        _ source: InputSource, _ format: Format, copyingTo copy: Int32? = nil, progress: Progress,
        header: (Int, [String]) throws -> Void = { _, _ in }, _ body: (Row) throws -> Void
    ) throws -> Int {
        let lines = LineReader(source.descriptor, name: source.name, copyingTo: copy, limit: source.limit)
        defer { progress.finish() }
        switch format {
        case .csv: return try forEachCSV(CSVReader(lines, source: source.name), source.name, progress, header, body)
        case .jsonl: return try forEachObject(JSONObjectReader(lines, source: source.name), progress, body)
        }
    }

    private static func forEachCSV(
        _ reader: consuming CSVReader, _ name: String, _ progress: Progress,
        _ takeHeader: (Int, [String]) throws -> Void, _ body: (Row) throws -> Void
    ) throws -> Int {
        guard let header = try reader.next()?.map(\.text) else {
            throw ToolError(.usage, "\(name): no header: the first line names the columns")
        }
        if let twice = Dictionary(grouping: header, by: { $0 }).first(where: { $1.count > 1 })?.key {
            throw ToolError(.usage, "\(name):\(reader.lineNumber): the column '\(twice)' is named twice")
        }
        let headerLine = reader.lineNumber
        try takeHeader(headerLine, header)
        // In a file with one column, NULL is a blank line.
        reader.areBlankLinesRows = header.count == 1
        var rows = 0
        while let fields = try reader.next() {
            guard fields.count == header.count else {
                throw ToolError(
                    .usage, "\(name):\(reader.lineNumber): \(fields.count) fields, but the header has \(header.count)")
            }
            try body(
                Row(
                    line: reader.lineNumber, columns: header,
                    values: fields.map { $0.text.isEmpty && !$0.isQuoted ? nil : ImportedCell($0.text) },
                    headerLine: headerLine))
            rows += 1
            if rows & 0xff == 0 { progress.update(bytes: reader.bytesRead, records: rows) }
        }
        return reader.bytesRead
    }

    private static func forEachObject(
        _ reader: consuming JSONObjectReader, _ progress: Progress, _ body: (Row) throws -> Void
    ) throws -> Int {
        var rows = 0
        while let members = try reader.next() {
            let line = reader.lineNumber
            try body(
                Row(line: line, columns: members.map(\.name), values: members.map(\.value), headerLine: line))
            rows += 1
            if rows & 0xff == 0 { progress.update(bytes: reader.bytesRead, records: rows) }
        }
        return reader.bytesRead
    }
}
