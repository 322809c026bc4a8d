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
            observation: options.announcesCommits
                ? .announced(PostgresCommitFeed(connector)) : .polled(every: options.pollingInterval),
            serialRetries: options.conflictRetries, failoverTimeout: options.failoverTimeout)
    }

    /// Runs work that can run again where it has changed nothing: after a conflict, a lost connection, and for a while where
    /// no server can be reached. Not where its outcome is unknown. A refused login has a SQLSTATE and will be refused again;
    /// a server that never answered is more likely named wrongly than amid a failover.
    /// - Throws: ``SQLConnectionError``.
    func retrying<R: Sendable>(_ work: @escaping @Sendable (PostgresConnection) throws -> R) async throws -> R {
        try await pool.retrying(
            for: options.failoverTimeout, conflicts: options.conflictRetries,
            mayConnectLater: { error in
                error.serverCode.map { ["57P03", "53300"].contains($0) } ?? self.pool.connector.mayRecover
            }, work)
    }
}
#endif
