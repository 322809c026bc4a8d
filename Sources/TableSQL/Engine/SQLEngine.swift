import Synchronization
package import TableKit

/// A table engine over a database that speaks SQL.
package final class SQLEngine<Connector: SQLConnector>: TableEngine {
    package let pool: ConnectionPool<Connector>
    package let core: SQLEngineCore
    /// How often a transaction that met a conflict runs again, where the caller says nothing.
    package let serialRetries: Int
    private let observation: Observation

    /// What an engine can tell observers.
    package enum Observation: Sendable {
        /// Commits of this process, which are all, or all that are wanted.
        case ownCommits
        /// Commits of everybody: `start` connects what hears of them, and has the tables told to the engine's watch.
        case allCommits(start: @Sendable (TableWatch) throws -> Void)
        /// Nothing, for this reason.
        case none(String)
    }

    package init(
        dialect: any SchemaDialect, pool: ConnectionPool<Connector>, observation: Observation, serialRetries: Int = 100
    ) {
        self.pool = pool
        self.observation = observation
        self.serialRetries = serialRetries
        let connector = pool.connector
        core = SQLEngineCore(dialect, pool.threads) { try connector.connect() }
    }

    package func beginRead() throws -> any TableSession { try session(.read) }
    package func beginReadStatement() throws -> any TableSession { try session(.singleRead) }
    package func begin(_ mode: TransactionMode) throws -> any TableSession { try session(.write(mode)) }

    package func begin(_ mode: TransactionMode) async throws -> any TableSession {
        do { return session(.write(mode), try await pool.acquire()) } catch let error as SQLConnectionError {
            throw error.tableError
        }
    }

    private func session(_ mode: SQLSession.Mode) throws -> SQLSession {
        if let reserved = Reservation.current?.take(from: pool) { return session(mode, reserved) }
        do { return session(mode, try pool.acquire()) } catch let error as SQLConnectionError { throw error.tableError }
    }

    private func session(_ mode: SQLSession.Mode, _ connection: Connector.Connection) -> SQLSession {
        SQLSession(core, mode, connection) { [pool] connection in
            if let connection = connection as? Connector.Connection { pool.release(connection) }
        }
    }

    /// Runs work on a thread of the pool, with a connection at hand: a thread that waited for one could keep the work from
    /// running that would give one back. Work within a transaction has its connection.
    package func perform<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        if TransactionScope.current(of: self) != nil { return try await pool.threads.run(work) }
        let connection: Connector.Connection
        do { connection = try await pool.acquire() } catch let error as SQLConnectionError { throw error.tableError }
        let reservation = Reservation(pool, connection)
        return try await pool.threads.run {
            defer { reservation.giveBack() }
            return try Reservation.$current.withValue(reservation) { try work() }
        }
    }

    package func observe<R>(_ body: (any TableSession) throws -> R) throws -> (R, any TableObservation) {
        switch observation {
        case .none(let reason): throw CRUDSQLExeError(reason, code: .unsupported)
        case .allCommits(let start):
            do { try start(core.watch) } catch let error as SQLConnectionError { throw error.tableError }
        case .ownCommits: break
        }
        let mark = core.watch.mark()
        let session = try session(.read)
        defer { session.rollback() }
        let result = try body(session)
        return (result, TableWatchObservation(core.watch, session.readTables, since: mark))
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

/// A connection that was taken from the pool for work before it began.
final class Reservation: Sendable {
    @TaskLocal static var current: Reservation?

    private let connection: Mutex<(any SQLConnection)?>
    private let pool: any AnyObject & Sendable
    private let release: @Sendable (any SQLConnection) -> Void

    init<Connector: SQLConnector>(_ pool: ConnectionPool<Connector>, _ connection: Connector.Connection) {
        self.pool = pool
        self.connection = Mutex(connection)
        release = { if let connection = $0 as? Connector.Connection { pool.release(connection) } }
    }

    /// The connection, once, if it is one of this pool.
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
}
