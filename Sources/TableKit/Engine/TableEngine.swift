/// What runs queries and keeps rows: a store, a server, arrays in memory.
///
/// Everything from key path to ``Query``, and from row to object, is above it and the same for all engines.
public protocol TableEngine: AnyObject, Sendable {
    /// Begins a session that reads one state of the database and changes nothing. Never waits for writers.
    func beginRead() throws -> any TableSession

    /// As ``beginRead()``, for a session that runs one statement: engines for which several on one state cost more.
    func beginReadStatement() throws -> any TableSession

    /// How often a transaction of ``TransactionMode/serial`` that met a conflict runs again. 0 where transactions take turns,
    /// and none can conflict.
    var serialRetries: Int { get }

    /// Begins a transaction. Where transactions take turns, this waits for the turn; the session must be ended.
    func begin(_ mode: TransactionMode) throws -> any TableSession

    /// As ``begin(_:)``, suspending instead of blocking.
    func begin(_ mode: TransactionMode) async throws -> any TableSession

    /// As `begin(.serial)`, for a session that makes one change and commits: engines for which a commit by itself costs more.
    func beginChange() throws -> any TableSession

    /// Runs work that may wait for the disk or the network where waiting is allowed, never on the cooperative pool; in line
    /// where the engine knows that it will not wait.
    func perform<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R

    /// Runs `body` in a serial transaction of its own, which commits behind it.
    ///
    /// An engine that takes turns should hold none while it waits for a thread of the cooperative pool: all of these may be
    /// blocked by synchronous callers who wait for the turn.
    func inTransaction<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R

    /// As ``inTransaction(_:)``, for a body that makes one change: engines for which a commit by itself costs more.
    func makingChange<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R

    /// Runs `body` on one state of the database and gives its result, with an observation that tells of the first commit
    /// after that state which changes anything that `body` read.
    func observe<R>(_ body: (any TableSession) throws -> R) throws -> (R, any TableObservation)

    /// How long an observation tries again where the database cannot be reached. Zero for engines in the same process.
    var observationPatience: Duration { get }

    /// Makes an index outside of any transaction, and waits until queries can use it. Engines that can do so keep no writer
    /// waiting meanwhile.
    func buildIndex(_ definition: IndexDefinition) throws

    /// Looks at the values of indexes, so that plans know how they are distributed.
    /// - Parameter table: one table. Nil: all.
    func analyze(_ table: String?) throws

    /// Checks rows, indexes and constraints against each other.
    /// - Returns: the problems, each as a sentence; empty where all is well.
    func verify(progress: ((Double) -> Void)?) throws -> [String]
}

extension TableEngine {
    /// Begins a session that could run several.
    public func beginReadStatement() throws -> any TableSession { try beginRead() }

    /// Not at all.
    public var observationPatience: Duration { .zero }

    /// Begins a serial transaction.
    public func beginChange() throws -> any TableSession { try begin(.serial) }

    /// Runs the body in a transaction.
    public func makingChange<R: Sendable>(
        _ body: @escaping @Sendable (any TableSession) throws -> R
    ) async throws -> R { try await inTransaction(body) }

    /// Transactions take turns.
    public var serialRetries: Int { 0 }

    /// Begins a transaction, suspends for its turn, and suspends for each step. A conflict has it run again.
    public func inTransaction<R: Sendable>(
        _ body: @escaping @Sendable (any TableSession) throws -> R
    ) async throws -> R {
        try await ConflictRetry.run(self, .serial) { try await runOnce(body) }
    }

