#if SQLite
import PlainCSQLite3

/// SQLite's C interface, with statements that are prepared once.
final class PlainSQLite: Client {
    private var raw: OpaquePointer?
    private var select: OpaquePointer?
    private var insertion: OpaquePointer?
    /// Has the library copy what is bound.
    private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(path: String) throws {
        guard sqlite3_open(path, &raw) == SQLITE_OK else { throw failure }
        try run("PRAGMA journal_mode = WAL")
        try prepare("SELECT id, name, size, note FROM Item WHERE id = ?1 LIMIT 1", &select)
        try prepare("INSERT INTO Item (id, name, size, note) VALUES (?1, ?2, ?3, ?4)", &insertion)
    }

    private var failure: BenchmarkFailure { BenchmarkFailure("SQLite: \(String(cString: sqlite3_errmsg(raw)))") }

    private func run(_ text: String) throws {
        guard sqlite3_exec(raw, text, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    private func prepare(_ text: String, _ statement: inout OpaquePointer?) throws {
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(raw, text, -1, flags, &statement, nil) == SQLITE_OK else { throw failure }
    }

    func find(_ id: Int) throws -> Item? {
        defer { sqlite3_reset(select) }
        sqlite3_bind_int64(select, 1, Int64(id))
        guard sqlite3_step(select) == SQLITE_ROW else { return nil }
        return Item(
            id: Int(sqlite3_column_int64(select, 0)), name: text(1), size: sqlite3_column_double(select, 2),
            note: sqlite3_column_type(select, 3) == SQLITE_NULL ? nil : text(3))
    }

    private func text(_ column: Int32) -> String {
        let start = sqlite3_column_text(select, column)
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(select, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    func insert(_ items: [Item]) throws {
        try run("BEGIN IMMEDIATE")
        for item in items {
            sqlite3_bind_int64(insertion, 1, Int64(item.id))
            sqlite3_bind_text(insertion, 2, item.name, Int32(item.name.utf8.count), copied)
            sqlite3_bind_double(insertion, 3, item.size)
            if let note = item.note {
                sqlite3_bind_text(insertion, 4, note, Int32(note.utf8.count), copied)
            } else {
                sqlite3_bind_null(insertion, 4)
            }
            guard sqlite3_step(insertion) == SQLITE_DONE else { throw failure }
            sqlite3_reset(insertion)
        }
        try run("COMMIT")
    }

    func removeAll() throws { try run("DELETE FROM Item") }

    func close() {
        sqlite3_finalize(select)
        sqlite3_finalize(insertion)
        sqlite3_close(raw)
    }
}
#endif
