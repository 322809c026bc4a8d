#if MySQL
import CMariaDB
import Foundation
import TableKit
package import TableSQL

/// A connection to MariaDB over libmariadb's non-blocking calls.
///
/// Statements with parameters or results are prepared and go by the binary protocol; the others go as text.
package final class MySQLConnection: SQLConnection, @unchecked Sendable {
    // `@unchecked Sendable`: used by one thread at a time, as the protocol demands; `cancellation` has a lock.
    let link: MySQLLink
    let options: MySQLOptions
    private let cancellation: StatementCancellation
    private let probe: SilenceProbe
    /// The host, for messages and for the connector.
    let place: String
    private var prepared: PreparedStatements
    private let parameters = ParameterBuffer()
    /// Whether BEGIN was sent, and no end since.
    private var isInTransaction = false
    /// Why the transaction is of no more use: the server has taken it back, or part of it, by itself. What came behind would
    /// run outside of any transaction.
    private var doom: SQLConnectionError?
    /// The most bytes of a statement that the server takes.
    private let maximumPacket: Int

    /// Takes over a connection whose login is done.
    /// - Parameters:
    ///   - kill: ends the statement of a connection by its number. Blocks.
    ///   - answers: whether the server answers another connection. Blocks.
    init(
        _ link: MySQLLink, options: MySQLOptions, place: String, maximumPacket: Int,
        kill: @escaping @Sendable (UInt) -> Void, answers: @escaping @Sendable () -> Bool
    ) {
        self.link = link
        self.options = options
        self.place = place
        self.maximumPacket = maximumPacket
        prepared = PreparedStatements(capacity: options.preparedStatements)
        let number = link.raw.map { mysql_thread_id($0) } ?? 0
        cancellation = StatementCancellation { kill(number) }
        probe = SilenceProbe(after: options.answerTimeout, answers)
    }

    package var isUsable: Bool { link.isUsable }
    var preparedCount: Int { prepared.count }

    package func execute(_ statement: SQLStatement) throws -> SQLResultSet {
        if let doom {
            switch StatementVerb(statement.text) {
            // What these would take back is taken back already, or goes with the transaction.
            case .rollbackToSavepoint, .savepoint: return SQLResultSet()
            case .commit:
                _ = try execute(SQLStatement("ROLLBACK"), limit: options.answerLimit)
                throw doom
            default: break
            }
        }
        return try execute(statement, limit: options.answerLimit)
    }

    /// - Parameter limit: how long the server may be silent.
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
            } catch let error as SQLConnectionError {
                giveBack(prepared, statement)
                throw error
            }
        }
    }

    package func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows {
        try run(statement, options.answerLimit) { _, deadline in
            let prepared = try prepare(statement, &deadline)
            do {
                try prepared.send(statement, parameters, link, &deadline, cursorRows: max(batchRows, 1))
                try prepared.reader.begin(prepared.raw, as: statement.results)
            } catch let error as SQLConnectionError {
                giveBack(prepared, statement)
                throw error
            }
            return MySQLCursor(self, prepared, statement, batchRows: max(batchRows, 1))
        }
    }

    package func cancel() { cancellation.cancel() }

    package func close() {
        link.close()
        // With the connection closed, these only free memory.
        prepared.removeAll()
    }

    // MARK: Statements

    /// Runs a statement's calls with a limit, a way to cancel them, and a look at how they end.
    func run<R>(
        _ statement: SQLStatement, _ limit: Duration, _ body: (StatementVerb, inout AnswerDeadline) throws -> R
    ) throws -> R {
        guard link.isUsable else {
            throw SQLConnectionError(
                .connectionLost, code: .unavailable, "The connection to \(place) has ended. \(link.message)")
        }
        let verb = StatementVerb(statement.text)
        if let doom, verb != .rollback { throw doom }
        try check(statement)
        // A commit that is cancelled may have taken place all the same.
        let isCancellable = verb != .commit
        if isCancellable { cancellation.begin() }
        defer {
            let wait = link.isUsable ? options.answerTimeout.seconds : 0
            if isCancellable, !cancellation.end(limit: wait) { link.giveUp() }
        }
        probe.begin()
        var deadline = AnswerDeadline(
            limit, grace: options.answerTimeout, cancellation: isCancellable ? cancellation : nil, probe: probe)
        do { return try body(verb, &deadline) } catch is AnswerMissing {
            let isCancelled = isCancellable && cancellation.isRequested
            link.giveUp()
            // A server that is only slow should not go on.
            cancellation.cancel()
            throw loss(
                statement, verb,
                SQLConnectionError(
                    isCancelled ? .cancelled : .timedOut, code: .engine,
                    "The server at \(place) did not answer in time; the connection was given up"))
        } catch let error as SQLConnectionError {
            throw judged(error, statement, verb)
        }
    }

    /// What an error means for the connection and its transaction.
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
        case .statement where error.serverCode == "1317" && cancellation.isRequested:
            error.kind = .cancelled
        default: break
        }
        // A commit may fail by a conflict with another node. Of all else that a server may say nobody knows what it did.
        if verb == .commit && error.serverCode != "1213" {
            link.giveUp()
            error.kind = .unknownOutcome
        }
        // So may a statement that commits by itself.
        return error.serverCode == "1180" ? loss(statement, verb, error) : error
    }

    /// The error for a connection that has ended amid a statement: unknown where it may have committed. What a server says
    /// that takes no writes, or is no part of its cluster, has not taken place.
    private func loss(
        _ statement: SQLStatement, _ verb: StatementVerb, _ error: SQLConnectionError
    ) -> SQLConnectionError {
        let isRefused = ["1047", "1290", "1836"].contains(error.serverCode) && verb != .commit
        guard !isRefused, StatementVerb.mayCommit([statement], inTransaction: isInTransaction) else { return error }
        var error = error
        error.kind = .unknownOutcome
        return error
    }

    private func check(_ statement: SQLStatement) throws {
        if statement.text.utf8.contains(0) {
            throw SQLConnectionError(.statement, code: .syntax, "A statement cannot hold a null character.")
        }
        let size = statement.parameters.reduce(statement.text.utf8.count) { $0 + $1.byteCount }
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

    /// Runs a text whose rows, if it has any, are of no use.
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

    private func prepare(_ statement: SQLStatement, _ deadline: inout AnswerDeadline) throws -> PreparedStatement {
        if let found = prepared.take(statement.text) { return found }
        return try PreparedStatement(statement.text, link, &deadline)
    }

    /// Keeps a statement for the next use of its text.
    func giveBack(_ statement: PreparedStatement, _ source: SQLStatement) {
        guard source.isRepeated, link.isUsable else { return statement.close() }
        prepared.giveBack(statement, source.text)
    }
}

extension SQLStatement.Parameter {
    /// About what it takes of a packet.
    fileprivate var byteCount: Int {
        guard case .value(let value, _) = self else { return 0 }
        return switch value {
        case .text(let text), .json(let text): text.utf8.count + 16
        case .bytes(let bytes): bytes.count + 16
        default: 24
        }
    }
}
#endif
