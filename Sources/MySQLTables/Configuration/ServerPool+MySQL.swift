#if MySQL
import TableSQL

extension ServerPool<MySQLConnector> {
    convenience init(_ login: MySQLLogin, options: MySQLOptions) {
        self.init(
            MySQLConnector(login, options: options),
            MySQLDialect(isSerializable: options.isolation == .serializable), options.pool,
            observation: .polled(every: options.pollingInterval), conflictRetries: options.conflictRetries,
            failoverTimeout: options.failoverTimeout)
    }
}

extension MySQLConnector: ServerConnector {
    /// The database, the user or its method of authentication, the client's host.
    package static var lastingRefusals: Set<String> { ["1044", "1045", "1049", "1129", "1130", "1251", "1698"] }
    /// The limits of the server, of each user, of this user.
    package static var fullServerRefusals: Set<String> { ["1040", "1203", "1226"] }
    /// Also a server that stops, and a node without its cluster.
    package static var passingRefusals: Set<String> { fullServerRefusals.union(["1053", "1047"]) }
}
#endif
