#if PostgreSQL
import CPostgreSQL
import TableKit
import TableSQL

/// A prepared statement that no longer fits the tables or is unknown to the server. It has changed nothing.
struct StalePlan: Error {
    let error: SQLConnectionError
}

/// One pipeline to the server and back.
struct RoundTrip {
    /// The messages of the pipeline, in order. Each has one result.
    private enum Step {
        case closeCursor(String)
        case deallocate(PreparedStatements.Entry)
        case prepare(PreparedStatements.Entry)
        case statement(Int)
    }

    private let connection: PostgresConnection
    let statements: [SQLStatement]
    private var ranges: [Range<Int>] = []
    private var entries: [PreparedStatements.Entry?] = []
    private var steps: [Step] = []
    /// Entries that earlier round trips retired. This one may still use the entries that it retires itself.
    private let retired: [PreparedStatements.Entry]
    private var isStale = false
    /// The first result that cannot be read, although its statement has succeeded.
    private var misread: SQLConnectionError?
    /// Whether the trip commits a change, if all its statements succeed.
    private var commitsChange = false

    init(_ connection: PostgresConnection, _ statements: [SQLStatement]) {
        self.connection = connection
        self.statements = statements
        retired = connection.prepared.retired
    }

    /// A round trip of one prepared statement that was sent already, for an answer without a row.
    init(_ connection: PostgresConnection, sent statement: SQLStatement, _ entry: PreparedStatements.Entry) {
        self.init(connection, [statement])
        ranges = [0..<0]
        entries = [entry]
        steps = [.statement(0)]
    }

    private var raw: OpaquePointer? { connection.link.raw }

    /// Whether a cancellation may end the trip: not if it commits, or only sets or uses savepoints.
    var isCancellable: Bool {
        let verbs = statements.lazy.map { StatementVerb($0.text) }
        return !verbs.contains(.commit) && verbs.contains { $0.isCancellable }
    }

    // MARK: Sending

    /// Encodes the parameters of all statements. If one does not fit, nothing is sent.
    mutating func encode() throws {
        connection.parameters.removeAll()
        for statement in statements {
            ranges.append(try connection.parameters.append(statement.parameters))
            entries.append(
                statement.isRepeated && !StatementVerb(statement.text).isControl
                    ? connection.prepared.entry(
                        statement.text, types: statement.parameters.map(\.postgresType)) : nil)
            if entries.last??.isReady != true, statement.text.utf8.contains(0) {
                throw SQLConnectionError(.statement, code: .syntax, "A statement cannot hold a null character.")
            }
        }
    }

    mutating func send() throws {
        commitsChange = StatementVerb.mayCommit(statements, inTransaction: connection.link.isInTransaction)
        // A DEALLOCATE before BEGIN in the same pipeline would start a transaction, whose isolation level could no
        // longer be set.
        let tidying = StatementVerb(statements[0].text) == .begin ? 1 : 0
        var isPreparing: Set<ObjectIdentifier> = []
        for number in statements.indices {
            if number == tidying { try tidy() }
            if let entry = entries[number] {
                if !entry.isReady, isPreparing.insert(ObjectIdentifier(entry)).inserted { try prepare(entry) }
                try send(prepared: entry, number)
            } else {
                try send(plain: number)
            }
            steps.append(.statement(number))
        }
        try check(PQpipelineSync(raw))
    }

    /// Closes finished cursors and deallocates retired statements. A failed transaction accepts only its end.
    private mutating func tidy() throws {
        guard !connection.link.isInFailedTransaction else { return }
        switch (StatementVerb(statements[0].text), StatementVerb(statements[statements.count - 1].text)) {
        case (.rollbackToSavepoint, _), (_, .commit), (_, .rollback): break
        default:
            for cursor in connection.openCursors {
                try send(text: "CLOSE \(cursor)")
                steps.append(.closeCursor(cursor))
            }
        }
        for entry in retired {
            try send(text: "DEALLOCATE \(entry.name)")
            steps.append(.deallocate(entry))
        }
    }

