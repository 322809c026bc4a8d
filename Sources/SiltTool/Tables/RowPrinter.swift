import TableKit

/// Prints the rows of a statement as they arrive: aligned columns, CSV or JSON lines.
struct RowPrinter: ~Copyable {
    /// The format of printed rows.
    enum Style {
        case aligned, csv, jsonLines
    }

    private let style: Style
    private var output = OutputBuffer.standard()
    /// The number of printed rows.
    private(set) var rows = 0

    init(_ style: Style) { self.style = style }

    /// Prints all rows of a result that has columns.
    mutating func print(_ result: SQLResult) throws {
        switch style {
        case .aligned: try printAligned(result)
        case .csv:
            try output.append(text: result.columns.map { CSVReader.written($0) }.joined(separator: ",") + "\n")
            try forEach(result) { row in row.map { CSVReader.written(CellText.text($0)) }.joined(separator: ",") + "\n"
            }
        case .jsonLines:
            let names = result.columns.map { CellText.quoted($0) + ":" }
            try forEach(result) { row in
                "{" + zip(names, row).map { $0 + CellText.json($1) }.joined(separator: ",") + "}\n"
            }
        }
    }

    /// Flushes the output.
    mutating func finish() throws { try output.flush() }

    private mutating func forEach(_ result: SQLResult, _ line: ([ColumnValue]) -> String) throws {
        while let batch = try result.next() {
            for row in batch {
                try output.append(text: line(row))
                rows += 1
            }
        }
    }

    private mutating func printAligned(_ result: SQLResult) throws {
        var sample: [[ColumnValue]] = []
        while sample.count < TableText.sampleRows, let batch = try result.next() { sample += batch }
        let text = TableText(columns: result.columns, sample: sample)
        try output.append(text: text.header)
        for row in sample { try output.append(text: text.row(row)) }
        rows += sample.count
        try forEach(result, text.row)
    }
}