    private func runOnce<R: Sendable>(_ body: @escaping @Sendable (any TableSession) throws -> R) async throws -> R {
        let session = SharedSession(try await begin(.serial))
        let result: R
        do { result = try await performWithin(session, body) } catch {
            session.rollback()
            throw error
        }
        try await session.commit()
        return result
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

    /// Makes an index in a transaction of its own.
    public func buildIndex(_ definition: IndexDefinition) throws {
        try begin(.serial).commit { try $0.alter(.createIndex(definition)) }
    }
}

/// How a transaction keeps away from others.
public enum TransactionMode: Sendable, Hashable {
    /// Transactions take turns: the body runs once and cannot conflict. Reads outside never wait.
    case serial
    /// The body runs beside others; what it read is checked when it commits. A conflict runs the body again, at most this
    /// many times, and then throws ``TableErrorCode/conflict``.
    case concurrent(retries: Int)
}

/// One state of a database, and for transactions what they change on top of it.
///
/// Used by one thread at a time. Each statement is all or nothing.
public protocol TableSession: AnyObject {
    /// The tables of the catalogue, by name.
    func tables() throws -> [TableInfo]
    /// A table of the catalogue, or nil. Names match exactly.
    func table(named name: String) throws -> TableInfo?
    /// Changes the catalogue.
    func alter(_ change: SchemaChange) throws

    func insert(_ statement: InsertStatement) throws -> ChangeResult
    func update(_ statement: UpdateStatement) throws -> ChangeResult
    func delete(_ statement: DeleteStatement) throws -> ChangeResult

    /// Runs a query. The stream reads the state of this call, and ends with the session.
    func run(_ query: Query) throws -> any RowStream
    /// Hands the one row with these values of the key, in the structure's order of ``TableStructure/primaryKey``, to `body` as
    /// it lies in memory.
    ///
    /// Not generic over a result: each function that passes an optional of any type on looks up its metadata, which takes a
    /// tenth of a look-up without a row.
    /// - Returns: whether there is such a row.
    func withRow(
        _ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void
    ) throws -> Bool
    /// The number of different parents that a query finds, limited as they are.
    func count(_ query: Query) throws -> Int
    /// The groups of an aggregate query: for each the values of ``AggregateQuery/groupBy``, then the aggregates. Ordered by
    /// group.
    func aggregate(_ query: AggregateQuery) throws -> [[ColumnValue]]
    /// How a query would run, with the number of rows that each step is expected to give.
    func explain(_ query: Query) throws -> QueryPlan
    /// Runs a query to its end, and gives its plan with the number of rows that each step found. Engines that cannot count
    /// steps count the result.
    func explainRunning(_ query: Query) throws -> QueryPlan
    /// All plans that the planner could choose for a query; ``Query/forcedPlan`` chooses among them.
    func plans(for query: Query) throws -> [QueryPlan]

    /// Marks the present state of the transaction, for ``rollback(to:)``.
    func savepoint() throws -> Savepoint
    /// Takes back what changed since a savepoint. The savepoint stays, later ones end.
    func rollback(to savepoint: Savepoint) throws
    /// Makes the changes visible and durable, and ends the session. On a read session: ends it.
    func commit() throws
    /// As ``commit()``, suspending for the disk.
    func commit() async throws
    /// Takes all changes back and ends the session. After the end: does nothing.
    func rollback()
}

extension TableSession {
    /// What `body` makes of the one row with these values of the key; nil where there is none.
    public func find<R>(
        _ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> R
    ) throws -> R? {
        var result: R?
        _ = try withRow(table, key: key) { result = try body($0, $1) }
        return result
    }

    /// Runs `body` in this session, then commits. Where `body` throws, rolls back instead.
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

    /// Runs a query, and counts its parents.
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

/// A state within a transaction to which it can go back.
public struct Savepoint: Sendable {
    /// What the engine knows it by.
    public let state: any Sendable

    /// A savepoint.
    public init(_ state: any Sendable) { self.state = state }
}

/// The result of a query, batch by batch. Used by one thread at a time.
public protocol RowStream: AnyObject {
    /// The next batch, of some hundred rows at most, or nil at the end.
    func next() throws -> RowBatch?
}

/// What tells of commits that change what a read has seen.
public protocol TableObservation: Sendable {
    /// Returns after the first commit that changes anything which was read; at once if there was one. Throws
    /// `CancellationError` when the task is cancelled.
    func change() async throws
    /// Ends the observation. Again: does nothing.
    func cancel()
}
