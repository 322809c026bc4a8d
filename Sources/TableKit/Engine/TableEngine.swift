/// An engine that stores rows and runs queries: a store, a server, or arrays in memory.
///
/// The layers above it are the same for all engines: key paths to ``Query``, and rows to objects.
public protocol TableEngine: AnyObject, Sendable {
    /// Begins a session that reads one state of the database and changes nothing. Never waits for writers.
    func beginRead() throws -> any TableSession

    /// As ``beginRead()``, for a session of one statement. For engines where a multi-statement snapshot costs more.
    func beginReadStatement() throws -> any TableSession

    /// Passes the row with this primary key to `body`, in a read session of its own. For engines where a session costs
    /// more than a row.
    /// - Returns: false if there is no such row.
    func withRow(
        _ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void
    ) throws -> Bool

    /// The number of retries of a ``TransactionMode/serial`` transaction after a conflict. 0 for engines that serialize
    /// transactions by a lock: they cannot conflict.
    var serialRetries: Int { get }

    /// Begins a transaction. Blocks while another serial transaction holds the lock. The caller must end the session.
    func begin(_ mode: TransactionMode) throws -> any TableSession

    /// As ``begin(_:)``, suspending instead of blocking.
    func begin(_ mode: TransactionMode) async throws -> any TableSession

    /// As `begin(.serial)`, for a session of one change and its commit. For engines where a separate commit costs more.
    func beginChange() throws -> any TableSession

    /// Runs work that may block on the disk or the network, on a thread outside of the cooperative pool. Runs it in
    /// line if the engine knows that it will not block.
    func perform<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R

    /// True if savepoints and rollbacks of an open session may wait for the network. If false, they run in line while no
    /// other task's statement uses the session.
    var waitsInTransactions: Bool { get }

    /// Runs work of an open session: sets or uses savepoints, rolls back, reads the next rows of a query. The work may
    /// wait for the network or for another task's statement, so it must not run on the cooperative pool. By default runs
    /// it by ``perform(_:)``.
    ///
    /// The session may hold the transaction lock. An engine with few threads for ``perform(_:)``, all of which may wait
    /// for that lock, must run this work on another one.
    func performInTransaction<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R

    /// Runs `body` in a serial transaction of its own and commits it.
    ///
    /// An engine with a transaction lock should not hold it while it waits for a thread of the cooperative pool:
    /// synchronous callers that wait for the lock may block all of these threads.
    func inTransaction<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R

    /// As ``inTransaction(_:)``, for a body that makes one change. For engines where a separate commit costs more.
    func makingChange<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R

    /// Runs `body` on one snapshot of the database. Returns its result, with an observation that reports the first
    /// later commit that changes data read by `body`.
    func observe<R>(_ body: (any TableSession) throws -> R) throws -> (R, any TableObservation)

    /// How long an observation retries while the database is unreachable. Zero for engines in the same process.
    var observationPatience: Duration { get }

    /// Creates an index outside of any transaction, and waits until queries can use it. Engines with online builds do
    /// not block writers meanwhile.
    func buildIndex(_ definition: IndexDefinition) throws

    /// Runs the steps of a migration while no other program runs any on this database. For engines whose schema changes
    /// commit at once: elsewhere the transaction of a step keeps others out.
    func migrating<R>(_ body: () throws -> R) throws -> R

    /// As the synchronous form, in a task.
    func migrating<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R

    /// Collects statistics about the values of indexes for the planner.
    /// - Parameter table: one table. Nil: all.
    func analyze(_ table: String?) throws

    /// Checks rows, indexes and constraints against each other.
    /// - Returns: the problems, each as a sentence; empty where all is well.
    func verify(progress: ((Double) -> Void)?) throws -> [String]
}

extension TableEngine {
    /// Begins a read session by ``beginRead()``.
    public func beginReadStatement() throws -> any TableSession { try beginRead() }

    /// Looks the row up in a session of ``beginReadStatement()``.
    public func withRow(
        _ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void
    ) throws -> Bool {
        let session = try beginReadStatement()
        defer { session.rollback() }
        return try session.withRow(table, key: key, body)
    }

    /// No retries.
    public var observationPatience: Duration { .zero }

