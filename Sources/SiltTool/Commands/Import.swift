import Siltstone
import SiltstoneTables
import TableKit

extension Option {
    fileprivate static let key = Option("key", letter: "k", argument: "COLUMN", "the key of a table that is made")
    fileprivate static let noKey = Option("no-key", "a table that is made has no key")
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
            lines have one object a line; a member that is missing or null is NULL, but in a column
            of JSON null is the value null.

            A table that does not exist is made: each column has the narrowest type that keeps all
            its values (integer, unsigned integer, real, true or false, UUID, date, bytes, JSON, else
            text), and the key is --key, else the column 'id', else none. A key needs a value in
            every row; --no-key makes a table without one. A CSV file without rows makes a table of
            text; JSON lines without rows are refused.

            All rows are checked before the first is stored, and stored in one transaction: an error
            stores nothing, and makes no store. A large transaction needs its size in disk space twice;
            --batch needs less, and says after an error how many rows it has left.
            """,
        options: [.rowFormat, .key, .noKey, .replace, .batch, .json, .quiet],
        examples: [
            "silt import people.silt Person people.csv",
            "silt export people.silt Person | silt import copy.silt Person",
            "silt import --key isbn books.silt Book books.jsonl",
        ],
        run: Import.run)
}

private enum Import {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let table = invocation.operand(1) ?? ""
        let file = invocation.operand(2)
        let batchRows = try invocation.number(.batch)
        if batchRows == 0 { throw invocation.usage("--batch takes a number above 0") }
        if invocation.has(.noKey), invocation.has(.key) {
            throw invocation.usage("--key and --no-key exclude each other")
        }
        let settings = TableImport(
            table: table, format: try invocation.rowFormat(file),
            key: invocation.has(.noKey) ? .none : invocation.value(.key).map { .column($0) } ?? .automatic,
            isReplacing: invocation.has(.replace), batchRows: batchRows, isQuiet: invocation.has(.quiet))
        let started = System.seconds
        var report = TableImport.Report(table: table)
        let source = try InputSource(file)
        if let store = try invocation.openExisting() {
            try store.closing { try add(source, to: $0, settings, &report) }
        } else {
            try make(source, invocation, settings, &report)
        }
        report.seconds = System.seconds - started
        try show(report, invocation)
        return .success
    }

    private static func add(
        _ source: InputSource, to store: KeyValueStore, _ settings: TableImport, _ report: inout TableImport.Report
    ) throws {
        let engine = try SiltstoneDatabaseConfiguration(store: store).engine
        let existing = try engine.reading { try $0.table(named: settings.table)?.structure }
        try settings.store(try settings.check(source, existing), in: engine, &report)
    }

    /// Creates the store after the input has been checked, and removes it if a row is refused anyway. The check may
    /// take long: if another process has made a store meanwhile, the rows are added to that one.
    private static func make(
        _ source: InputSource, _ invocation: Invocation, _ settings: TableImport, _ report: inout TableImport.Report
    ) throws {
        let checked = try settings.check(source, nil)
        try invocation.creating { store in
            guard store.isNew else { return try add(checked.source, to: store, settings, &report) }
            let engine = try SiltstoneDatabaseConfiguration(store: store).engine
            try settings.store(checked, in: engine, &report)
        }
    }

    private static func show(_ report: TableImport.Report, _ invocation: Invocation) throws {
        if invocation.has(.json) {
            try JSONReport.print(report)
        } else if !invocation.has(.quiet) {
            let made = report.created ? ", a new table" : ""
            let rows = HumanUnits.count(report.rows, "row")
            try Terminal.print(
                "imported \(rows) into \(report.table)\(made) in \(HumanUnits.duration(report.seconds))\n")
        }
    }
}
