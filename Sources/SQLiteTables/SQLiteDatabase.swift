#if SQLite
import Foundation
import TableKit
import TableSQL

/// The connection pool and the engine of one file with one set of options.
final class SQLiteDatabase: Sendable {
    /// The interval at which observation checks for commits of other connections: a read of shared memory.
    private static let pollingInterval: Duration = .milliseconds(200)

    let pool: ConnectionPool<SQLiteConnector>
    let engine: SQLEngine<SQLiteConnector>
    private let counter: CommitCounter

    init(_ connector: SQLiteConnector) {
        let counter = CommitCounter(connector)
        self.counter = counter
        pool = ConnectionPool(connector)
        engine = SQLEngine(
            dialect: SQLiteDialect(), pool: pool,
            observation: .polled(every: Self.pollingInterval) { try counter.value() })
    }

    func close() {
        engine.close()
        counter.close()
    }
}

/// A connection that detects commits of others by `PRAGMA data_version`. Versions compare only within one connection,
/// so all observers share this one. One at a time uses it, and the others wait.
///
/// `@unchecked Sendable`: `condition` guards the state.
private final class CommitCounter: @unchecked Sendable {
    private static let question = SQLStatement("PRAGMA data_version", results: [.int64])
    /// The longest sleep of an observer that waits for its turn. It bounds the delay of a cancellation.
    private static let slice = 0.05  // s

    private let connector: SQLiteConnector
    private let condition = NSCondition()
    private var connection: SQLiteConnection?
    /// Whether an observer uses the connection, or makes one.
    private var isInUse = false
    private var isClosed = false
    /// How often another file has taken the place of the one before. The observer whose turn it is changes it.
    private var replacements: Int64 = 0

    init(_ connector: SQLiteConnector) { self.connector = connector }

    /// The version. Reads the file, so it waits for another program's lock, up to the busy time-out.
    func value() throws -> Int64 {
        var kept = try takeTurn()
        defer { endTurn() }
        do {
            if let known = kept, !connector.isHealthy(known) {
                keep(nil)
                known.close()
                kept = nil
                replacements += 1
            }
            let connection = try kept ?? connector.connect()
            keep(connection)
            return try TaskCancellation.runCurrent(connection) { try version(by: connection) }
        } catch {
            // The close has ended the wait for a lock.
            throw condition.withLock { isClosed } ? closed : error
        }
    }

    private func version(by connection: SQLiteConnection) throws -> Int64 {
        guard case .integer(let value)? = try connection.execute(Self.question).rows.first?.first else { return 0 }
        // Each connection counts for itself.
        return replacements << 32 | value
    }

    /// Waits until no other observer uses the connection.
    /// - Returns: the connection, for the caller alone until ``endTurn()``; nil if there is none.
    private func takeTurn() throws -> SQLiteConnection? {
        condition.lock()
        defer { condition.unlock() }
        while isInUse, !isClosed {
            if TaskCancellation.current?.isCancelled == true { throw CancellationError() }
            _ = condition.wait(until: Date(timeIntervalSinceNow: Self.slice))
        }
        if isClosed { throw closed }
        isInUse = true
        return connection
    }

    /// Keeps a connection for this turn and the next ones. ``close()`` ends its waits.
    private func keep(_ connection: SQLiteConnection?) {
        condition.withLock {
            self.connection = connection
            if isClosed { connection?.cancel() }
        }
    }

    private func endTurn() {
        let isLast = condition.withLock {
            isInUse = false
            condition.signal()
            return isClosed
        }
        if isLast { closeConnection() }
    }

    /// Closes the connection: at once, or at the end of the turn, whose wait for a lock ends.
    func close() {
        let isResting = condition.withLock {
            isClosed = true
            condition.broadcast()
            if isInUse { connection?.cancel() }
            return !isInUse
        }
        if isResting { closeConnection() }
    }

    private func closeConnection() {
        let last = condition.withLock {
            defer { connection = nil }
            return connection
        }
        last?.close()
    }

    private var closed: SQLConnectionError {
        SQLConnectionError(.noConnection, code: .unavailable, "The database is closed: \(connector.place)")
    }
}
#endif
