#if SQLite
public import CRUDKit
public import Foundation
import TableKit
import TableSQL

/// A repository in a SQLite file: each in a table of its own.
///
/// ```swift
/// let repository = try SQLiteRepository(path: "/data/app.sqlite", tableName: "Clients")
/// try await repository.create(id: "client", item: Client(name: "Chill Client"))
/// ```
///
/// Identifiers are kept as their UTF-8, and are in the order of these bytes. Batches are atomic.
public final class SQLiteRepository: RecordRepository {
    /// The table's name.
    public let tableName: String
    /// What turns items into bytes and back.
    public let dataTransformer: any DataTransformer
    private let use: SQLiteUse
    private let table: String

    /// Opens a file, or makes it.
    /// - Parameters:
    ///   - path: the file.
    ///   - tableName: any name; `repository_` stands before it in the file.
    ///   - dataTransformer: the format of the items.
    ///   - pragmas: what each connection is told at its beginning, without the word PRAGMA. Repositories and
    ///     ``SQLiteDatabaseConfiguration``s of one path with the same pragmas share connections.
    /// - Throws: `CRUDRepositoryError.databaseError` where the file cannot be opened.
    public init(
        path: String, tableName: String = "", dataTransformer: any DataTransformer = JSONDataTransformer(),
        pragmas: [String] = ["foreign_keys = ON", "journal_mode = WAL"]
    ) throws {
        self.tableName = tableName
        self.dataTransformer = dataTransformer
        use = SQLiteRegistry.shared.use(SQLiteConnector(path: path, pragmas: pragmas, busyTimeout: 600))
        // SQLite's names are the same in upper and lower case, and end at a null character: the bytes in hexadecimal do not.
        table = "\"\(Self.catalogueName(of: tableName))\""
        let text = "CREATE TABLE IF NOT EXISTS \(table) (id BLOB PRIMARY KEY, item BLOB NOT NULL) WITHOUT ROWID"
        do {
            try use.pool().withConnection { connection in
                _ = try connection.execute(SQLStatement(text, isRepeated: false))
            }
        } catch let error as SQLConnectionError { throw CRUDRepositoryError.databaseError(reason: "\(error)") }
    }

    /// The name that the catalogue has for the table of a repository.
    package static func catalogueName(of tableName: String) -> String { "repository_\(tableName.utf8.hexadecimal)" }

    /// Ends the use of the file by this repository: later operations throw `CRUDRepositoryError.databaseError`. With the last
    /// use in the process its connections close. Again: does nothing.
    public func close() { use.close() }

    private func run<R: Sendable>(_ body: @escaping @Sendable (SQLiteConnection) throws -> R) async throws -> R {
        do { return try await use.pool().withConnection(body) } catch let error as SQLConnectionError {
            throw CRUDRepositoryError.databaseError(reason: "\(error)")
        }
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

    /// Stores bytes under a new identifier.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await execute(
            "INSERT INTO \(table) (id, item) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING",
            [Array(id.utf8), Array(record)]
        ).changedRows == 1
    }

    /// Replaces the bytes under an identifier.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await execute("UPDATE \(table) SET item = ?2 WHERE id = ?1", [Array(id.utf8), Array(record)]).changedRows
            == 1
    }

    /// Stores bytes under an identifier.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws {
        _ = try await execute(
            "INSERT INTO \(table) (id, item) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET item = excluded.item",
            [Array(id.utf8), Array(record)])
    }

    /// Removes the bytes under an identifier.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await execute("DELETE FROM \(table) WHERE id = ?1", [Array(id.utf8)]).changedRows == 1
    }

    /// Stores all of several records, or none, in one transaction.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        let text = "INSERT INTO \(table) (id, item) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING"
        return try await all(records.map { ($0.id, statement(text, [Array($0.id.utf8), Array($0.record)])) })
    }

    /// Removes all of several records, or none, in one transaction.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        try await all(ids.map { ($0, statement("DELETE FROM \(table) WHERE id = ?1", [Array($0.utf8)])) })
    }

    /// Runs statements that change one row each, all or none.
    /// - Returns: the identifier of the first that changes none.
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
                // The connection takes an open transaction with it.
                connection.close()
                throw error
            }
        }
    }

    /// Whether the table has the identifier; the item is not read.
    public func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await !execute("SELECT 1 FROM \(table) WHERE id = ?1", [Array(id.utf8)], results: [.int64]).rows.isEmpty
    }

    /// How many records the table has.
    public func count() async throws -> Int {
        try await execute("SELECT count(*) FROM \(table)", [], results: [.int64]).rows.first?.first?.int ?? 0
    }

    /// One page of identifiers.
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [CRUDRepository.ItemIdentifier] {
        try await page("id", after: identifier, limit: limit, results: [.bytes]).map {
            String(decoding: $0[0].byteArray, as: UTF8.self)
        }
    }

    /// One page of identifiers and bytes.
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
