import Siltstone
import SiltstoneTables
import TableKit

extension Command {
    static let analyze = Command(
        name: "analyze", operands: "STORE [TABLE]",
        summary: "look at the values of indexes, so that queries are planned better",
        discussion: """
            Reads the keys and indexes of all tables, or of the one table, and stores how their
            values are distributed: how many are different, how many NULL, which are frequent. The
            planner's estimates use it; results never depend on it. Prints what it found.
            """,
        options: [.json, .quiet],
        examples: ["silt analyze people.silt", "silt analyze people.silt Person"],
        run: Analyze.run)
}

private enum Analyze {
    /// An index as `--json` reports it.
    private struct Row: Encodable {
        var table: String
        var columns: [String]
        var entries: Int
        var nulls: Int
        var distinctValues: [Int]
    }

    static func run(_ invocation: Invocation) throws -> ExitCode {
        let name = invocation.operand(1)
        let infos = try invocation.writingTables { engine in
            try engine.analyze(name)
            return try engine.reading { try $0.tables() }
        }
        let rows = infos.filter { name == nil || $0.structure.name == name }.flatMap { info in
            info.indexes.compactMap { index in
                index.statistics.map {
                    Row(
                        table: info.structure.name, columns: index.definition.columns, entries: $0.entries,
                        nulls: $0.nulls, distinctValues: $0.distinctValues)
                }
            }
        }
        if invocation.has(.json) {
            try JSONReport.print(rows)
        } else if !invocation.has(.quiet) {
            try Terminal.print(text(rows, tables: name == nil ? infos.count : 1))
        }
        return .success
    }

    private static func text(_ rows: [Row], tables: Int) -> String {
        if rows.isEmpty { return "analyzed \(HumanUnits.count(tables, "table")) without indexes\n" }
        let cells: [[ColumnValue]] = rows.map { row in
            [
                .text("\(row.table)(\(row.columns.joined(separator: ", ")))"), .text(HumanUnits.count(row.entries)),
                .text(HumanUnits.count(row.distinctValues.last ?? 0)), .text(HumanUnits.count(row.nulls)),
            ]
        }
        let text = TableText(
            columns: ["index", "entries", "different", "NULL"], sample: cells, rightColumns: [1, 2, 3])
        return text.header + cells.map(text.row).joined()
    }
}
