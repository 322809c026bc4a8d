import CRUDKit
import Siltstone
import TableKit

/// A move of tables and repositories between databases: copies in batches, then compares both ends.
struct MoveRun {
    /// The report of `--json`.
    struct Report: Encodable {
        struct Part: Encodable {
            var name: String
            var rows: Int
            /// The checksum of the contents, equal at both ends.
            var checksum: String
            var indexes: Int?
        }

        var from: String
        var to: String
        var tables: [Part] = []
        var repositories: [Part] = []
        /// Sentences about what tables of other programs have, and their copies lack.
        var notes: [String] = []
        /// Whether this run continued an earlier one.
        var continued = false
        var seconds = 0.0

        var rows: Int { tables.reduce(0) { $0 + $1.rows } }
        var records: Int { repositories.reduce(0) { $0 + $1.rows } }
    }

    let origin: String
    let destination: String
    let source: any MoveEndpoint
    let target: any MoveEndpoint
    let choice: MoveChoice
    /// Whether to remove the remains of an unfinished move first.
    var isRestarting = false
    /// Whether numbers with more digits than a double holds may be rounded.
    var acceptsRounding = false
    /// The plan that another session made before, which must be the same.
    var earlierPlan: MovePlan?
    var batchRows = TableMove.batchRows
    var batchRecords = RecordMove.batchRecords
    /// Called after each commit, with its rows and their bytes.
    var committed: (Int, Int) throws -> Void = { _, _ in }

    /// Moves, then compares both ends.
    func run() throws -> Report {
        // One snapshot of the source for all its tables.
        try source.engine.reading { session in
            let plan = try MovePlan(session, of: source, at: origin, choice, acceptsRounding: acceptsRounding)
            if let earlierPlan { try plan.refuseChanges(since: earlierPlan, at: origin) }
            try refuseMixedReferences(plan)
            var report = Report(from: origin, to: destination, notes: plan.foreign.notes)
            var ledger = try atTarget { try begin(plan, &report) }
            let moves = plan.tables.map { table in
                var move = TableMove(table: table, source: session, target: target.engine, batchRows: batchRows)
                move.committed = committed
                return move
            }
            try make(moves, &ledger)
            var digests: [ContentDigest?] = []
            try forEach(moves, &ledger) { digests.append(try $0.storeRows(&$1)) }
            try forEach(moves, &ledger) { try $0.setReferences(&$1) }
            try forEach(moves, &ledger) { move, entry in try TargetError.marking { try move.makeIndexes(&entry) } }
            for (move, digest) in zip(moves, digests) { report.tables.append(try check(move, digest)) }
            for number in ledger.entries.indices.dropFirst(moves.count) {
                report.repositories.append(try moveRecords(&ledger.entries[number], plan, session))
            }
            if !source.keepsCatalogue {
                // Both plans may have been made while a table was not shown.
                try MovePlan(session, of: source, at: origin, choice, acceptsRounding: true)
                    .refuseChanges(since: plan, at: origin)
            }
            try atTarget { try ledger.finish(target.engine, at: destination) }
            return report
        }
    }

    // MARK: Beginning

    /// Throws if the target is a store, and a new table of it would refer to a key of another type.
    private func refuseMixedReferences(_ plan: MovePlan) throws {
        guard target is StoreEndpoint else { return }
        let made = try target.engine.reading { try $0.tables().map(\.structure.name) }
        try plan.foreign.refuseMixedReferences(besides: Set(made))
    }

    /// The ledger of the unfinished move, or of a new one.
    private func begin(_ plan: MovePlan, _ report: inout Report) throws -> MoveLedger {
        if let ledger = try target.engine.reading({ try MoveLedger($0) }) {
            if isRestarting {
                try MoveRestart(ledger: ledger, target: target, batchRecords: batchRecords).run()
            } else {
                report.continued = true
                return try resumed(ledger, plan)
            }
        }
        try refuseContents(plan)
        let ledger = MoveLedger(
            origin: origin, tables: plan.tables.map(\.source.name), repositories: plan.repositories)
        try ledger.store(target.engine)
        // Again: before the ledger, another move may have stored all of its rows.
        do { try refuseContents(plan) } catch {
            try MoveLedger.remove(target.engine)
            throw error
        }
        return ledger
    }

    private func resumed(_ ledger: MoveLedger, _ plan: MovePlan) throws -> MoveLedger {
        let fresh = MoveLedger(origin: origin, tables: plan.tables.map(\.source.name), repositories: plan.repositories)
        if ledger.isBlank {
            throw ToolError(
                .locked,
                "another move into \(destination) begins, or was interrupted when it began; if none is under way, begin "
                    + "anew by --restart")
        }
        let isSame =
            ledger.origin == origin
            && ledger.entries.map(\.name) == fresh.entries.map(\.name)
            && ledger.entries.map(\.isRepository) == fresh.entries.map(\.isRepository)
        if isSame {
            try ledger.upgrade(target.engine)
            return ledger
        }
        throw ToolError(
            .usage,
            "\(destination) holds an unfinished move of other tables or from another place, \(ledger.origin); finish that one, or remove "
                + "what it has left by --restart")
    }

