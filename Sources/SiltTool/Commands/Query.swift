import Siltstone
import SiltstoneTables
import TableKit

extension Option {
    static let csvRows = Option("csv", letter: "c", "rows as CSV")
    static let jsonRows = Option("json", letter: "j", "rows as JSON lines")
    static let analyze = Option("analyze", letter: "a", "run it too, and tell what each step found and took")
}

extension Command {
    static let query = Command(
        name: "query", operands: "STORE SQL", summary: "run statements of SQL on the tables of a store",
        discussion: """
            Prints the rows of the statements, in aligned columns for people; with --csv or --json
            for programs, as 'silt import' reads them. '-' in place of SQL reads the statements from
            standard input. Several statements are separated by ';'; each is a transaction, unless
            they stand between BEGIN and COMMIT.

            Statements that only read (SELECT, EXPLAIN, PRAGMA) change nothing on disk, in a
            transaction or outside of one. Others open the store for changes, and are on stable
            storage when the command returns. They make the store where it is missing, unless an
            error comes before the first change.

            One table in a SELECT, with WHERE, GROUP BY, ORDER BY, LIMIT, OFFSET; INSERT, UPDATE,
            DELETE; CREATE, ALTER and DROP of tables and indexes.
            """,
        options: [.csvRows, .jsonRows, .quiet],
        examples: [
            "silt query people.silt 'SELECT firstName FROM Person ORDER BY lastName LIMIT 10'",
            "silt query --csv people.silt 'SELECT lastName, COUNT(*) FROM Person GROUP BY lastName'",
            "silt query people.silt 'UPDATE Person SET planet = 12 WHERE planet IS NULL'",
        ],
        run: Query.run)

    static let explain = Command(
        name: "explain", operands: "STORE SQL", summary: "show how a SELECT would run",
        discussion: """
            Prints the steps of the plan, each below the one that takes its rows, with about how
            many rows it gives, and which index would help. Nothing is run, unless --analyze says
            so: then each step also tells how many rows it read and found, and how long it took.
            --json prints the plan as a value.
            """,
        options: [.analyze, .json],
        examples: [
            "silt explain people.silt 'SELECT * FROM Person WHERE planet = 12'",
            "silt explain --analyze people.silt 'SELECT * FROM Person ORDER BY lastName LIMIT 10'",
        ],
        run: Query.explain)
}

private enum Query {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let script = try SQLScript(text(invocation))
        if script.changesNothing {
            try invocation.readingTables { engine, _ in try run(script, on: engine, invocation) }
        } else {
            try invocation.creating { store in
                try run(script, on: SiltstoneDatabaseConfiguration(store: store).engine, invocation)
            }
        }
        return .success
    }

    private static func run(_ script: SQLScript, on engine: any TableEngine, _ invocation: Invocation) throws {
        let style = invocation.has(.csvRows) ? RowPrinter.Style.csv : invocation.has(.jsonRows) ? .jsonLines : .aligned
        var printer = RowPrinter(style)
        var changes = 0
        try printer.print(script, on: engine) { changes += $0.changes }
        guard style == .aligned, !invocation.has(.quiet) else { return }
        let rows = printer.rows > 0 || script.changesNothing ? HumanUnits.count(printer.rows, "row") : nil
        let changed = script.changesNothing ? nil : "\(HumanUnits.count(changes, "row")) changed"
        try Terminal.print("(" + [rows, changed].compactMap(\.self).joined(separator: ", ") + ")\n")
    }

    static func explain(_ invocation: Invocation) throws -> ExitCode {
        let text = try text(invocation)
        let script = try SQLScript(explaining: text, isRun: invocation.has(.analyze))
        if script.count != 1 { throw invocation.usage("takes one statement, not \(script.count)") }
        try invocation.readingTables { engine, _ in
            try script.run(on: engine) { result in
                if invocation.has(.json), let plan = result.plan {
                    try JSONReport.print(plan)
                } else {
                    for row in try result.all() {
                        try Terminal.print(Escaping.printable(row.first.flatMap(CellText.text) ?? "") + "\n")
                    }
                }
            }
        }
        return .success
    }

    /// The statements: the operand, or standard input for '-'.
    private static func text(_ invocation: Invocation) throws -> String {
        guard let text = invocation.operand(1), text == "-" else { return invocation.operand(1) ?? "" }
        var lines = LineReader(System.standardInput, name: "standard input")
        var all: [UInt8] = []
        while let line = try lines.next() {
            all += Array(lines.lineNumber == 1 ? line.withoutByteOrderMark : line) + [UInt8(ascii: "\n")]
        }
        guard let text = String(validating: all, as: UTF8.self) else {
            throw ToolError(.usage, "standard input: not valid UTF-8")
        }
        return text
    }
}
