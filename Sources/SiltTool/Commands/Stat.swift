import Siltstone
import TableKit

extension Command {
    static let stat = Command(
        name: "stat", operands: "STORE", summary: "show what a store holds, level by level",
        discussion: """
            Prints how much a store holds and where. Records and tombstones are counted as they
            lie in the files: a key that was written three times may count three times until its
            versions are compacted. A bar shows a level's share of the bytes in segments.

            Read amplification is the number of sorted runs and memtables that a read may have to
            search; space amplification, how many bytes are on disk for each byte that is live. It
            counts only the deepest level and the values that segments refer to as live, so it is
            too high where upper levels hold new keys. Write amplification is known only to the
            program that has the store open: 'silt stat --json' gives 0.

            Where the store has tables, their rows and their indexes follow, with about how many
            entries and bytes they have. SELECT COUNT(*) by 'silt query' counts exactly.
            """,
        options: [.json],
        examples: ["silt stat people.silt", "silt stat --json people.silt"],
        run: Stat.run)
}

private enum Stat {
    /// A table as `--json` reports it.
    private struct TableReport: Encodable {
        var name: String
        var estimatedRows: Int
        var rowBytes: Int
        var indexes: [IndexReport]
    }

    private struct IndexReport: Encodable {
        var columns: [String]
        var isUnique: Bool
        var estimatedEntries: Int
        var bytes: Int
    }

    static func run(_ invocation: Invocation) throws -> ExitCode {
        // Tables that cannot be read must not hide the statistics.
        let (statistics, tables) = try invocation.reading { store in
            (store.statistics, Result { try TableSpace.all(in: store, sampleRows: 0) })
        }
        let known: [TableSpace]?
        do { known = try tables.get() } catch { known = nil }
        if invocation.has(.json) {
            try JSONReport.print(ExtendedReport(statistics, "tables", known?.map(report)))
        } else {
            let bar = Bar(width: 20, isUnicode: System.isUnicode)
            let text = StatisticsText(statistics, path: invocation.path, bar: bar).text
            try Terminal.print(text + tableText(known ?? []))
        }
        _ = try tables.get()
        return .success
    }

    private static func report(_ table: TableSpace) -> TableReport {
        let rows = table.parts.first { $0.index == nil }
        return TableReport(
            name: table.name, estimatedRows: rows?.entries ?? 0, rowBytes: rows?.bytes ?? 0,
            indexes: table.parts.compactMap { part in
                part.index.map {
                    IndexReport(
                        columns: $0, isUnique: part.isUnique, estimatedEntries: part.entries, bytes: part.bytes)
                }
            })
    }

    /// The tables with their indexes below them; empty without tables.
    private static func tableText(_ tables: [TableSpace]) -> String {
        if tables.isEmpty { return "" }
        let cells: [[ColumnValue]] = tables.flatMap { table in
            table.parts.map { part in
                let name = part.index.map { "  (\($0.joined(separator: ", ")))\(part.isUnique ? " unique" : "")" }
                return [
                    .text(name ?? table.name), .text(HumanUnits.count(part.entries)),
                    .text(HumanUnits.bytes(part.bytes)),
                ]
            }
        }
        let text = TableText(columns: ["table", "entries, about", "size, about"], sample: cells, rightColumns: [1, 2])
        return "\n" + text.header + cells.map(text.row).joined()
    }
}