    /// True: the engine decides by ``performInTransaction(_:)``.
    public var waitsInTransactions: Bool { true }

    /// Runs `work` by ``perform(_:)``.
    public func performInTransaction<R: Sendable>(
        _ work: @escaping @Sendable () throws -> R
    ) async throws -> R { try await perform(work) }

    /// Begins a serial transaction.
    public func beginChange() throws -> any TableSession { try begin(.serial) }

    /// Runs the body in a transaction.
    public func makingChange<R: Sendable>(
        _ body: @escaping @Sendable (any TableSession) throws -> R
    ) async throws -> R { try await inTransaction(body) }

    /// No retries: serial transactions cannot conflict.
    public var serialRetries: Int { 0 }

    /// Begins a transaction and runs the body by `perform`. Suspends instead of blocking. Retries after a conflict.
    public func inTransaction<R: Sendable>(
        _ body: @escaping @Sendable (any TableSession) throws -> R
    ) async throws -> R {
        try await ConflictRetry.run(self, .serial) { try await runOnce(body) }
    }

    private func runOnce<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R {
        let session = SharedSession(try await begin(.serial))
        let result: R
        do { result = try await performWithin(session, body) } catch {
            await session.rollback(on: self)
            throw error
        }
        try await session.commit(on: self)
        return result
    }

    /// Runs `body`.
    public func migrating<R>(_ body: () throws -> R) throws -> R { try body() }

    /// Runs `body` by `perform`.
    public func migrating<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await perform(body)
    }

    /// Does nothing: for engines whose plans need no statistics.
    public func analyze(_ table: String?) throws {}

    /// Runs a step of a transaction where waiting is allowed.
    private func performWithin<R: Sendable>(
        _ session: SharedSession, _ body: @escaping @Sendable (any TableSession) throws -> R
    ) async throws -> R {
        try await TransactionScope.$innermost.withValue(TransactionScope(self, session)) {
            try await perform { try session.use(body) }
        }
    }

    /// Makes an index in a transaction of its own. Retries after a conflict.
    public func buildIndex(_ definition: IndexDefinition) throws {
        try ConflictRetry.run(self, .serial) {
            try begin(.serial).commit { try $0.alter(.createIndex(definition)) }
        }
    }
}

/// The isolation of a transaction from others.
public enum TransactionMode: Sendable, Hashable {
    /// Transactions run one after the other. Servers may rerun the body after a conflict. Reads outside never wait.
    case serial
    /// The body runs beside other transactions, and the commit validates its reads. A conflict runs the body again, at
    /// most `retries` times, and then throws ``TableErrorCode/conflict``.
    case concurrent(retries: Int)
}

/// A snapshot of a database, and in a transaction the changes on top of it.
///
/// Used by one thread at a time. Each statement is all or nothing.
public protocol TableSession: AnyObject {
    /// The tables of the catalogue, by name.
    func tables() throws -> [TableInfo]
    /// A table of the catalogue, or nil. Names are case-sensitive.
    func table(named name: String) throws -> TableInfo?
    /// Changes the catalogue.
    func alter(_ change: SchemaChange) throws
    /// Runs `body`, which reads the catalogue and changes it accordingly. In `body`, the catalogue is the present one,
    /// whatever other programs have done. Engines may run `body` again if another program changes it in between.
    func changingSchema(_ body: () throws -> Void) throws

    /// Inserts rows.
    /// - Returns: the number of new rows, the key of the last one, and the rows if the statement asks for them.
    /// - Throws: ``TableErrorCode/unique``, ``TableErrorCode/foreignKey``, ``TableErrorCode/notNull`` and others. No row
    ///   of the statement is then inserted.
    func insert(_ statement: InsertStatement) throws -> ChangeResult
    /// Updates all matching rows.
    /// - Returns: the number of matching rows, and the rows after the update if the statement asks for them.
    /// - Throws: as ``insert(_:)``.
    func update(_ statement: UpdateStatement) throws -> ChangeResult
    /// Deletes all matching rows. Foreign keys act on the rows that refer to them.
    /// - Returns: the number of matching rows, and the rows before the delete if the statement asks for them.
    /// - Throws: ``TableErrorCode/foreignKey`` if a row refers to a deleted one and its action refuses the delete.
    func delete(_ statement: DeleteStatement) throws -> ChangeResult

