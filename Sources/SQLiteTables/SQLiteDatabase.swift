#if SQLite
import Foundation
import Synchronization
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
/// so all observers share this one.
private final class CommitCounter: Sendable {
    private struct State {
        var connection: SQLiteConnection?
        var isClosed = false
        /// How often another file has taken the place of the one before.
        var replacements: Int64 = 0
    }

    private static let question = SQLStatement("PRAGMA data_version", results: [.int64])

    private let connector: SQLiteConnector
    private let state = Mutex(State())

    init(_ connector: SQLiteConnector) { self.connector = connector }

    func value() throws -> Int64 {
        let known = try state.withLock { state -> Int64? in
            if let kept = state.connection, !connector.isHealthy(kept) {
                kept.close()
                state.connection = nil
                state.replacements += 1
            }
            return try state.connection.map { try version(by: $0, state) }
        }
        if let known { return known }
        // Without the lock: another program's lock of the file may hold it up, and nobody could close the counter.
        let made = try connector.connect()
        return try state.withLock { state in
            if state.connection == nil, !state.isClosed { state.connection = made }
            // Another observer may have been faster.
            return try version(by: state.connection ?? made, state)
        }
    }

    private func version(by connection: SQLiteConnection, _ state: State) throws -> Int64 {
        guard case .integer(let value)? = try connection.execute(Self.question).rows.first?.first else { return 0 }
        // Each connection counts for itself.
        return state.replacements << 32 | value
    }

    func close() {
        state.withLock { state in
            state.connection?.close()
            state = State(isClosed: true)
        }
    }
}
#endif
