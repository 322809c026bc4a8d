import Siltstone
import SiltstoneTables

extension Command {
    static let verify = Command(
        name: "verify", operands: "STORE", summary: "check all files and report damage",
        discussion: """
            Reads every file of the store and checks every checksum, every order and every count;
            then rows, indexes and references of its tables against each other.
            Each problem is printed with its file and offset. The exit status is 0 where all is
            well, 1 where there are problems, and 4 where the store is too damaged to be opened.
            Nothing is changed: 'silt repair' does that.
            """,
        options: [.json, .quiet],
        examples: ["silt verify people.silt", "silt verify --json people.silt"],
        run: Verify.run)
}

private enum Verify {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let progress = Progress("verify", isQuiet: invocation.has(.quiet))
        let (report, tableProblems) = try invocation.reading { store in
            let report = try store.verify { progress.update(bytes: $0.bytesChecked, totalBytes: $0.bytesTotal) }
            // In a damaged store, errors of tables are not meaningful.
            if !report.problems.isEmpty { return (report, [String]()) }
            return (report, try SiltstoneDatabaseConfiguration(store: store).engine.verify(progress: nil))
        }
        progress.finish()
        if invocation.has(.json) {
            try JSONReport.print(ExtendedReport(report, "tableProblems", tableProblems))
        } else {
            let tables = tableProblems.map { $0 + "\n" }.joined()
            try Terminal.print(tables + text(report, isQuiet: invocation.has(.quiet)))
        }
        if report.problems.isEmpty, tableProblems.isEmpty { return .success }
        guard tableProblems.isEmpty else {
            throw ToolError(
                .negative,
                "\(HumanUnits.count(tableProblems.count, "problem")) between rows and indexes in \(invocation.path); "
                    + "drop and make the indexes named again")
        }
        throw ToolError(
            .negative,
            "\(HumanUnits.count(report.problems.count, "problem")) in \(invocation.path); "
                + "restore a backup, or salvage what is readable with 'silt repair'")
    }

    private static func text(_ report: VerificationReport, isQuiet: Bool) -> String {
        var lines = report.problems.map { problem in
            problem.file + (problem.offset.map { ", offset \($0)" } ?? "") + ": " + problem.message
        }
        if !isQuiet {
            let problems = report.problems.isEmpty ? "no problems" : HumanUnits.count(report.problems.count, "problem")
            lines.append(
                "checked \(HumanUnits.count(report.filesChecked, "file")), \(HumanUnits.bytes(report.bytesChecked)), "
                    + "\(HumanUnits.count(report.recordsChecked, "record")): \(problems)")
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