    private mutating func prepare(_ entry: PreparedStatements.Entry) throws {
        let types = entry.types.map(\.rawValue)
        try check(PQsendPrepare(raw, entry.name, entry.text.text, Int32(types.count), types))
        steps.append(.prepare(entry))
    }

    private func send(prepared entry: PreparedStatements.Entry, _ number: Int) throws {
        let range = ranges[number]
        let raw = raw
        let result = connection.parameters.withParameters(range) { values, lengths, formats in
            entry.cName.withUnsafeBufferPointer {
                PQsendQueryPrepared(raw, $0.baseAddress, Int32(range.count), values, lengths, formats, 1)
            }
        }
        try check(result)
    }

    private func send(plain number: Int) throws {
        let range = ranges[number]
        let statement = statements[number]
        let types = statement.parameters.map { $0.postgresType.rawValue }
        let raw = raw
        let result = connection.parameters.withParameters(range) { values, lengths, formats in
            PQsendQueryParams(raw, statement.text, Int32(range.count), types, values, lengths, formats, 1)
        }
        try check(result)
    }

    private func send(text: String) throws { try check(PQsendQueryParams(raw, text, 0, nil, nil, nil, nil, 1)) }

    /// Throws on failure. A half-sent pipeline cannot be revoked, so a failure ends the connection.
    private func check(_ result: Int32) throws {
        guard result == 1 else {
            throw SQLConnectionError(.connectionLost, code: .unavailable, connection.link.message)
        }
    }

    // MARK: Receiving

    /// Reads all results, even after a failure, so that the connection is ready for the next round trip.
    /// - Throws: ``SQLConnectionError``, ``StalePlan``, ``AnswerMissing``.
    mutating func receive(_ deadline: inout AnswerDeadline) throws -> [SQLResultSet] {
        var results: [SQLResultSet] = []
        results.reserveCapacity(statements.count)
        var failure: SQLConnectionError?
        for step in steps {
            do { try receive(step, &results, &deadline) } catch let error as SQLConnectionError {
                if error.kind == .connectionLost { throw error }
                if failure == nil { failure = error }
                if case .prepare(let entry) = step { connection.prepared.retire(entry) }
            }
        }
        if let error = try receiveSync(&deadline), failure == nil { failure = error }
        // A COMMIT that fails ends its transaction too, and has no tag.
        connection.noteEndOfTransaction()
        if connection.link.takeDoubtAboutReplication() {
            throw SQLConnectionError(
                .unknownOutcome, code: .engine, "The server has committed, but its standbys may not have it yet")
        }
        if let failure {
            if isStale { throw StalePlan(error: failure) }
            throw failure
        }
        // The server has done all of it, the COMMIT included.
        if let misread { throw commitsChange ? misread.afterCommit : misread }
        return results
    }

    private mutating func receive(
        _ step: Step, _ results: inout [SQLResultSet], _ deadline: inout AnswerDeadline
    ) throws {
        guard let result = try connection.link.nextResult(&deadline) else { throw lost }
        var problem = self.problem(of: result, step)
        var set = SQLResultSet()
        if problem == nil {
            do { set = try accept(result, step) } catch let error as SQLConnectionError { problem = error }
        } else {
            noteStalePlan(result, step)
        }
        // Each statement's results end with nil.
        while problem?.kind != .connectionLost, let more = try connection.link.nextResult(&deadline) {
            _ = consume more
        }
        if let problem { throw problem }
        if case .statement = step { results.append(set) }
    }

