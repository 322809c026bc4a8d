#if PEER_SQLITE
import CSQLite

/// A connection and what was prepared on it.
///
/// `@unchecked Sendable`: opened with `SQLITE_OPEN_NOMUTEX`, it is used by one thread at a time: a session's own, or the
/// one that opens, compacts and closes.
final class SQLiteConnection: @unchecked Sendable {
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
            "wal_autocheckpoint=\(settings.writeBufferBytes / 4096)",
        ] { try execute("PRAGMA \(pragma)") }
    }

    /// SQLite keeps a connection that still has statements until they are gone.
    deinit { sqlite3_close_v2(handle) }

    /// Rows that the last statement changed.
    var changes: CInt { sqlite3_changes(handle) }

    /// Runs a text without parameters.
    func execute(_ text: String) throws {
        guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else {
            throw BenchmarkError("SQLite: \(text): \(String(cString: sqlite3_errmsg(handle)))")
        }
    }

    /// A statement to be run again and again.
    func prepare(_ text: String) throws -> SQLiteStatement {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
            let statement
        else { throw BenchmarkError("SQLite: \(text): \(String(cString: sqlite3_errmsg(handle)))") }
        return SQLiteStatement(statement)
    }
}
#endif
