#if SQLite
public import CRUDKit
public import Foundation
import TableKit
import TableSQL

/// A repository in its own table of an SQLite file.
///
/// ```swift
/// let repository = try SQLiteRepository(path: "/data/app.sqlite", tableName: "Clients")
/// try await repository.create(id: "client", item: Client(name: "Chill Client"))
/// ```
///
/// Identifiers are stored as UTF-8 and ordered by these bytes. Batches are atomic.
public final class SQLiteRepository: RecordRepository {
    /// The name of the repository.
    public let tableName: String
    /// The format of the items.
    public let dataTransformer: any DataTransformer
    private let use: SQLiteUse
    private let table: String

    /// Opens a file; creates a missing one.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - tableName: any name. The table's name in the file is `repository_` and the name's UTF-8 in hexadecimal.
    ///   - dataTransformer: the format of the items.
    ///   - pragmas: the pragmas of each new connection, without the word PRAGMA. Repositories and
    ///     ``SQLiteDatabaseConfiguration``s of one path with the same pragmas share connections.
    /// - Throws: `CRUDRepositoryError.databaseError` if the file cannot be opened, or the name is that of a database
    ///   private to a connection, such as `:memory:`.
    public init(
        path: String, tableName: String = "", dataTransformer: any DataTransformer = JSONDataTransformer(),
        pragmas: [String] = ["foreign_keys = ON", "journal_mode = WAL"]
    ) throws {
        if SQLiteConnector.isPrivate(path) {
            throw CRUDRepositoryError.databaseError(reason: SQLiteConnector.privateMessage(path))
        }
        self.tableName = tableName
        self.dataTransformer = dataTransformer
        use = SQLiteRegistry.shared.use(SQLiteConnector(path: path, pragmas: pragmas, busyTimeout: 600))
        // In hexadecimal: SQLite's names ignore the case of letters and end at a null character.
        table = "\"\(Self.catalogueName(of: tableName))\""
        let text = "CREATE TABLE IF NOT EXISTS \(table) (id BLOB PRIMARY KEY, item BLOB NOT NULL) WITHOUT ROWID"
        do {
            try use.pool().withConnection { connection in
                _ = try connection.execute(SQLStatement(text, isRepeated: false))
            }
        } catch let error as SQLConnectionError { throw CRUDRepositoryError.databaseError(reason: "\(error)") }
    }

    /// The name of a repository's table in the catalogue.
    package static func catalogueName(of tableName: String) -> String { "repository_\(tableName.utf8.hexadecimal)" }

    /// Ends the use of the file by this repository: later operations throw `CRUDRepositoryError.databaseError`. The
    /// last use in the process closes the connections. Idempotent.
    public func close() { use.close() }

    /// Runs `body` on a connection. A cancelled task stops waiting for other writers.
    private func run<R: Sendable>(_ body: @escaping @Sendable (SQLiteConnection) throws -> R) async throws -> R {
        do {
            let pool = try use.pool()
            let connection = try await pool.acquire()
            return try await TaskCancellation.run(on: pool.threads) {
                defer { pool.release(connection) }
                return try TaskCancellation.runCurrent(connection) { try body(connection) }
            }
        } catch let error as SQLConnectionError { throw CRUDRepositoryError.databaseError(reason: "\(error)") }
    }

    private func execute(
        _ text: String, _ parameters: [[UInt8]], results: [ColumnType] = []
    ) async throws -> SQLResultSet {
        let statement = statement(text, parameters, results: results)
        return try await run { try $0.execute(statement) }
    }

    private func statement(_ text: String, _ parameters: [[UInt8]], results: [ColumnType] = []) -> SQLStatement {
        SQLStatement(
            text, parameters.map { .value(.bytes($0), .bytes) },
            results: results)
    }
}

extension SQLiteRepository {
    /// The bytes under an identifier.
    public func record(id: CRUDRepository.ItemIdentifier) async throws -> Data? {
        try await execute("SELECT item FROM \(table) WHERE id = ?1", [Array(id.utf8)], results: [.bytes]).rows.first
            .map { Data($0[0].byteArray) }
    }

    /// Stores bytes under a new identifier; returns false if it exists.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await execute(
            "INSERT INTO \(table) (id, item) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING",
            [Array(id.utf8), Array(record)]
        ).changedRows == 1
    }

    /// Replaces the bytes under an identifier; returns false if it does not exist.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await execute("UPDATE \(table) SET item = ?2 WHERE id = ?1", [Array(id.utf8), Array(record)]).changedRows
            == 1
    }

    /// Stores bytes under an identifier, new or not.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws {
        _ = try await execute(
            "INSERT INTO \(table) (id, item) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET item = excluded.item",
            [Array(id.utf8), Array(record)])
    }

    /// Removes an identifier and its bytes; returns false if it does not exist.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await execute("DELETE FROM \(table) WHERE id = ?1", [Array(id.utf8)]).changedRows == 1
    }

    /// Stores all records or none, in one transaction. Returns an identifier that already exists, or nil.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        let text = "INSERT INTO \(table) (id, item) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING"
        return try await all(records.map { ($0.id, statement(text, [Array($0.id.utf8), Array($0.record)])) })
    }

    /// Removes all records or none, in one transaction. Returns an identifier that does not exist, or nil.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        try await all(ids.map { ($0, statement("DELETE FROM \(table) WHERE id = ?1", [Array($0.utf8)])) })
    }

    /// Runs statements that change one row each, in one transaction.
    /// - Returns: the identifier of the first statement that changes no row; then all are rolled back.
    private func all(
        _ statements: [(id: CRUDRepository.ItemIdentifier, statement: SQLStatement)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        try await run { connection in
            _ = try connection.execute(SQLStatement("BEGIN IMMEDIATE"))
            do {
                for (id, statement) in statements where try connection.execute(statement).changedRows == 0 {
                    _ = try connection.execute(SQLStatement("ROLLBACK"))
                    return id
                }
                _ = try connection.execute(SQLStatement("COMMIT"))
                return nil
            } catch {
                // Closing the connection rolls back its transaction.
                connection.close()
                throw error
            }
        }
    }

    /// Whether the identifier exists. Does not read the item.
    public func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await !execute("SELECT 1 FROM \(table) WHERE id = ?1", [Array(id.utf8)], results: [.int64]).rows.isEmpty
    }

    /// The number of records.
    public func count() async throws -> Int {
        try await execute("SELECT count(*) FROM \(table)", [], results: [.int64]).rows.first?.first?.int ?? 0
    }

    /// A page of identifiers.
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [CRUDRepository.ItemIdentifier] {
        try await page("id", after: identifier, limit: limit, results: [.bytes]).map {
            String(decoding: $0[0].byteArray, as: UTF8.self)
        }
    }

    /// A page of identifiers and bytes.
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        try await page("id, item", after: identifier, limit: limit, results: [.bytes, .bytes]).map {
            (String(decoding: $0[0].byteArray, as: UTF8.self), Data($0[1].byteArray))
        }
    }

    private func page(
        _ columns: String, after identifier: CRUDRepository.ItemIdentifier?, limit: Int, results: [ColumnType]
    ) async throws -> [[ColumnValue]] {
        let start = identifier.map { [Array($0.utf8)] } ?? []
        let condition = start.isEmpty ? "" : " WHERE id > ?1"
        let text = "SELECT \(columns) FROM \(table)\(condition) ORDER BY id LIMIT \(max(limit, 0))"
        return try await execute(text, start, results: results).rows
    }
}

extension ColumnValue {
    fileprivate var byteArray: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}
#endif