    /// - Parameter step: the step of the result; nil for the end of the trip.
    private func problem(of result: borrowing PostgresResult, _ step: Step?) -> SQLConnectionError? {
        switch result.outcome {
        case .done: return nil
        case .skipped:
            return SQLConnectionError(.statement, code: .transaction, "An earlier statement has failed.")
        case .synced: return lost
        case .failed:
            var error = PostgresError.error(result)
            // Errors of libpq itself have no SQLSTATE.
            if error.serverCode == nil || !connection.link.isUsable {
                error.kind = .connectionLost
                error.code = .unavailable
            }
            // The leader has become a standby: the caller must reconnect.
            if mayShowStandby(error, step) {
                error.kind = .connectionLost
                error.code = .unavailable
            }
            return error
        }
    }

    /// Whether an error shows that the server is a standby, or may be one.
    private func mayShowStandby(_ error: SQLConnectionError, _ step: Step?) -> Bool {
        switch error.serverCode {
        case "25006":
            return PostgresError.mayBeStandby(
                connection.link.parameter("in_hot_standby"), inReadOnlyTransaction: connection.onlyReads)
        // Standbys begin no serializable transactions.
        case "0A000":
            if case .statement(let number) = step { return StatementVerb(statements[number].text) == .begin }
            return false
        default: return false
        }
    }

    private var lost: SQLConnectionError {
        SQLConnectionError(.connectionLost, code: .unavailable, connection.link.message)
    }

    /// Records a step that succeeded. A result that cannot be read does not end the trip: a COMMIT may follow.
    private mutating func accept(_ result: borrowing PostgresResult, _ step: Step) throws -> SQLResultSet {
        switch step {
        case .closeCursor(let cursor): connection.closed(cursor)
        case .deallocate(let entry): connection.prepared.forget(entry)
        case .prepare(let entry): connection.prepared.acknowledge(entry)
        case .statement(let number):
            try noteTransaction(result, number)
            do { return try result.set(as: statements[number].results) } catch let error as SQLConnectionError {
                misread = misread ?? error
            }
        }
        return SQLResultSet()
    }

    private func noteTransaction(_ result: borrowing PostgresResult, _ number: Int) throws {
        if result.hasTag("BEGIN") { connection.onlyReads = statements[number].text.hasSuffix(" READ ONLY") }
        if result.hasTag("COMMIT") { connection.endTransaction() }
        guard result.hasTag("ROLLBACK") else { return }
        switch StatementVerb(statements[number].text) {
        case .rollbackToSavepoint: connection.returnToSavepoint()
        case .commit:
            connection.endTransaction()
            // The server answers ROLLBACK if the transaction had failed before.
            throw SQLConnectionError(
                .statement, code: .transaction,
                "A statement of the transaction had failed; it was rolled back instead of committed.")
        default: connection.endTransaction()
        }
    }

    /// Retires a prepared statement whose tables have changed, or all if the server has none of them. 0A000 has many
    /// causes; this one names a function of the plan cache.
    private mutating func noteStalePlan(_ result: borrowing PostgresResult, _ step: Step) {
        switch result.diagnostic(.state) {
        case "26000":
            connection.prepared.forgetAll()
            isStale = true
        case "0A000" where result.diagnostic(.sourceFunction) == "RevalidateCachedQuery":
            if case .statement(let number) = step, let entry = entries[number] { connection.prepared.retire(entry) }
            isStale = true
        default: break
        }
    }

    /// Reads the end of the trip. Outside of BEGIN the server commits only now, and that may fail.
    /// - Returns: the error of the commit.
    private func receiveSync(_ deadline: inout AnswerDeadline) throws -> SQLConnectionError? {
        guard let result = try connection.link.nextResult(&deadline) else { throw lost }
        if case .synced = result.outcome { return nil }
        let problem = self.problem(of: result, nil) ?? lost
        if problem.kind == .connectionLost { throw problem }
        // The error ends with nil, as a statement's results do; the sync follows.
        if let more = try connection.link.nextResult(&deadline) {
            _ = consume more
            throw lost
        }
        guard let end = try connection.link.nextResult(&deadline), case .synced = end.outcome else { throw lost }
        return problem
    }
}
#endif
