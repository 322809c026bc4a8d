#if PostgreSQL
import CPostgreSQL
import Foundation
import TableKit
package import TableSQL

/// A connection to PostgreSQL that uses libpq's asynchronous calls.
///
/// Each round trip is a pipeline that ends with a sync: first the clean-up, then the statements. Repeated statements
/// are prepared. Parameters and results are binary.
package final class PostgresConnection: SQLConnection, @unchecked Sendable {
    // `@unchecked Sendable`: used by one thread at a time, as the protocol demands; `waits` has locks.
    let link: PostgresLink
    let options: PostgresOptions
    private let waits: AnswerWaits
    var prepared: PreparedStatements
    /// The schema generation for which they were prepared.
    private var planGeneration = 0
    var parameters = ParameterBuffer()
    /// The time until which a standby is known to lag less than the maximum.
    var freshUntil: Moment?
    /// Finished cursors that are still open on the server.
    private(set) var openCursors: [String] = []
    /// The number of ended transactions, which also end their cursors.
    private(set) var transactions = 0
    /// Whether the open transaction was begun as one that only reads.
    var onlyReads = false
    /// The number of rollbacks to a savepoint, which may end cursors.
    private(set) var returns = 0
    /// Statements queued for the start of the next round trip.
    private var later: [SQLStatement] = []
    /// Statements behind each BEGIN.
    private let transactionSettings: [SQLStatement]
    /// A round trip whose answer is read before the next one.
    private var unanswered: RoundTrip?
    /// The numbers in the names of cursors in use.
    private var cursorNames: Set<Int> = []
    /// The number of round trips that waited for their answer, and of those that did not.
    private(set) var roundTrips = (waited: 0, posted: 0)

    /// Takes over a connection after its login.
    /// - Parameter answers: whether the server answers a login. Blocks.
    init(
        _ link: PostgresLink, _ raw: OpaquePointer, options: PostgresOptions, place: String,
        answers: @escaping @Sendable () -> Bool
    ) {
        self.link = link
        self.options = options
        transactionSettings = options.transactionSettings.map { SQLStatement($0, isRepeated: false) }
        let key = PostgresCancelKey(raw)
        waits = AnswerWaits(
            at: place, timeout: options.answerTimeout, cancel: { key.cancel() }, answers: answers)
        prepared = PreparedStatements(capacity: options.preparedStatements)
    }

    package var isUsable: Bool { link.isUsable }
    /// The host, for messages and for the connector.
    var place: String { waits.place }
    package var needsCheck: Bool { freshUntil.map { $0 < .now } ?? false }

    package func execute(_ statement: SQLStatement) throws -> SQLResultSet {
        let results = try executeAll([statement])
        return results[results.count - 1]
    }

    package func executeAll(_ statements: [SQLStatement]) throws -> [SQLResultSet] {
        guard !statements.isEmpty else { return [] }
        try readUnanswered()
        let earlier = later.count
        let all = later + statements
        let isAlone = !link.isInTransaction
        let trip = try trip(all)
        do { return Array(try run(trip, queued: earlier).dropFirst(earlier)) } catch let plan as StalePlan {
            // A transaction open before has lost its changes; one that these statements began has none.
            guard isAlone, earlier > 0 || statements.count == 1 else { throw plan.conflict }
        }
        do {
            if link.isInTransaction { _ = try run([SQLStatement("ROLLBACK")]) }
            later = Array(all.prefix(earlier))
            return Array(try run(try self.trip(all), queued: earlier).dropFirst(earlier))
        } catch let plan as StalePlan { throw plan.conflict }
    }

    package func usePlans(ofGeneration generation: Int) {
        if generation == planGeneration { return }
        prepared.retireAll()
        planGeneration = generation
    }

    package func executeLater(_ statement: SQLStatement) {
        later.append(statement)
        if !transactionSettings.isEmpty, StatementVerb(statement.text) == .begin { later += transactionSettings }
    }

    package func executeWithoutWaiting(_ statement: SQLStatement) throws {
        try readUnanswered()
        let isRollback = StatementVerb(statement.text) == .rollback
        // A transaction whose BEGIN was not sent needs no rollback.
        if isRollback { later = [] }
        if isRollback, !link.isInTransaction { return }
        var trip = try trip(later + [statement])
        later = []
        try trip.send()
        link.flush()
        roundTrips.posted += 1
        unanswered = trip
    }

    /// Reads the answer of a round trip that was sent without waiting.
    /// - Parameter limit: the longest silence of the server; nil for that of the options.
    private func readUnanswered(_ limit: Duration? = nil) throws {
        guard var trip = unanswered else { return }
        unanswered = nil
        var deadline = try waits.begin(limit ?? options.answerLimit, isCancellable: false)
        do { _ = try trip.receive(&deadline) } catch {
            link.giveUp()
            throw waits.ended(link.message)
        }
    }

    package func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows {
        if options.isStrict { return BufferedRows(try execute(statement).rows, batchRows: batchRows) }
        // The end of the last transaction frees its cursor names.
        try readUnanswered()
        let number = (1...).first { !cursorNames.contains($0) } ?? 0
        // Even after an error: a cursor whose first rows cannot be read stays open on the server, under its name.
        // Behind the round trip: where the server has lost the prepared DECLARE, that has run once more, in a new
        // transaction. The end of the first one has freed all numbers.
        defer { cursorNames.insert(number) }
        return try PostgresCursor(self, statement, number: number, batchRows: batchRows)
    }

    package func cancel() { waits.cancel() }

    package func forgetCancellation() { waits.forgetCancellation() }

    package func close() {
        unanswered = nil
        link.close()
    }

    // MARK: One round trip

    /// Sends statements as one pipeline and reads their results.
    /// - Parameter limit: the longest silence of the server; nil for that of the options.
    func run(_ statements: [SQLStatement], limit: Duration? = nil) throws -> [SQLResultSet] {
        try readUnanswered(limit)
        return try run(try trip(statements), limit: limit)
    }

    /// Encodes statements. If one is refused, nothing is sent.
    private func trip(_ statements: [SQLStatement]) throws -> RoundTrip {
        guard link.isUsable else { throw waits.ended(link.message) }
        if options.isStrict { for statement in statements { try StrictFilter.check(statement.text) } }
        var trip = RoundTrip(self, statements)
        try trip.encode()
        return trip
    }

    /// - Parameter queued: the number of its statements that were queued. They stay queued if a cancellation keeps the
    ///   trip from being sent: the rollback to a savepoint needs the savepoint.
    private func run(_ ready: RoundTrip, queued: Int = 0, limit: Duration? = nil) throws -> [SQLResultSet] {
        var trip = ready
        let statements = trip.statements
        return try waiting(limit, isCancellable: trip.isCancellable, for: { statements }) { deadline in
            later.removeFirst(queued)
            try trip.send()
            return try trip.receive(&deadline)
        }
    }

    /// Runs `body`, which sends statements and reads their results, with a limit, and interprets its errors.
    /// - Parameter statements: what is sent, for errors.
    func waiting<R>(
        _ limit: Duration?, isCancellable: Bool, for statements: () -> [SQLStatement],
        _ body: (inout AnswerDeadline) throws -> R
    ) throws -> R {
        let wasInTransaction = link.isInTransaction
        var deadline = try waits.begin(limit ?? options.answerLimit, isCancellable: isCancellable)
        roundTrips.waited += 1
        defer { if isCancellable, !waits.end(isUsable: link.isUsable) { link.giveUp() } }
        do { return try body(&deadline) } catch is AnswerMissing {
            link.giveUp()
            throw loss(statements(), wasInTransaction, waits.missed(isCancellable: isCancellable))
        } catch let error as SQLConnectionError where error.kind == .connectionLost {
            link.giveUp()
            throw loss(statements(), wasInTransaction, error)
        } catch let error as SQLConnectionError
            where isCancellable && error.serverCode == "57014" && waits.isCancelled
        {
            throw SQLConnectionError(.cancelled, code: .engine, serverCode: error.serverCode, error.message)
        }
    }

    /// Whether the next round trip has nothing else to do before its statement.
    var isTidy: Bool {
        unanswered == nil && later.isEmpty && openCursors.isEmpty && prepared.retired.isEmpty && link.isUsable
            && !options.isStrict
    }

    /// The error of a connection lost during statements. Its kind is `unknownOutcome` if they may have committed.
    private func loss(
        _ statements: [SQLStatement], _ wasInTransaction: Bool, _ error: SQLConnectionError
    ) -> SQLConnectionError {
        // A standby has refused the first change.
        if error.serverCode == "25006" || error.serverCode == "0A000" { return error }
        guard StatementVerb.mayCommit(statements, inTransaction: wasInTransaction) else { return error }
        var error = error
        error.kind = .unknownOutcome
        return error
    }

    // MARK: Cursors

    func endTransaction() {
        transactions += 1
        onlyReads = false
        openCursors = []
        cursorNames = []
    }

    /// Forgets the state of a transaction if none is open. Called at the end of each round trip.
    func noteEndOfTransaction() {
        if onlyReads || !openCursors.isEmpty || !cursorNames.isEmpty, link.isIdle { endTransaction() }
    }

    func returnToSavepoint() {
        returns += 1
        openCursors = []
    }

    /// Closes a cursor in the next round trip.
    func close(cursor: String) { openCursors.append(cursor) }

    func closed(_ cursor: String) {
        openCursors.removeAll { $0 == cursor }
        if let number = Int(cursor.dropFirst()) { cursorNames.remove(number) }
    }
}

extension StalePlan {
    /// The error of a transaction that failed with the statement and may run again.
    fileprivate var conflict: SQLConnectionError {
        var error = error
        error.kind = .conflict
        error.code = .conflict
        return error
    }
}
#endif
