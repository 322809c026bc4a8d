import TableKit

extension SQLEngine {
    package func migrating<R>(_ body: () throws -> R) throws -> R {
        guard let lock = core.dialect.migrationLock else { return try body() }
        // Not one of the pool, of which `body` needs one while this one holds the lock. The lock ends with it.
        let connection: Connector.Connection
        do { connection = try pool.connector.connect() } catch let error as SQLConnectionError {
            throw tableError(error)
        }
        defer { connection.close() }
        do {
            while try connection.execute(lock).rows.first?.first != .integer(1) { try core.checkOpen() }
        } catch let error as SQLConnectionError { throw tableError(error) }
        return try body()
    }
}
