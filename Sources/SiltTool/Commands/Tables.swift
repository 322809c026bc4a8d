import Siltstone
import SiltstoneTables
import TableKit

extension Command {
    static let tables = Command(
        name: "tables", operands: "STORE", summary: "list the tables of a store",
        discussion: """
            Lists the tables with about how many rows they have, and how many bytes their rows and
            their indexes take. Exact counts: silt query STORE 'SELECT COUNT(*) FROM name'.
            """,
        options: [.json],
        examples: ["silt tables people.silt"],
        run: Tables.run)
}

private enum Tables {
    /// A table as `--json` reports it.
    struct Row: Encodable {
        var name: String
        var columns: Int
        var estimatedRows: Int
        var rowBytes: Int
        var indexes: Int
        var indexBytes: Int
    }

    static func run(_ invocation: Invocation) throws -> ExitCode {
        let spaces = try invocation.readingTables { _, store in try TableSpace.all(in: store, sampleRows: 0) }
        let rows = spaces.map { space in
            let indexes = space.parts.filter { $0.index != nil }
            let rows = space.parts.first { $0.index == nil }
            return Row(
                name: space.name, columns: space.columns.count, estimatedRows: rows?.entries ?? 0,
                rowBytes: rows?.bytes ?? 0, indexes: indexes.count, indexBytes: indexes.reduce(0) { $0 + $1.bytes })
        }
        if invocation.has(.json) {
            try JSONReport.print(rows)
            return .success
        }
        if rows.isEmpty {
            try Terminal.print("no tables\n")
            return .success
        }
        let cells = rows.map { row in
            [
                ColumnValue.text(row.name), .integer(Int64(row.estimatedRows)), .text(HumanUnits.bytes(row.rowBytes)),
                .integer(Int64(row.columns)), .integer(Int64(row.indexes)), .text(HumanUnits.bytes(row.indexBytes)),
            ]
        }
        let text = TableText(
            columns: ["table", "rows, about", "size", "columns", "indexes", "their size"], sample: cells)
        try Terminal.print(text.header + cells.map(text.row).joined())
        return .success
    }
}
