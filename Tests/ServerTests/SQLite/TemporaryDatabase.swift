#if SQLite
import Foundation
import TableKit
import TableSQL

@testable import SQLiteTables

/// Runs `body` with a database in a new SQLite file, which is then removed.
/// - Parameters:
///   - pragmas: those of the configuration; nil for its own.
///   - statements: what another program has run in the file before.
func withTemporaryDatabase(
    pragmas: [String]? = nil, after statements: [String] = [],
    _ body: (Database<SQLiteDatabaseConfiguration>) throws -> Void
) throws {
    let path = FileManager.default.temporaryDirectory.path + "/tables-\(UUID().uuidString.prefix(8)).sqlite"
    defer { try? FileManager.default.removeItem(atPath: path) }
    if !statements.isEmpty {
        let other = try SQLiteConnection(path: path, pragmas: [], busyTimeout: 1)
        defer { other.close() }
        for text in statements { _ = try other.execute(SQLStatement(text)) }
    }
    let configuration =
        try pragmas.map { try SQLiteDatabaseConfiguration(path, pragmas: $0) } ?? SQLiteDatabaseConfiguration(path)
    defer { try? configuration.close() }
    try body(Database(configuration: configuration))
}
#endif
