#if PEER_SQLITE
import CRUDKit
import CSQLite
import Foundation
import Synchronization

/// A repository in an SQLite database, as one would write it with care: one table of identifiers and data, write-ahead
/// log, statements that are prepared once, one statement for an operation.
///
/// `@unchecked Sendable`: connection and statements are used under the lock alone.
final class SQLiteRepository: RecordRepository, @unchecked Sendable {
    let dataTransformer: any DataTransformer
    private let connection: SQLiteConnection
    private let lookup, insert, replace, upsert, remove, page: SQLiteStatement
    private let lock = Mutex(())

    /// Opens the database, or makes it.
    /// - Parameters:
    ///   - isSynced: whether a write waits for the disk.
    ///   - tableName: a plain word.
    init(path: String, tableName: String, isSynced: Bool, dataTransformer: any DataTransformer) throws {
        self.dataTransformer = dataTransformer
        var settings = EngineSettings()
        settings.isSynced = isSynced
        connection = try SQLiteConnection(path, settings)
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS \(tableName)(id TEXT PRIMARY KEY NOT NULL, data BLOB NOT NULL)")
        lookup = try connection.prepare("SELECT data FROM \(tableName) WHERE id = ?1")
        insert = try connection.prepare("INSERT OR IGNORE INTO \(tableName)(id, data) VALUES(?1, ?2)")
        replace = try connection.prepare("UPDATE \(tableName) SET data = ?2 WHERE id = ?1")
        upsert = try connection.prepare(
            """
            INSERT INTO \(tableName)(id, data) VALUES(?1, ?2) ON CONFLICT(id) DO UPDATE SET data = excluded.data
            """)
        remove = try connection.prepare("DELETE FROM \(tableName) WHERE id = ?1")
        page = try connection.prepare("SELECT id, data FROM \(tableName) WHERE id > ?1 ORDER BY id LIMIT ?2")
    }

    func record(id: String) throws -> Data? {
        try lock.withLock { _ in
            try with(id) { id in
                lookup.bindText(1, id)
                defer { lookup.reset() }
                return try lookup.step() ? Data(lookup.column(0)) : nil
            }
        }
    }

    func insertRecord(_ record: Data, id: String) throws -> Bool { try change(insert, id, record) }

    func replaceRecord(_ record: Data, id: String) throws -> Bool { try change(replace, id, record) }

    func putRecord(_ record: Data, id: String) throws { _ = try change(upsert, id, record) }

    func removeRecord(id: String) throws -> Bool { try change(remove, id, nil) }

    func insertRecords(_ records: [(id: String, record: Data)]) throws -> String? {
        try transaction(records) { try insertRecord($0.record, id: $0.id) ? nil : $0.id }
    }

    func removeRecords(ids: [String]) throws -> String? {
        try transaction(ids) { try removeRecord(id: $0) ? nil : $0 }
    }

    func records(after identifier: String?, limit: Int) throws -> [(id: String, record: Data)] {
        try lock.withLock { _ in
            try with(identifier ?? "") { id in
                page.bindText(1, id)
                page.bind(2, limit)
                defer { page.reset() }
                var records: [(id: String, record: Data)] = []
                while try page.step() {
                    records.append((String(decoding: page.column(0), as: UTF8.self), Data(page.column(1))))
                }
                return records
            }
        }
    }

    func ids(after identifier: String?, limit: Int) throws -> [String] {
        try records(after: identifier, limit: limit).map(\.id)
    }

    /// Runs a statement on one row.
    /// - Returns: whether there was a row to change.
    private func change(_ statement: SQLiteStatement, _ id: String, _ record: Data?) throws -> Bool {
        try lock.withLock { _ in
            try with(id) { id in
                statement.bindText(1, id)
                guard let record else {
                    try statement.run()
                    return connection.changes > 0
                }
                return try record.withUnsafeBytes { bytes in
                    statement.bind(2, bytes)
                    try statement.run()
                    return connection.changes > 0
                }
            }
        }
    }

    /// Does something for each element, all or none.
    private func transaction<E>(_ elements: [E], _ body: (E) throws -> String?) throws -> String? {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            for element in elements {
                guard let refused = try body(element) else { continue }
                try connection.execute("ROLLBACK")
                return refused
            }
            try connection.execute("COMMIT")
            return nil
        } catch {
            try connection.execute("ROLLBACK")
            throw error
        }
    }

    private func with<R>(_ id: String, _ body: (Bytes) throws -> R) rethrows -> R {
        var id = id
        return try id.withUTF8 { try body(Bytes($0)) }
    }
}
#endif
