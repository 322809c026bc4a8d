import Synchronization
package import TableKit

/// A table engine over an SQL database.
package final class SQLEngine<Connector: SQLConnector>: TableEngine {
    package let pool: ConnectionPool<Connector>
    package let core: SQLEngineCore
    /// How often a transaction runs again after a conflict, unless the caller sets a number.
    package let serialRetries: Int
    let observation: EngineObservation
    private let failoverTimeout: Duration

    package var observationPatience: Duration { core.isClosed ? .zero : failoverTimeout }

    package init(
        dialect: any SchemaDialect, pool: ConnectionPool<Connector>, observation: EngineObservation,
        serialRetries: Int = 100, failoverTimeout: Duration = .zero
    ) {
        self.failoverTimeout = failoverTimeout
        self.pool = pool
        self.observation = observation
        self.serialRetries = serialRetries
        let feed: (any CommitFeed)? = if case .announced(let feed) = observation { feed } else { nil }
        let connector = pool.connector
        core = SQLEngineCore(dialect, pool.threads, pool.queue, feed: feed) { try connector.connect() }
    }

    deinit { close() }

    /// Closes idle connections, and the others on their release. Open statements, commits and observations throw
    /// ``TableErrorCode/unavailable``. Idempotent.
    package func close() {
        core.close()
        pool.close()
    }

    package func beginRead() throws -> any TableSession { try session(.read) }
    package func beginReadStatement() throws -> any TableSession { try session(.singleRead) }
    package func beginChange() throws -> any TableSession { try session(.singleChange) }
    package func begin(_ mode: TransactionMode) throws -> any TableSession { try session(.write(mode)) }

    package func begin(_ mode: TransactionMode) async throws -> any TableSession {
        do { return session(.write(mode), try await pool.acquire()) } catch let error as SQLConnectionError {
            throw tableError(error)
        }
    }

    func session(_ mode: SQLSession.Mode) throws -> SQLSession { session(mode, try takeConnection()) }

    /// The connection reserved for this work, or one of the pool.
    func takeConnection(_ task: TaskCancellation? = TaskCancellation.current) throws -> Connector.Connection {
        if let reserved = task?.reservation?.take(from: pool) { return reserved }
        do { return try pool.acquire() } catch let error as SQLConnectionError { throw tableError(error) }
    }

    /// An error as tables throw it.
    func tableError(_ error: SQLConnectionError) -> CRUDSQLExeError {
        var made = error.tableError
        made.isLasting = Connector.isLasting(error)
        return made
    }

    private func session(_ mode: SQLSession.Mode, _ connection: Connector.Connection) -> SQLSession {
        // The session retains the engine, which would otherwise close with the last configuration.
        SQLSession(core, mode, connection) { [self] _ in pool.release(connection) }
    }

    /// Runs work on a thread of the pool, with a connection acquired beforehand: no thread blocks while it waits for
    /// one. Work within a transaction already has its connection.
    package func perform<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        if TransactionScope.current(of: self) != nil { return try await TaskCancellation.run(on: pool.threads, work) }
        let connection: Connector.Connection
        do { connection = try await pool.acquire() } catch let error as SQLConnectionError { throw tableError(error) }
        let reservation = Reservation(pool, connection)
        return try await TaskCancellation.run(on: pool.threads, with: reservation) {
            defer { reservation.giveBack() }
            return try work()
        }
    }

    /// Runs work on a thread of the pool. It uses the transaction's connection.
    package func performInTransaction<R: Sendable>(
        _ work: @escaping @Sendable () throws -> R
    ) async throws -> R { try await TaskCancellation.run(on: pool.threads, work) }

    /// Runs a change and its commit on one thread of the pool.
    package func makingChange<R: Sendable>(
        _ body: @escaping @Sendable (any TableSession) throws -> R
    ) async throws -> R {
        try await ConflictRetry.run(self, .serial) {
            try await perform { try self.session(.singleChange).commit(body) }
        }
    }

    package func verify(progress: ((Double) -> Void)?) throws -> [String] {
        let session = try session(.read)
        defer { session.rollback() }
        let tables = try session.catalogue().values.sorted { $0.structure.name < $1.structure.name }
        let problems = try session.read { try core.dialect.verify(tables, $0) }
        progress?(1)
        return problems
    }
}

/// A connection acquired for work before the work runs.
package final class Reservation: Sendable {
    private let connection: Mutex<(any SQLConnection)?>
    private let pool: any AnyObject & Sendable
    private let release: @Sendable (any SQLConnection) -> Void

    init<Connector: SQLConnector>(_ pool: ConnectionPool<Connector>, _ connection: Connector.Connection) {
        self.pool = pool
        self.connection = Mutex(connection)
        release = { if let connection = $0 as? Connector.Connection { pool.release(connection) } }
    }

    /// The connection, once, if it belongs to this pool.
    func take<Connector: SQLConnector>(from pool: ConnectionPool<Connector>) -> Connector.Connection? {
        guard pool === self.pool else { return nil }
        return take() as? Connector.Connection
    }

    private func take() -> (any SQLConnection)? {
        connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
    }

    func giveBack() { if let connection = take() { release(connection) } }

    /// Gives back the connection that the work on this thread has not taken yet. The work then waits for another on its
    /// thread.
    package static func giveBackCurrent() { TaskCancellation.current?.reservation?.giveBack() }
}
