#if PEER_SQLITE
import CSQLite
import Synchronization

/// SQLite as a key-value store: one table, write-ahead log, prepared statements, a connection for each thread.
final class SQLiteEngine: Engine {
    static var version: String { "SQLite \(String(cString: sqlite3_libversion()))" }

    private let path: String
    private let settings: EngineSettings
    /// Writers queue here: SQLite's own way to wait for another writer is to sleep and try again.
    private let writer = WriterLock()
    /// Keeps the database open between sessions: the last connection to close would checkpoint and remove the log.
    private let keeper: Mutex<Connection?>

    init(directory: String, settings: EngineSettings) throws {
        path = directory + "/table.sqlite"
        self.settings = settings
        let connection = try Connection(path, settings)
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
        wal_autocheckpoint=\(EngineSettings.writeBufferBytes >> 20)MiB page_size=4KiB, \
        \(isClustered(settings) ? "WITHOUT ROWID" : "rowid table"), prepared statements, a connection for each thread, \
        writers under one mutex; has no filters
        """
    }

    func makeSession() throws -> Session { try Session(Connection(path, settings), settings, writer) }

    func compact() throws {
        try keeper.withLock {
            try $0?.execute("VACUUM")
            try $0?.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// The last connection to go checkpoints the log and removes it.
    func close() { keeper.withLock { $0 = nil } }

    final class Session: EngineSession {
        private let connection: Connection
        private let writer: WriterLock
        private let upsert, remove, lookup, begin, commit, forward, backward, seek: Statement
        private let copy = ValueCopy()

        fileprivate init(_ connection: Connection, _ settings: EngineSettings, _ writer: WriterLock) throws {
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
        func get(_ key: Bytes, _ body: (Bytes) -> Void) throws -> Bool {
            lookup.bind(1, key)
            defer { lookup.reset() }
            guard try lookup.step() else { return false }
            body(copy.take(lookup.column(0)))
            return true
        }

        @inline(__always)
        func scan(from: Bytes?, reverse: Bool, limit: Int, _ body: (Bytes, Bytes) -> Void) throws {
            let statement = from != nil ? seek : reverse ? backward : forward
            if let from { statement.bind(1, from) }
            defer { statement.reset() }
            var left = limit
            while left > 0, try statement.step() {
                body(statement.column(0), statement.column(1))
                left -= 1
            }
        }
    }
}

/// One writer at a time.
private final class WriterLock: Sendable {
    private let mutex = Mutex(())

    @inline(__always)
    func withLock(_ body: () throws -> Void) throws { try mutex.withLock { _ in try body() } }
}

/// A connection and what was prepared on it.
///
/// `@unchecked Sendable`: opened with `SQLITE_OPEN_NOMUTEX`, it is used by one thread at a time: a session's own, or the
/// one that opens, compacts and closes.
private final class Connection: @unchecked Sendable {
    private let handle: OpaquePointer

    init(_ path: String, _ settings: EngineSettings) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
            throw BenchmarkError("SQLite did not open \(path)")
        }
        handle = opened
        // Its own checkpoints, and connections that come and go, take locks of which the writers' mutex knows nothing.
        sqlite3_busy_timeout(opened, 60_000)
        for pragma in [
            "page_size=4096", "journal_mode=WAL", "synchronous=\(settings.isSynced ? "FULL" : "NORMAL")",
            "cache_size=-\(EngineSettings.cacheBytes / settings.threads / 1024)",
            "wal_autocheckpoint=\(EngineSettings.writeBufferBytes / 4096)",
        ] { try execute("PRAGMA \(pragma)") }
    }

    /// SQLite keeps a connection that still has statements until they are gone.
    deinit { sqlite3_close_v2(handle) }

    func execute(_ text: String) throws {
        guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else {
            throw BenchmarkError("SQLite: \(text): \(String(cString: sqlite3_errmsg(handle)))")
        }
    }

    func prepare(_ text: String) throws -> Statement {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
            let statement
        else { throw BenchmarkError("SQLite: \(text): \(String(cString: sqlite3_errmsg(handle)))") }
        return Statement(statement)
    }
}

/// A prepared statement.
private final class Statement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Lends `bytes` to the statement until it is run or reset.
    @inline(__always)
    func bind(_ position: CInt, _ bytes: Bytes) {
        // No destructor: SQLITE_STATIC.
        sqlite3_bind_blob(handle, position, bytes.baseAddress, CInt(bytes.count), nil)
    }

    /// - Returns: whether there is a row.
    @inline(__always)
    func step() throws -> Bool {
        let status = sqlite3_step(handle)
        if status == SQLITE_ROW { return true }
        if status == SQLITE_DONE { return false }
        throw BenchmarkError("SQLite: \(String(cString: sqlite3_errstr(status)))")
    }

    @inline(__always)
    func reset() { sqlite3_reset(handle) }

    @inline(__always)
    func column(_ number: CInt) -> Bytes {
        Bytes(start: sqlite3_column_blob(handle, number), count: Int(sqlite3_column_bytes(handle, number)))
    }

    /// Runs it to its end.
    @inline(__always)
    func run() throws {
        defer { reset() }
        while try step() {}
    }

    @inline(__always)
    func run(_ first: Bytes) throws {
        bind(1, first)
        try run()
    }

    @inline(__always)
    func run(_ first: Bytes, _ second: Bytes) throws {
        bind(2, second)
        try run(first)
    }
}
#endif
