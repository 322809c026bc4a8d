#if PEER_SQLITE
import CSQLite

/// A prepared statement.
final class SQLiteStatement {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Lends `bytes` to the statement until it is run or reset.
    @inline(__always)
    func bind(_ position: CInt, _ bytes: Bytes) {
        // No destructor: SQLITE_STATIC.
        sqlite3_bind_blob(handle, position, bytes.baseAddress, CInt(bytes.count), nil)
    }

    /// Lends UTF-8 to the statement until it is run or reset. An empty one is a text too, not NULL.
    func bindText(_ position: CInt, _ bytes: Bytes) {
        let nothing: StaticString = ""
        let text = bytes.isEmpty ? Bytes(start: nothing.utf8Start, count: 0) : bytes
        sqlite3_bind_text(handle, position, text.characters, CInt(text.count), nil)
    }

    /// Binds a number.
    func bind(_ position: CInt, _ number: Int) { sqlite3_bind_int64(handle, position, Int64(number)) }

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
