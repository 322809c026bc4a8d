import TableKit

/// Prints the rows of a statement as they arrive: aligned columns, CSV or JSON lines.
struct RowPrinter: ~Copyable {
    /// The format of printed rows.
    enum Style {
        case aligned, csv, jsonLines
    }

    private let style: Style
    /// The numbers of the columns whose NULLs JSON lines leave out.
    private let leavingOut: Set<Int>
    private var output = OutputBuffer.standard()
    /// The number of printed rows.
    private(set) var rows = 0

    /// - Parameter leavingOut: the numbers of columns whose NULLs JSON lines leave out. In a column of JSON, `null` is
    ///   another value than NULL.
    init(_ style: Style, leavingOut: Set<Int> = []) {
        self.style = style
        self.leavingOut = leavingOut
    }

    /// Runs statements, prints the rows of those that have columns, and flushes the output, even before an error.
    /// - Parameter seen: called with each result first.
    mutating func print(
        _ script: SQLScript, on engine: any TableEngine, _ seen: (SQLResult) -> Void = { _ in }
    ) throws {
        do {
            try script.run(on: engine) { result in
                seen(result)
                if !result.columns.isEmpty { try print(result) }
            }
        } catch {
            output.flush(before: error)
            throw error
        }
        try output.flush()
    }

    /// Prints all rows of a result that has columns.
    private mutating func print(_ result: SQLResult) throws {
        switch style {
        case .aligned: try printAligned(result)
        case .csv:
            try output.append(text: result.columns.map { CSVReader.written($0) }.joined(separator: ",") + "\n")
            try forEach(result) { row in row.map { CSVReader.written(CellText.text($0)) }.joined(separator: ",") + "\n"
            }
        case .jsonLines:
            let names = result.columns.map { CellText.quoted($0) + ":" }
            let leavingOut = leavingOut
            try forEach(result) { row in
                let shown = row.indices.filter { !row[$0].isNull || !leavingOut.contains($0) }
                return "{" + shown.map { names[$0] + CellText.json(row[$0]) }.joined(separator: ",") + "}\n"
            }
        }
    }

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
        var failure: (any Error)?
        do {
            while sample.count < TableText.sampleRows, let batch = try result.next() { sample += batch }
        } catch { failure = error }
        // Rows read before an error are printed, too.
        if let failure, sample.isEmpty { throw failure }
        let text = TableText(columns: result.columns, sample: sample)
        try output.append(text: text.header)
        for row in sample { try output.append(text: text.row(row)) }
        rows += sample.count
        if let failure { throw failure }
        try forEach(result, text.row)
    }
}
