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
    package static var passingRefusals: Set<String> { ["1040", "1203", "1226", "1047"] }
}
#endif
