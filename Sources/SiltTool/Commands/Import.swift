import Siltstone
import SiltstoneTables
import TableKit

extension Option {
    fileprivate static let key = Option("key", letter: "k", argument: "COLUMN", "the key of a table that is made")
    fileprivate static let replace = Option("replace", "a row takes the place of the one with its key")
    fileprivate static let batch = Option(
        "batch", argument: "ROWS", "commit after each so many rows, in place of one transaction for all")
}

extension Command {
    static let `import` = Command(
        name: "import", operands: "STORE TABLE [FILE]",
        summary: "store the rows of a CSV or JSON lines file in a table",
        discussion: """
            Reads rows from FILE, or from standard input where FILE is missing or '-'. A CSV file
            names its columns in the first line; an empty field is NULL, "" an empty text. JSON
            lines have one object a line; a member that is missing is NULL.

            A table that does not exist is made: each column has the narrowest type that all its
            values have (integer, real, true or false, UUID, date, else text), and the key is
            --key, else the column 'id', else none.

            All rows are checked before the first is stored, and stored in one transaction: an error
            stores nothing. A transaction holds 1 GiB at most; for more there is --batch.
            """,
        options: [.rowFormat, .key, .replace, .batch, .json, .quiet],
        examples: [
            "silt import people.silt Person people.csv",
            "silt export people.silt Person | silt import copy.silt Person",
            "silt import --key isbn books.silt Book books.jsonl",
        ],
        run: Import.run)
}

private enum Import {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let file = invocation.operand(2)
        let format = try invocation.rowFormat(file)
        let batchRows = try invocation.number(.batch)
        if batchRows == 0 { throw invocation.usage("--batch takes a number above 0") }
        let source = try InputSource(file)
        let report = try invocation.writingTables(createIfMissing: true) { engine in
            try TableImport(
                engine: engine, table: invocation.operand(1) ?? "", format: format, key: invocation.value(.key),
                isReplacing: invocation.has(.replace), batchRows: batchRows, isQuiet: invocation.has(.quiet)
            ).run(source)
        }
        if invocation.has(.json) {
            try JSONReport.print(report)
        } else if !invocation.has(.quiet) {
            let made = report.created ? ", a new table" : ""
            let rows = HumanUnits.count(report.rows, "row")
            try Terminal.print(
                "imported \(rows) into \(report.table)\(made) in \(HumanUnits.duration(report.seconds))\n")
        }
        return .success
    }
}
