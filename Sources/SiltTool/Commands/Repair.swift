import Siltstone

extension Command {
    static let repair = Command(
        name: "repair", operands: "STORE", summary: "salvage a damaged store",
        discussion: """
            Salvages every record that still passes its checksum, and says what is lost. Damaged
            files are set aside, not deleted. For a store that 'silt verify' finds damage in, or
            that cannot be opened, and that there is no backup of; a copy of the directory, made
            before, is a good idea. A store in order is left as it is. --quiet prints the losses
            alone.
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
        if invocation.has(.json) {
            try JSONReport.print(report)
        } else {
            try Terminal.print(text(report, isQuiet: invocation.has(.quiet)))
        }
        return .success
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
