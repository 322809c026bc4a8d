import Siltstone
import SiltstoneTables
import TableKit

extension Command {
    static let export = Command(
        name: "export", operands: "STORE TABLE", summary: "print the rows of a table as CSV or JSON lines",
        discussion: """
            Prints all rows in the order of their keys, as 'silt import' reads them: CSV, or JSON
            lines with --format jsonl. NULL is an empty field of CSV, an empty text is "". Dates are
            ISO 8601 in UTC, bytes are \\x and hexadecimal digits.
            """,
        options: [.printedRowFormat],
        examples: ["silt export people.silt Person > people.csv"],
        run: { invocation in
            let style: RowPrinter.Style = try invocation.rowFormat(nil, .printedRowFormat) == .csv ? .csv : .jsonLines
            let name = invocation.operand(1) ?? ""
            try invocation.readingTables { engine, _ in
                let known = try engine.reading { try $0.table(named: name) != nil }
                if !known { throw ToolError(.negative, "there is no table '\(name)'") }
                var printer = RowPrinter(style)
                try printer.print(SQLScript("SELECT * FROM " + SchemaText.quoted(name)), on: engine)
            }
            return .success
        })
}
