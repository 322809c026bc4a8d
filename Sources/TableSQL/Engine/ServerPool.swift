/// Makes connections to a server, which may come back after it was lost.
package protocol ServerConnector: SQLConnector {
    /// Whether a server that cannot be reached may come back, or another take its place.
    var mayRecover: Bool { get }
    /// The server's codes of refusals that may pass: too many connections, a server that starts or is out of step.
    static var passingRefusals: Set<String> { get }
}

/// The connections of one configuration of a server, with the engine over them. Repositories may share them.
package final class ServerPool<Connector: ServerConnector>: Sendable {
    package let pool: ConnectionPool<Connector>
    package let engine: SQLEngine<Connector>
    private let conflictRetries: Int
    private let failoverTimeout: Duration

    /// - Parameters:
    ///   - conflictRetries: how often work that met a conflict runs again.
    ///   - failoverTimeout: how long work that has changed nothing is tried again where no server can be reached.
    package init(
        _ connector: Connector, _ dialect: any SchemaDialect, _ options: ConnectionPoolOptions,
        observation: EngineObservation, conflictRetries: Int, failoverTimeout: Duration
    ) {
        self.conflictRetries = conflictRetries
        self.failoverTimeout = failoverTimeout
        pool = ConnectionPool(connector, options)
        engine = SQLEngine(
            dialect: dialect, pool: pool, observation: observation, serialRetries: conflictRetries,
            failoverTimeout: failoverTimeout)
    }
}

extension ServerPool: RecordServer {
    /// Runs work that can run again where it has changed nothing: after a conflict, a lost connection, and for a while where
    /// no server can be reached. Not where its outcome is unknown. A refused login has a code and will be refused again; a
    /// server that never answered is more likely named wrongly than amid a failover.
    /// - Throws: ``SQLConnectionError``.
    package func retrying<R: Sendable>(
        _ work: @escaping @Sendable (any SQLConnection) throws -> R
    ) async throws -> R {
        try await pool.retrying(
            for: failoverTimeout, conflicts: conflictRetries,
            mayConnectLater: { error in
                error.serverCode.map(Connector.passingRefusals.contains) ?? pool.connector.mayRecover
            }, work)
    }
}
