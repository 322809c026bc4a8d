import Siltstone
import SiltstoneTables
import TableKit

extension Command {
    static let export = Command(
        name: "export", operands: "STORE TABLE", summary: "print the rows of a table as CSV or JSON lines",
        discussion: """
            Prints all rows in the order of their keys, as 'silt import' reads them: CSV, or JSON
            lines with --format jsonl. NULL is an empty field of CSV, an empty text is "". In JSON
            lines, NULL is null, but in a column of JSON its member is left out. Dates are ISO 8601
            in UTC, bytes are \\x and hexadecimal digits.
            """,
        options: [.printedRowFormat],
        examples: ["silt export people.silt Person > people.csv"],
        run: { invocation in
            let style: RowPrinter.Style = try invocation.rowFormat(nil, .printedRowFormat) == .csv ? .csv : .jsonLines
            let name = invocation.operand(1) ?? ""
            try invocation.readingTables { engine, _ in
                guard let structure = try engine.reading({ try $0.table(named: name)?.structure }) else {
                    throw ToolError(.negative, "there is no table '\(name)'")
                }
                let nested = structure.columns.indices.filter { structure.columns[$0].type == .json }
                var printer = RowPrinter(style, leavingOut: Set(nested))
                try printer.print(SQLScript("SELECT * FROM " + SchemaText.quoted(name)), on: engine)
            }
            return .success
        })
}
