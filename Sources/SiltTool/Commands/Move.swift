import Foundation
import TableKit

extension Option {
    fileprivate static let table = Option("table", letter: "t", argument: "NAME", "move this table; may come again")
    fileprivate static let repository = Option(
        "repository", argument: "NAME", "move this repository; may come again")
    fileprivate static let rounded = Option(
        "rounded", "move decimal numbers with more than 15 digits, and round them")
    fileprivate static let restart = Option("restart", "remove what an unfinished move has left, and begin anew")
}

extension Command {
    static let move = Command(
        name: "move", operands: "FROM TO", summary: "copy tables and repositories to another database",
        discussion: """
            Copies tables with their keys, defaults, references and indexes, and the records of
            repositories, from one database to another. Each of FROM and TO is the path of a store
            or one of these, if silt was built with the trait of that name:

              postgres://user@host/database   PostgreSQL; trait PostgreSQL
              mysql://user@host/database      MariaDB; trait MySQL
              sqlite:people.sqlite            a file of SQLite; trait SQLite

            Passwords belong into the environment (PGPASSWORD, for MariaDB MYSQL_PWD) or
            PostgreSQL's password file: a command line can be seen by others. Other keys of a
            store, which belong to no table and no repository, are not copied.

            FROM is only read, in one state for all of its tables. Tables and repositories of TO
            must be missing or empty. Rows are stored in transactions of 5,000, and tables without
            a key in one. After an interruption the same command goes on behind the last
            transaction; until the end, TO has a table silt_move that says how far it is. At the end
            the numbers of rows and checksums of all contents are compared; the status is 1 where
            they differ.
            """,
        options: [.table, .repository, .rounded, .restart, .json, .quiet],
        examples: [
            "silt move people.silt postgres://app@localhost/people",
            "silt move mysql://app@db1/shop shop.silt",
            "silt move --table Person --table City people.silt sqlite:people.sqlite",
        ],
        run: Move.run)
}

private enum Move {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let (from, to) = (MovePlace(invocation.operand(0) ?? ""), MovePlace(invocation.operand(1) ?? ""))
        if from.isSame(as: to) { throw invocation.usage("FROM and TO are the same") }
        let started = System.seconds
        let source = try from.open(isTarget: false)
        var report = try closing(source) {
            let choice = MoveChoice(
                tables: invocation.values(.table), repositories: invocation.values(.repository))
            // Before the target: a source that cannot be read or moved leaves no new store behind.
            let plan = try source.engine.reading {
                try MovePlan(
                    $0, of: source, at: from.description, choice, acceptsRounding: invocation.has(.rounded))
            }
            let bytes = plan.catalogue.reduce(0) { $0 + $1.estimatedBytes }
            // A directory without this file becomes a new store.
            if case .store(let path) = to, !FileManager.default.fileExists(atPath: path + "/CURRENT") {
                try plan.foreign.refuseMixedReferences(besides: [])
            }
            let target = try to.open(isTarget: true)
            return try closing(target) {
                var run = MoveRun(
                    origin: from.description, destination: to.description, source: source, target: target,
                    choice: choice)
                run.isRestarting = invocation.has(.restart)
                run.acceptsRounding = invocation.has(.rounded)
                run.earlierPlan = plan
                showProgress(of: &run, bytes, invocation)
                return try run.run()
            }
        }
        report.seconds = System.seconds - started
        if invocation.has(.json) {
            try JSONReport.print(report)
        } else if !invocation.has(.quiet) {
            try Terminal.print(text(report))
        }
        return .success
    }

    /// Makes a run show its progress.
    /// - Parameter bytes: the estimated size of the source's tables; 0 if it is not known.
    private static func showProgress(of run: inout MoveRun, _ bytes: Int, _ invocation: Invocation) {
        let progress = Progress(
            "move", totalBytes: bytes == 0 || !run.choice.isAll ? nil : bytes, isQuiet: invocation.has(.quiet))
        var moved = (rows: 0, bytes: 0)
        run.committed = {
            moved.rows += $0
            moved.bytes += $1
            progress.update(bytes: moved.bytes, records: moved.rows)
        }
    }

    /// Runs `body` and closes the database, even if `body` throws.
    private static func closing<R>(_ endpoint: any MoveEndpoint, _ body: () throws -> R) throws -> R {
        let result: R
        do { result = try body() } catch {
            // The first error is thrown.
            do { try endpoint.close() } catch {}
            throw error
        }
        try endpoint.close()
        return result
    }

    private static func text(_ report: MoveRun.Report) -> String {
        var text = ""
        for part in report.tables {
            text += "\(Escaping.printable(part.name)): \(HumanUnits.count(part.rows, "row"))\n"
        }
        for part in report.repositories {
            text += "repository '\(Escaping.printable(part.name))': \(HumanUnits.count(part.rows, "record"))\n"
        }
        let parts = [
            report.tables.isEmpty ? nil : HumanUnits.count(report.tables.count, "table"),
            report.repositories.isEmpty
                ? nil
                : report.repositories.count == 1
                    ? "1 repository" : HumanUnits.count(report.repositories.count) + " repositories",
        ]
        let what = parts.compactMap { $0 }.joined(separator: " and ")
        let time = HumanUnits.duration(report.seconds)
        for note in report.notes { text += "note: \(note)\n" }
        return text + "moved \(what), the same at both ends, in \(time)\n"
    }
}
