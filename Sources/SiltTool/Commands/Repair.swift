import Siltstone
import SiltstoneTables

extension Command {
    static let repair = Command(
        name: "repair", operands: "STORE", summary: "salvage a damaged store",
        discussion: """
            Salvages every record that still passes its checksum, and says what is lost. Damaged
            files are set aside, not deleted. For a store that 'silt verify' finds damage in, or
            that cannot be opened, and that there is no backup of; a copy of the directory, made
            before, is a good idea. A store in order is left as it is. --quiet prints the losses
            alone. Then compares rows, indexes and references of the tables, as 'silt verify'
            does. The exit status is 1 where they do not agree.
            """,
        options: [.json, .quiet],
        examples: ["silt repair people.silt"],
        run: Repair.run)
}

private enum Repair {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let isVerbose = !invocation.has(.quiet) && System.isTerminal(System.standardError)
        let report = try KeyValueStore.repair(at: invocation.path) { step in
            if isVerbose { Terminal.printError("repair: \(step)\n") }
        }
        // What is lost may have been an entry of an index, or a row that has one.
        let tables = Result<[String], any Error> {
            if report.wasClean { return [] }
            return try invocation.reading {
                try SiltstoneDatabaseConfiguration(store: $0).engine.verify(progress: nil)
            }
        }
        let known: [String]?
        do { known = try tables.get() } catch { known = nil }
        if invocation.has(.json) {
            try JSONReport.print(ExtendedReport(report, "tableProblems", known))
        } else {
            let problems = (known ?? []).map { Escaping.printable($0) + "\n" }.joined()
            try Terminal.print(text(report, isQuiet: invocation.has(.quiet)) + problems)
        }
        let tableProblems = try tables.get()
        if tableProblems.isEmpty { return .success }
        throw ToolError.inTables(tableProblems.count, of: invocation.path)
    }

    /// Losses are always told.
    private static func text(_ report: RepairReport, isQuiet: Bool) -> String {
        if report.wasClean { return isQuiet ? "" : "the store is in order: nothing to repair\n" }
        var lines = report.losses.map { "lost: \($0)" }
        if !isQuiet {
            lines += report.damagedFiles.map { "put aside: \($0)" }
            lines.append(
                "kept \(HumanUnits.count(report.recordsKept, "record")), "
                    + "\(HumanUnits.count(report.recordsSalvaged)) of them taken out of damaged files")
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
