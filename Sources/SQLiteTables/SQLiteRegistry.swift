#if SQLite
import Synchronization
import TableKit
import TableSQL

/// The open databases of this process: one for each path and set of options.
final class SQLiteRegistry: Sendable {
    static let shared = SQLiteRegistry()

    private struct Key: Hashable {
        var path: String
        var pragmas: [String]
        var busyTimeout: Double

        init(_ connector: SQLiteConnector) {
            path = connector.path
            pragmas = connector.pragmas
            busyTimeout = connector.busyTimeout
        }
    }

    private struct Entry {
        var database: SQLiteDatabase
        var uses: Int
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// Starts a use of a file.
    func use(_ connector: SQLiteConnector) -> SQLiteUse {
        let key = Key(connector)
        let database = entries.withLock { entries -> SQLiteDatabase in
            var entry = entries[key] ?? Entry(database: SQLiteDatabase(connector), uses: 0)
            entry.uses += 1
            entries[key] = entry
            return entry.database
        }
        return SQLiteUse(database) { self.end(key) }
    }

    /// Ends a use.
    /// - Returns: the database if this was its last use.
    private func end(_ key: Key) -> SQLiteDatabase? {
        entries.withLock { entries in
            guard var entry = entries[key] else { return nil }
            entry.uses -= 1
            entries[key] = entry.uses > 0 ? entry : nil
            return entry.uses > 0 ? nil : entry.database
        }
    }
}

/// The use of a file by one configuration with its copies, or by one repository.
final class SQLiteUse: Sendable {
    private let database: SQLiteDatabase
    private let end: @Sendable () -> SQLiteDatabase?
    /// Ends observations with the use.
    let closing = ClosingSignal()
    private let isClosed = Atomic<Bool>(false)

    init(_ database: SQLiteDatabase, end: @escaping @Sendable () -> SQLiteDatabase?) {
        self.database = database
        self.end = end
    }

    // Does not close: sessions and streams may outlive the use. They retain the engine, which closes in deinit.
    deinit { if !isClosed.load(ordering: .relaxed) { _ = end() } }

    /// The engine. After ``close()``, one that refuses everything.
    var engine: any TableEngine { isClosed.load(ordering: .acquiring) ? ClosedEngine.shared : database.engine }

    /// The connection pool.
    /// - Throws: ``SQLConnectionError`` after ``close()``.
    func pool() throws -> ConnectionPool<SQLiteConnector> {
        if isClosed.load(ordering: .acquiring) {
            throw SQLConnectionError(.noConnection, code: .unavailable, "The database was closed")
        }
        return database.pool
    }

    /// Ends the use; the last one closes the database.
    func close() {
        if isClosed.exchange(true, ordering: .acquiringAndReleasing) { return }
        closing.send()
        end()?.close()
    }

    /// As the synchronous form, on a thread that may block: the last connection writes the log back to the file.
    func close() async throws { try await database.pool.threads.run { self.close() } }
}
#endif
