#if PostgreSQL
import TableKit
import TableSQL

/// The connections of one configuration, with the engine over them. Repositories may share them.
final class PostgresServerPool: Sendable {
    let pool: ConnectionPool<PostgresConnector>
    let engine: SQLEngine<PostgresConnector>
    let options: PostgresOptions

    init(_ connectionString: String, overrides: [(String, String)] = [], options: PostgresOptions) throws {
        let connector: PostgresConnector
        do {
            connector = try PostgresConnector(connectionString, overrides: overrides, options: options)
        } catch let error as SQLConnectionError { throw error.tableError }
        self.options = options
        pool = ConnectionPool(connector, options.pool)
        engine = SQLEngine(
            dialect: PostgresDialect(isolation: options.isolation.rawValue, hasCollations: !options.isStrict),
            pool: pool,
            observation: .none("PostgreSQL tells this program of no changes: observe in the program that makes them."),
            serialRetries: options.conflictRetries)
    }

    deinit { pool.close() }

    /// Runs work that can run again where it has changed nothing: after a conflict, a lost connection, and for a while where
    /// no server can be reached. Not where its outcome is unknown.
    /// - Throws: ``SQLConnectionError``.
    func retrying<R: Sendable>(_ work: @escaping @Sendable (PostgresConnection) throws -> R) async throws -> R {
        let end = ContinuousClock.now + options.failoverTimeout
        var conflicts = 0
        var pause: Duration = .milliseconds(20)
        while true {
            do { return try await pool.withConnection(work) } catch let error as SQLConnectionError {
                guard isTransient(error), conflicts < options.conflictRetries, ContinuousClock.now < end else {
                    throw error
                }
                if error.kind == .conflict { conflicts += 1 }
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(500))
        }
    }

    /// Whether the same work may succeed a moment later. A refused login has a SQLSTATE and will be refused again; a server
    /// that never answered is more likely named wrongly than amid a failover.
    private func isTransient(_ error: SQLConnectionError) -> Bool {
        switch error.kind {
        case .conflict, .connectionLost: true
        case .noConnection:
            error.serverCode.map { ["57P03", "53300"].contains($0) } ?? pool.connector.mayRecover
        case .statement, .unknownOutcome, .timedOut, .cancelled: false
        }
    }
}
#endif
