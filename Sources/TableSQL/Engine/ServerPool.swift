/// Makes connections to a server that may recover after a failure.
package protocol ServerConnector: SQLConnector {
    /// Whether an unreachable server may recover or be replaced by another.
    var mayRecover: Bool { get }
    /// Server codes of temporary refusals: too many connections, a server that starts, stops or has lost its peers.
    static var passingRefusals: Set<String> { get }
    /// Server codes with which a pooler, above all, says that it cannot reach the server. They may have other causes.
    static var unreachableRefusals: Set<String> { get }
}

extension ServerConnector {
    /// None.
    package static var unreachableRefusals: Set<String> { [] }

    /// Whether a failed login is worth another try: after a temporary refusal, or if an unreachable server may recover.
    package func mayConnectLater(_ error: SQLConnectionError) -> Bool {
        guard let code = error.serverCode, !Self.unreachableRefusals.contains(code) else { return mayRecover }
        return Self.passingRefusals.contains(code)
    }
}

/// The connection pool and the engine of one server configuration. Repositories may share them.
package final class ServerPool<Connector: ServerConnector>: Sendable {
    package let pool: ConnectionPool<Connector>
    package let engine: SQLEngine<Connector>
    private let conflictRetries: Int
    private let failoverTimeout: Duration

    /// - Parameters:
    ///   - conflictRetries: how often work runs again after a conflict.
    ///   - failoverTimeout: how long work that has changed nothing is repeated while no server can be reached.
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
    package func close() { engine.close() }

    /// Runs `work` and repeats it while it is known to have changed nothing: after a conflict, a lost connection, or a
    /// failed login. An unknown outcome is thrown at once. A login that fails with a server code is repeated only for
    /// temporary refusals; one at a server out of reach only if ``ServerConnector/mayRecover``, for otherwise the host is
    /// probably misspelt.
    /// - Throws: ``SQLConnectionError``.
    package func retrying<R: Sendable>(
        _ work: @escaping @Sendable (any SQLConnection) throws -> R
    ) async throws -> R {
        try await pool.retrying(
            for: failoverTimeout, conflicts: conflictRetries, mayConnectLater: pool.connector.mayConnectLater, work)
    }
}
