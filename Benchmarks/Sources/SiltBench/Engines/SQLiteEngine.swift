#if PEER_SQLITE
import CSQLite
import Synchronization

/// SQLite as a key-value store: one table, write-ahead log, prepared statements, a connection for each thread.
final class SQLiteEngine: Engine {
    /// Each connection has its share of the cache.
    static var isCutToThreads: Bool { true }

    static var version: String { "SQLite \(String(cString: sqlite3_libversion()))" }

    /// Assertions come with its compile option DEBUG.
    static var build: LibraryBuild {
        LibraryBuild(function: "sqlite3_open_v2", hasAssertions: sqlite3_compileoption_used("DEBUG") != 0)
    }

    private let path: String
    private let settings: EngineSettings
    /// Writers queue here: SQLite's own way to wait for another writer is to sleep and try again.
    private let writer = WriterLock()
    /// Keeps the database open between sessions: the last connection to close would checkpoint and remove the log.
    private let keeper: Mutex<SQLiteConnection?>

    init(directory: String, settings: EngineSettings) throws {
        path = directory + "/table.sqlite"
        self.settings = settings
        let connection = try SQLiteConnection(path, settings)
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS kv(k BLOB PRIMARY KEY NOT NULL, v BLOB NOT NULL)\
            \(Self.isClustered(settings) ? " WITHOUT ROWID" : "")
            """)
        keeper = Mutex(connection)
    }

    /// Whether the values lie beside the keys in one tree: what SQLite's manual advises for rows of up to a twentieth of
    /// a page (https://sqlite.org/withoutrowid.html).
    fileprivate static func isClustered(_ settings: EngineSettings) -> Bool { settings.valueBytes <= 200 }

    static func describe(_ settings: EngineSettings) -> String {
        """
        journal_mode=WAL synchronous=\(settings.isSynced ? "FULL" : "NORMAL") \
        cache_size=\(EngineSettings.cacheBytes >> 20)MiB in all \
        wal_autocheckpoint=\(settings.writeBufferBytes >> 20)MiB page_size=4KiB, \
        \(isClustered(settings) ? "WITHOUT ROWID" : "rowid table"), prepared statements, a connection for each thread, \
        writers under one mutex; has no filters
        """
    }

    func makeSession() throws -> Session { try Session(SQLiteConnection(path, settings), settings, writer) }

    func compact() throws {
        try keeper.withLock {
            try $0?.execute("VACUUM")
            try $0?.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// The last connection to go checkpoints the log and removes it.
    func close() { keeper.withLock { $0 = nil } }

    final class Session: EngineSession {
        private let connection: SQLiteConnection
        private let writer: WriterLock
        private let upsert, remove, lookup, begin, commit, rollback, forward, backward, seek: SQLiteStatement
        private let transaction: Transaction
        private let copy = ValueCopy()

        fileprivate init(_ connection: SQLiteConnection, _ settings: EngineSettings, _ writer: WriterLock) throws {
            self.connection = connection
            self.writer = writer
            // Beside a rowid table stands an index, which a replaced row would change twice.
            upsert = try connection.prepare(
                SQLiteEngine.isClustered(settings)
                    ? "REPLACE INTO kv(k, v) VALUES(?1, ?2)"
                    : "INSERT INTO kv(k, v) VALUES(?1, ?2) ON CONFLICT(k) DO UPDATE SET v = excluded.v")
            remove = try connection.prepare("DELETE FROM kv WHERE k = ?1")
            lookup = try connection.prepare("SELECT v FROM kv WHERE k = ?1")
            begin = try connection.prepare("BEGIN IMMEDIATE")
            commit = try connection.prepare("COMMIT")
            rollback = try connection.prepare("ROLLBACK")
            transaction = Transaction(
                lookup: lookup, update: try connection.prepare("UPDATE kv SET v = ?2 WHERE k = ?1"))
            forward = try connection.prepare("SELECT k, v FROM kv ORDER BY k")
            backward = try connection.prepare("SELECT k, v FROM kv ORDER BY k DESC")
            seek = try connection.prepare("SELECT k, v FROM kv WHERE k >= ?1 ORDER BY k")
        }

        @inline(__always)
        func put(_ key: Bytes, _ value: Bytes) throws {
            try writer.withLock { try upsert.run(key, value) }
        }

        @inline(__always)
        func delete(_ key: Bytes) throws { try writer.withLock { try remove.run(key) } }

        func putAll(_ count: Int, _ entry: (Int) -> (key: Bytes, value: Bytes)) throws {
            try writer.withLock {
                try begin.run()
                for i in 0..<count {
                    let (key, value) = entry(i)
                    try upsert.run(key, value)
                }
                try commit.run()
            }
        }

        @inline(__always)
        func get(_ key: Bytes, of index: Int, _ tally: inout Tally) throws {
            lookup.bind(1, key)
            defer { lookup.reset() }
            guard try lookup.step() else { return }
            tally.add(copy.take(lookup.column(0)), of: index)
        }

        @inline(__always)
        func scan<V: EntryVisitor>(from: Bytes?, reverse: Bool, limit: Int, _ visitor: inout V) throws {
            let statement = from != nil ? seek : reverse ? backward : forward
            if let from { statement.bind(1, from) }
            defer { statement.reset() }
            var left = limit
            while left > 0, try statement.step() {
                visitor.visit(statement.column(0), statement.column(1))
                left -= 1
            }
        }

        /// `BEGIN IMMEDIATE` makes it the one writer, and none meets a conflict.
        func transact<B: TransactionBody>(_ body: B) throws {
            try writer.withLock {
                try begin.run()
                do { try body.run(transaction) } catch {
                    try rollback.run()
                    throw error
                }
                try commit.run()
            }
        }
    }

    /// The statements of a transaction's body.
    private struct Transaction: EngineTransaction {
        let lookup, update: SQLiteStatement

        @inline(__always)
        func get(_ key: Bytes, into memory: UnsafeMutableRawBufferPointer) throws -> Int? {
            lookup.bind(1, key)
            defer { lookup.reset() }
            return try lookup.step() ? Self.copy(lookup.column(0), to: memory) : nil
        }

        @inline(__always)
        func update(_ key: Bytes, _ value: Bytes) throws { try update.run(key, value) }
    }
}

/// One writer at a time.
private final class WriterLock: Sendable {
    private let mutex = Mutex(())

    @inline(__always)
    func withLock(_ body: () throws -> Void) throws { try mutex.withLock { _ in try body() } }
}
#endif
