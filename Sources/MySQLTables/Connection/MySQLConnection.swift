#if MySQL
import CMariaDB
import Foundation
package import TableKit
package import TableSQL

/// A connection to MariaDB that uses libmariadb's non-blocking calls.
///
/// Statements with parameters or results are prepared and use the binary protocol; others are sent as text.
package final class MySQLConnection: SQLConnection, @unchecked Sendable {
    // `@unchecked Sendable`: used by one thread at a time, as the protocol demands; `waits` has locks.
    let link: MySQLLink
    let options: MySQLOptions
    private let waits: AnswerWaits
    private var prepared: PreparedStatements
    private let parameters = ParameterBuffer()
    /// Whether BEGIN was sent without an end since.
    private var isInTransaction = false
    /// The error of a transaction that the server has rolled back, as a whole or in part. Later statements would run
    /// outside of it, and are refused.
    private var doom: SQLConnectionError?
    /// The most bytes of a statement (`max_allowed_packet`).
    private let maximumPacket: Int
    /// ER_MAX_PREPARED_STMT_COUNT_REACHED
    private static let tooManyPrepared = "1461"

    /// Takes over a connection after its login.
    /// - Parameters:
    ///   - kill: cancels the statement of a connection, by connection number. Blocks.
    ///   - answers: whether the server answers a login. Blocks.
    init(
        _ link: MySQLLink, options: MySQLOptions, place: String, maximumPacket: Int,
        kill: @escaping @Sendable (UInt) -> Void, answers: @escaping @Sendable () -> Bool
    ) {
        self.link = link
        self.options = options
        self.maximumPacket = maximumPacket
        prepared = PreparedStatements(capacity: options.preparedStatements)
        let number = link.raw.map { mysql_thread_id($0) } ?? 0
        waits = AnswerWaits(
            at: place, timeout: options.answerTimeout, cancel: { kill(number) }, answers: answers)
    }

    package var isUsable: Bool { link.isUsable }
    var preparedCount: Int { prepared.count }

    package func execute(_ statement: SQLStatement) throws -> SQLResultSet {
        if let doom {
            switch StatementVerb(statement.text) {
            // The server has rolled these back already, or the transaction's ROLLBACK will.
            case .rollbackToSavepoint, .savepoint: return SQLResultSet()
            case .commit:
                _ = try execute(SQLStatement("ROLLBACK"), limit: options.answerLimit)
                throw doom
            default: break
            }
        }
        return try execute(statement, limit: options.answerLimit)
    }

    /// - Parameter limit: the longest silence of the server.
    func execute(_ statement: SQLStatement, limit: Duration) throws -> SQLResultSet {
        try run(statement, limit) { verb, deadline in
            if statement.parameters.isEmpty && statement.results.isEmpty {
                let result = try query(statement.text, &deadline)
                note(verb)
                return result
            }
            let prepared = try prepare(statement, &deadline)
            do {
                let result = try prepared.execute(statement, parameters, link, &deadline)
                giveBack(prepared, statement)
                return result
            } catch let unreadable as UnreadableResult {
                giveBack(prepared, statement)
                let hasCommitted = StatementVerb.mayCommit([statement], inTransaction: isInTransaction)
                throw hasCommitted ? unreadable.error.afterCommit : unreadable.error
            } catch let error as SQLConnectionError {
                giveBack(prepared, statement)
                throw error
            }
        }
    }

    package func fetchRow(_ lookup: RowLookup, key: [ColumnValue], into row: RowAssembler) throws -> Bool {
        guard doom == nil, let prepared = prepared.find(lookup) else {
            return try fetchRowOfStatement(lookup, key, into: row)
        }
        try check(lookup.text.utf8.count, key.lazy.map(\.byteCount))
        return try run({ lookup.statement(key) }, .read, options.answerLimit) { deadline in
            do { return try prepared.fetchRow(lookup, key, into: row, parameters, link, &deadline) } catch {
                // Its result may be unread.
                self.prepared.take(lookup.text)?.close()
                throw error
            }
        }
    }

    package func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows {
        try run(statement, options.answerLimit) { _, deadline in
            let prepared = try prepare(statement, &deadline)
            do {
                try prepared.bind(try parameters.encode(statement.parameters), statement.placeholders)
                try prepared.send(link, &deadline, cursorRows: max(batchRows, 1))
                try prepared.reader.begin(prepared.raw, as: statement.results)
            } catch let error as SQLConnectionError {
                giveBack(prepared, statement)
                throw error
            }
            return MySQLCursor(self, prepared, statement, batchRows: max(batchRows, 1))
        }
    }

    package func cancel() { waits.cancel() }

    package func forgetCancellation() { waits.forgetCancellation() }

    package func close() {
        link.close()
        // The connection is closed: this only frees memory.
        prepared.removeAll()
    }

    // MARK: Statements

    /// Runs the calls of a statement, with a time-out and cancellation, and interprets their errors.
    func run<R>(
        _ statement: SQLStatement, _ limit: Duration, _ body: (StatementVerb, inout AnswerDeadline) throws -> R
    ) throws -> R {
        let verb = StatementVerb(statement.text)
        if link.isUsable, doom == nil || verb == .rollback {
            if statement.text.utf8.contains(0) {
                throw SQLConnectionError(.statement, code: .syntax, "A statement cannot hold a null character.")
            }
            try check(statement.text.utf8.count, statement.parameters.lazy.map(\.byteCount))
        }
        return try run({ statement }, verb, limit) { try body(verb, &$0) }
    }

    /// - Parameter statement: what runs, for errors.
    private func run<R>(
        _ statement: () -> SQLStatement, _ verb: StatementVerb, _ limit: Duration,
        _ body: (inout AnswerDeadline) throws -> R
    ) throws -> R {
        guard link.isUsable else { throw waits.ended(link.message) }
        if let doom, verb != .rollback { throw doom }
        let isCancellable = verb.isCancellable
        var deadline = try waits.begin(limit, isCancellable: isCancellable)
        defer { if isCancellable, !waits.end(isUsable: link.isUsable) { link.giveUp() } }
        do { return try body(&deadline) } catch let lost as LostBeforeRun {
            link.giveUp()
            throw lost.error ?? waits.missed(isCancellable: isCancellable)
        } catch is AnswerMissing {
            link.giveUp()
            throw loss(statement(), verb, waits.missed(isCancellable: isCancellable))
        } catch let error as SQLConnectionError {
            throw judged(error, statement(), verb)
        }
    }

    /// Applies an error to the connection and its transaction.
    private func judged(
        _ error: SQLConnectionError, _ statement: SQLStatement, _ verb: StatementVerb
    ) -> SQLConnectionError {
        var error = error
        switch error.kind {
        case .connectionLost:
            link.giveUp()
            return loss(statement, verb, error)
        case .conflict where verb == .commit: note(verb)
        case .conflict where isInTransaction: doom = error
        case .statement where verb.isCancellable && error.serverCode == "1317" && waits.isCancelled:
            error.kind = .cancelled
        default: break
        }
        // Only a conflict with another node means that a commit failed. After any other error its outcome is unknown.
        if verb == .commit && error.serverCode != "1213" {
            link.giveUp()
            error.kind = .unknownOutcome
        }
        // 1180: the commit of a statement outside of a transaction failed.
        return error.serverCode == "1180" ? loss(statement, verb, error) : error
    }

    /// The error of a connection lost during a statement. Its kind is `unknownOutcome` if the statement may have
    /// committed. A server that refuses writes or has left its cluster has not run it.
    private func loss(
        _ statement: SQLStatement, _ verb: StatementVerb, _ error: SQLConnectionError
    ) -> SQLConnectionError {
        let isRefused = ["1047", "1290", "1836"].contains(error.serverCode) && verb != .commit
        guard !isRefused, StatementVerb.mayCommit([statement], inTransaction: isInTransaction) else { return error }
        var error = error
        error.kind = .unknownOutcome
        return error
    }

    /// Checks that a statement fits into a packet.
    private func check(_ text: Int, _ values: some Sequence<Int>) throws {
        let size = values.reduce(text, +)
        if size > maximumPacket - 1024 {
            throw SQLConnectionError(
                .statement, code: .argument,
                "The statement has \(size) bytes; the server takes \(maximumPacket) (max_allowed_packet)")
        }
    }

    private func note(_ verb: StatementVerb) {
        switch verb {
        case .begin: isInTransaction = true
        case .commit, .rollback:
            isInTransaction = false
            doom = nil
        default: break
        }
    }

    /// Runs a statement as text and drops its rows.
    private func query(_ text: String, _ deadline: inout AnswerDeadline) throws -> SQLResultSet {
        guard let raw = link.raw else { return SQLResultSet() }
        var text = text
        var result: Int32 = 0
        try text.withUTF8 { bytes in
            try bytes.withMemoryRebound(to: CChar.self) { bytes in
                try link.call(
                    &deadline, { mysql_real_query_start(&result, raw, bytes.baseAddress, UInt(bytes.count)) },
                    { mysql_real_query_cont(&result, raw, $0) })
            }
        }
        if result != 0 { throw MySQLError.error(link) }
        guard mysql_field_count(raw) > 0 else {
            return SQLResultSet(changedRows: Int(clamping: mysql_affected_rows(raw)))
        }
        var rows: UnsafeMutablePointer<MYSQL_RES>?
        try link.call(
            &deadline, { mysql_store_result_start(&rows, raw) }, { mysql_store_result_cont(&rows, raw, $0) })
        guard let rows else { throw MySQLError.error(link) }
        mysql_free_result(rows)
        return SQLResultSet()
    }

    /// Prepares a statement, for the caller alone. Nothing has run yet.
    /// - Throws: ``SQLConnectionError``, or ``LostBeforeRun`` if the connection is lost.
    private func prepare(_ statement: SQLStatement, _ deadline: inout AnswerDeadline) throws -> PreparedStatement {
        if let found = prepared.take(statement.text) { return found }
        do { return try makeStatement(statement, &deadline) } catch is AnswerMissing {
            throw LostBeforeRun(error: nil)
        } catch let error as SQLConnectionError where error.kind == .connectionLost {
            throw LostBeforeRun(error: error)
        }
    }

    private func makeStatement(
        _ statement: SQLStatement, _ deadline: inout AnswerDeadline
    ) throws -> PreparedStatement {
        do { return try PreparedStatement(statement.text, link, &deadline) } catch let error as SQLConnectionError
            where error.serverCode == Self.tooManyPrepared && prepared.count > 0
        {
            // All programs share the server's limit; this connection gives its part back.
            prepared.removeAll()
            return try PreparedStatement(statement.text, link, &deadline)
        }
    }

    /// Keeps a prepared statement for the next use of its text.
    func giveBack(_ statement: PreparedStatement, _ source: SQLStatement) {
        guard source.isRepeated, link.isUsable else { return statement.close() }
        prepared.giveBack(statement, source.text)
    }
}

/// The loss of a connection before its statement ran: a transaction that it would have committed has changed nothing.
private struct LostBeforeRun: Error {
    /// Nil if the server did not answer.
    var error: SQLConnectionError?
}

extension SQLStatement {
    /// The number of its placeholders.
    var placeholders: Int { parameters.reduce(0) { $0 + $1.count } }
}

extension SQLStatement.Parameter {
    /// The approximate size in a packet.
    fileprivate var byteCount: Int {
        switch self {
        case .value(let value, _): value.byteCount
        case .rows(let rows, let range): rows.bytes(of: range).count + 16 * count
        case .array, .column: 0
        }
    }
}

extension ColumnValue {
    /// The approximate size in a packet.
    fileprivate var byteCount: Int {
        switch self {
        case .text(let text), .json(let text): text.utf8.count + 16
        case .bytes(let bytes): bytes.count + 16
        default: 24
        }
    }
}
#endif
