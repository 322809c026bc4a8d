#if MySQL
import TableKit
import TableSQL

/// The connections of one configuration, with the engine over them. Repositories may share them.
final class MySQLServerPool: Sendable {
    let pool: ConnectionPool<MySQLConnector>
    let engine: SQLEngine<MySQLConnector>
    let options: MySQLOptions

    init(_ login: MySQLLogin, options: MySQLOptions) {
        self.options = options
        pool = ConnectionPool(MySQLConnector(login, options: options), options.pool)
        engine = SQLEngine(
            dialect: MySQLDialect(isSerializable: options.isolation == .serializable), pool: pool,
            observation: .polled(every: options.pollingInterval), serialRetries: options.conflictRetries,
            failoverTimeout: options.failoverTimeout)
    }

    /// Runs work that can run again where it has changed nothing: after a conflict, a lost connection, and for a while where
    /// no server can be reached. Not where its outcome is unknown. A refused login has a number and will be refused again;
    /// a server that never answered is more likely named wrongly than amid a failover.
    /// - Throws: ``SQLConnectionError``.
    func retrying<R: Sendable>(_ work: @escaping @Sendable (MySQLConnection) throws -> R) async throws -> R {
        try await pool.retrying(
            for: options.failoverTimeout, conflicts: options.conflictRetries,
            mayConnectLater: { error in
                error.serverCode.map { ["1040", "1203", "1226", "1047"].contains($0) }
                    ?? self.pool.connector.mayRecover
            }, work)
    }
}
#endif
