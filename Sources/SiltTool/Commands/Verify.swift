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
        // Tables that cannot be read must not hide the report of the files.
        let (report, tables) = try invocation.reading { store in
            let report = try store.verify { progress.update(bytes: $0.bytesChecked, totalBytes: $0.bytesTotal) }
            // In a damaged store, errors of tables are not meaningful.
            if !report.problems.isEmpty { return (report, Result<[String], any Error>.success([])) }
            return (report, Result { try SiltstoneDatabaseConfiguration(store: store).engine.verify(progress: nil) })
        }
        progress.finish()
        let known: [String]?
        do { known = try tables.get() } catch { known = nil }
        if invocation.has(.json) {
            try JSONReport.print(ExtendedReport(report, "tableProblems", known))
        } else {
            try Terminal.print(text(report, known, isQuiet: invocation.has(.quiet)))
        }
        let tableProblems = try tables.get()
        if report.problems.isEmpty, tableProblems.isEmpty { return .success }
        guard tableProblems.isEmpty else {
            throw ToolError.inTables(tableProblems.count, of: invocation.path)
        }
        throw ToolError(
            .negative,
            "\(HumanUnits.count(report.problems.count, "problem")) in \(invocation.path); "
                + "restore a backup, or salvage what is readable with 'silt repair'")
    }

    /// - Parameter tableProblems: nil if the tables cannot be read.
    private static func text(_ report: VerificationReport, _ tableProblems: [String]?, isQuiet: Bool) -> String {
        var lines = report.problems.map { problem in
            problem.file + (problem.offset.map { ", offset \($0)" } ?? "") + ": " + problem.message
        }
        lines += (tableProblems ?? []).map(Escaping.printable)
        if !isQuiet {
            let clean = tableProblems == nil ? "no problems in files" : "no problems"
            let problems = lines.isEmpty ? clean : HumanUnits.count(lines.count, "problem")
            lines.append(
                "checked \(HumanUnits.count(report.filesChecked, "file")), \(HumanUnits.bytes(report.bytesChecked)), "
                    + "\(HumanUnits.count(report.recordsChecked, "record")): \(problems)")
        }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension ToolError {
    /// Rows, indexes and references of tables that do not agree.
    static func inTables(_ count: Int, of path: String) -> ToolError {
        ToolError(
            .negative,
            "\(HumanUnits.count(count, "problem")) in the tables of \(path); drop and make again indexes that are named, "
                + "change or delete rows that refer to missing ones")
    }
}
