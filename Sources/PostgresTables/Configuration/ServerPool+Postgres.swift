#if PostgreSQL
import TableSQL

extension ServerPool<PostgresConnector> {
    /// - Throws: `CRUDSQLExeError` with code `argument` if the connection string cannot be parsed.
    convenience init(
        _ connectionString: String, overrides: [(String, String)] = [], options: PostgresOptions
    ) throws {
        let connector: PostgresConnector
        do {
            connector = try PostgresConnector(connectionString, overrides: overrides, options: options)
        } catch let error as SQLConnectionError { throw error.tableError }
        self.init(
            connector,
            PostgresDialect(isolation: options.isolation.rawValue, hasCollations: !options.isStrict), options.pool,
            observation: options.announcesCommits
                ? .announced(PostgresCommitFeed(connector)) : .polled(every: options.pollingInterval),
            conflictRetries: options.conflictRetries, failoverTimeout: options.failoverTimeout)
    }
}

extension PostgresConnector: ServerConnector {
    /// Authentication, an unknown database, a role without the right to connect.
    package static var lastingRefusals: Set<String> { ["28000", "28P01", "3D000", "42501"] }
    package static var fullServerRefusals: Set<String> { ["53300"] }
    /// A server that stops, has crashed, starts; too many connections.
    package static var passingRefusals: Set<String> { ["57P01", "57P02", "57P03", "53300"] }
    /// The class of connection exceptions. PgBouncer's 08P01 has most of its reasons, a wrong name among them.
    package static var unreachableRefusals: Set<String> {
        ["08000", "08001", "08003", "08004", "08006", "08007", "08P01"]
    }
}
#endif