    /// Throws unless the target's tables and repositories are missing, or empty with the source's columns: contents are
    /// never mixed.
    private func refuseContents(_ plan: MovePlan) throws {
        try target.engine.reading { session in
            for table in plan.tables {
                guard let existing = try session.table(named: table.source.name)?.structure else { continue }
                var query = Query(existing)
                query.limit = RowLimit(count: 1)
                guard try session.run(query).next()?.rows.isEmpty ?? true else {
                    throw ToolError(
                        .usage,
                        "\(destination) has rows in the table \(table.source.name); a move fills tables that are empty "
                            + "or missing")
                }
                try table.refuseOtherColumns(existing)
            }
        }
        // SQLite makes the table of a missing repository when that is opened. Those that exist come first, so that a
        // refusal leaves no trace.
        let catalogue = try target.engine.reading { try $0.tables() }
        var (known, missing): ([String], [String]) = ([], [])
        for name in plan.repositories {
            if try target.hasRepository(name, catalogue) { known.append(name) } else { missing.append(name) }
        }
        for name in known + missing {
            let repository = try target.repository(name)
            if try AsyncWork.wait({ try await !repository.records(after: nil, limit: 1).isEmpty }) {
                throw ToolError(
                    .usage,
                    "\(destination) has records in the repository '\(name)'; a move fills repositories that are empty "
                        + "or missing")
            }
        }
    }

    /// Creates the tables that have no rows yet.
    private func make(_ moves: [TableMove], _ ledger: inout MoveLedger) throws {
        let waiting = moves.indices.filter { ledger.entries[$0].phase == .waiting }
        for number in waiting {
            let move = moves[number]
            try naming("table", move.table.source.name) {
                try TargetError.marking { try move.make(&ledger.entries[number]) }
            }
        }
        for number in waiting {
            let move = moves[number]
            try naming("table", move.table.source.name) { try TargetError.marking { try move.addLaterColumns() } }
        }
    }

    // MARK: Copying and checking

    /// Runs a step for each table, with its entry.
    private func forEach(
        _ moves: [TableMove], _ ledger: inout MoveLedger,
        _ step: (TableMove, inout MoveLedger.Entry) throws -> Void
    ) throws {
        for (number, move) in moves.enumerated() {
            try naming("table", move.table.source.name) { try step(move, &ledger.entries[number]) }
        }
    }

    private func check(_ move: TableMove, _ digest: ContentDigest?) throws -> Report.Part {
        let structure = move.table.source
        return try naming("table", structure.name) {
            let read = try digest ?? ContentDigest(structure, move.source)
            let stored = try TargetError.marking {
                try target.engine.reading { try ContentDigest(structure, $0) }
            }
            try compare(read, stored, "table \(structure.name)", "rows")
            return Report.Part(
                name: structure.name, rows: stored.count, checksum: stored.text, indexes: move.table.indexes.count)
        }
    }

    private func moveRecords(
        _ entry: inout MoveLedger.Entry, _ plan: MovePlan, _ session: any TableSession
    ) throws -> Report.Part {
        let name = entry.name
        let records: RecordSource
        if let table = source.repositoryTable(name, plan.catalogue) {
            records = .table(table.structure, session)
        } else {
            records = .repository(try source.repository(name))
        }
        let repository = try target.repository(name)
        var move = RecordMove(source: records, target: repository, engine: target.engine, batchRecords: batchRecords)
        move.committed = committed
        return try naming("repository", name) {
            let read = try move.run(&entry) ?? records.digest()
            let stored = try TargetError.marking { try RecordSource.repository(repository).digest() }
            try compare(read, stored, "repository '\(name)'", "records")
            return Report.Part(name: name, rows: stored.count, checksum: stored.text)
        }
    }

    private func compare(_ read: ContentDigest, _ stored: ContentDigest, _ what: String, _ noun: String) throws {
        if read == stored { return }
        let difference =
            read.count == stored.count
            ? "their contents differ" : "\(origin) has \(read.count) \(noun), \(destination) has \(stored.count)"
        throw ToolError(
            .negative,
            "the \(what) is not the same at both ends: \(difference). Something else has changed one of them meanwhile, or "
                + "a table that was there before the move keeps values in another form; --restart moves all again")
    }

    /// Adds to an error the table or repository and the end that it concerns, and advice.
    private func naming<R>(_ kind: String, _ name: String, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as ToolError { throw error } catch {
            let (failure, end) = placed(error)
            let message = failure.message.hasSuffix(".") ? String(failure.message.dropLast()) : failure.message
            throw ToolError(
                failure.exitCode,
                "moving the \(kind) \(name): \(end)\(message). What is stored stays; the same command goes on there, "
                    + "and --restart begins anew")
        }
    }

    /// Adds the target to an error of `body`, which uses the target only.
    private func atTarget<R>(_ body: () throws -> R) throws -> R {
        do { return try TargetError.marking(body) } catch let error as TargetError {
            let (failure, end) = placed(error)
            throw ToolError(failure.exitCode, end + failure.message)
        }
    }

    /// An error, and the end that it concerns, as the start of a message.
    private func placed(_ error: any Error) -> (failure: Failure, end: String) {
        switch error {
        case let error as TargetError: (Failure(error.cause), "TO (\(destination)): ")
        case is any TableError, is StoreError, is CRUDRepositoryError: (Failure(error), "FROM (\(origin)): ")
        default: (Failure(error), "")
        }
    }
}
