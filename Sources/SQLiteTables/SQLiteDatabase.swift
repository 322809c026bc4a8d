#if SQLite
import Foundation
import Synchronization
import TableKit
import TableSQL

/// The connections to one file with the same options, and the engine over them.
final class SQLiteDatabase: Sendable {
    /// How often observation asks whether another connection has committed. It costs a look into the file's shared memory.
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

/// A connection that tells by `PRAGMA data_version` whether others have committed. Its numbers mean something to the
/// connection alone that gave them, so there is one for all observers.
private final class CommitCounter: Sendable {
    private struct State {
        var connection: SQLiteConnection?
        var isClosed = false
    }

    private static let question = SQLStatement("PRAGMA data_version", results: [.int64])

    private let connector: SQLiteConnector
    private let state = Mutex(State())

    init(_ connector: SQLiteConnector) { self.connector = connector }

    func value() throws -> Int64 {
        try state.withLock { state in
            let connection = try state.connection ?? connector.connect()
            if !state.isClosed { state.connection = connection }
            let rows = try connection.execute(Self.question).rows
            guard case .integer(let value)? = rows.first?.first else { return 0 }
            return value
        }
    }

    func close() {
        state.withLock { state in
            state.connection?.close()
            state = State(connection: nil, isClosed: true)
        }
    }
}
#endif
