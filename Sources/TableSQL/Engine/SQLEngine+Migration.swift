import Foundation
import TableKit

/// Migrations on databases whose schema changes commit at once.
extension SQLEngine {
    /// Holds the lock of migrations while `body` runs. Within a transaction `body` runs without it: to wait while the
    /// transaction has locks of its own could last for ever.
    package func migrating<R>(_ body: () throws -> R) throws -> R {
        guard let lock = core.dialect.migrationLock, TransactionScope.current(of: self) == nil else {
            return try body()
        }
        do {
            // Not one of the pool, of which `body` needs one. The lock ends with the connection.
            let connection = try pool.connector.connect()
            defer { connection.close() }
            // It rests while the steps run.
            _ = try connection.execute(SQLStatement("SET wait_timeout = 31536000", isRepeated: false))
            try take(lock, connection)
            return try body()
        } catch let error as SQLConnectionError { throw tableError(error) }
    }

    /// As the synchronous form, in a task. Acquires no connection beforehand: another task's migration, for which it may
    /// have to wait, needs one.
    package func migrating<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        if core.dialect.migrationLock == nil || TransactionScope.current(of: self) != nil {
            return try await perform(body)
        }
        return try await TaskCancellation.run(on: pool.threads) { try self.migrating(body) }
    }

    private func take(_ lock: SQLStatement, _ connection: Connector.Connection) throws {
        let task = TaskCancellation.current
        var report: Moment? = .now + .seconds(30)
        while true {
            try core.checkOpen()
            if task?.isCancelled == true { throw CancellationError() }
            switch try connection.execute(lock).rows.first?.first {
            case .integer(1): return
            case .integer(0):
                if let due = report, due < .now {
                    report = nil
                    tellHolder(connection)
                }
                Thread.sleep(forTimeInterval: 0.05)
            default:
                throw CRUDSQLExeError(
                    "The server gives no lock for a migration. Does the URL name a database?", code: .argument)
            }
        }
    }

    /// Logs who holds the lock. A server keeps the lock of a machine that is gone for hours. Never ends the wait: a
    /// proxy may refuse the question.
    private func tellHolder(_ connection: Connector.Connection) {
        guard let question = core.dialect.migrationLockHolder else { return }
        let answer: ColumnValue?
        do { answer = try connection.execute(question).rows.first?.first } catch {
            return CRUDLogging.log(.warning, "A migration waits for a lock. Its holder is not known: \(error)")
        }
        guard case .integer(let holder)? = answer else { return }
        CRUDLogging.log(
            .warning,
            "A migration waits for the lock that connection \(holder) of \(pool.connector.place) holds."
                + " If that connection's program is gone, KILL \(holder) frees the lock")
    }
}