    /// Runs a query. The stream reads the session's state at the time of this call, and ends with the session.
    ///
    /// If the session changes rows before the end of the stream, an adapter to another database may show the change in
    /// rows that the stream has not returned yet: SQLite in all rows, servers in joined rows. A caller that needs one
    /// state on every engine reads the whole result before it changes rows.
    func run(_ query: Query) throws -> any RowStream
    /// Passes the row with this primary key to `body`, as it lies in memory. The values follow
    /// ``TableStructure/primaryKey``.
    ///
    /// Not generic over a result: a function that passes on a generic optional looks up its metadata, which takes a
    /// tenth of a look-up without a row.
    /// - Returns: true if the row exists.
    func withRow(
        _ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void
    ) throws -> Bool
    /// The number of distinct parents that a query finds, within its limit.
    func count(_ query: Query) throws -> Int
    /// The groups of an aggregate query, in order: each the values of ``AggregateQuery/groupBy``, then the aggregates.
    func aggregate(_ query: AggregateQuery) throws -> [[ColumnValue]]
    /// The plan of a query, with the estimated rows of each step.
    func explain(_ query: Query) throws -> QueryPlan
    /// Runs a query to its end. Returns its plan with the actual rows of each step, or of the result alone if the
    /// engine cannot count each step.
    func explainRunning(_ query: Query) throws -> QueryPlan
    /// All plans that the planner considers for a query. ``Query/forcedPlan`` selects one of them.
    func plans(for query: Query) throws -> [QueryPlan]

    /// Marks the current state of the transaction for ``rollback(to:)``.
    func savepoint() throws -> Savepoint
    /// Undoes the changes since a savepoint. Keeps the savepoint and ends later ones.
    func rollback(to savepoint: Savepoint) throws
    /// Makes the changes visible and durable, and ends the session. On a read session: ends it.
    func commit() throws
    /// As ``commit()``, suspending for the disk.
    func commit() async throws
    /// Undoes all changes and ends the session. Does nothing after the end.
    func rollback()
}

extension TableSession {
    /// Maps the row with this primary key by `body`. Returns nil if there is no such row.
    public func find<R>(
        _ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> R
    ) throws -> R? {
        var result: R?
        _ = try withRow(table, key: key) { result = try body($0, $1) }
        return result
    }

    /// Runs `body`: for engines whose catalogue nobody else can change.
    public func changingSchema(_ body: () throws -> Void) throws { try body() }

    /// Drops a table. Does nothing if there is none.
    func dropTable(ifPresent name: String) throws {
        try changingSchema {
            if try table(named: name) != nil { try alter(.dropTable(name)) }
        }
    }

    /// Runs `body` in this session and commits. Rolls back if `body` throws.
    /// - Returns: the result of `body`.
    package func commit<R>(_ body: (any TableSession) throws -> R) throws -> R {
        let result: R
        do { result = try body(self) } catch {
            rollback()
            throw error
        }
        try commit()
        return result
    }

    /// Runs a query and counts its parents.
    public func explainRunning(_ query: Query) throws -> QueryPlan {
        var plan = try explain(query)
        let clock = ContinuousClock()
        let start = clock.now
        let stream = try run(query)
        var rows = 0
        while let batch = try stream.next() { rows += batch.rows.count }
        plan.actualRows = rows
        plan.seconds = start.duration(to: clock.now) / .seconds(1)
        return plan
    }
}

/// A state within a transaction that a rollback can restore.
public struct Savepoint: Sendable {
    /// The engine's own representation.
    public let state: any Sendable

    /// A savepoint.
    public init(_ state: any Sendable) { self.state = state }
}

/// The result of a query, batch by batch. Used by one thread at a time.
public protocol RowStream: AnyObject {
    /// The next batch, of some hundred rows at most, or nil at the end.
    func next() throws -> RowBatch?
}

/// An observation of commits that change the data of a read.
public protocol TableObservation: Sendable {
    /// Returns after the first commit that changes data that was read; at once if it has already happened. Throws
    /// `CancellationError` if the task is cancelled.
    func change() async throws
    /// Ends the observation. A second call does nothing.
    func cancel()
}
