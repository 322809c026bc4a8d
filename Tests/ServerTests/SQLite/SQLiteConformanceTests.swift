#if SQLite
import CRUDKit
import Foundation
import SQLiteTables
import SiltstoneTesting
import TableKit
import Testing

/// Runs `body` with a directory that is deleted afterwards.
private func withTemporaryDirectory(_ body: (URL) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    do { try await body(url) } catch {
        try FileManager.default.removeItem(at: url)
        throw error
    }
    try FileManager.default.removeItem(at: url)
}

/// Tables and repositories in SQLite keep what they promise everywhere.
@Suite struct SQLiteConformanceTests {
    /// What SQLite cannot keep, as Docs/Databases.md says: it stores whole reals as integers, which have no -0.0.
    private static let exceptions = ["-0.0 keeps its sign"]

    @Test(
        "tables in SQLite keep every promise of tables",
        arguments: TableConformance<SQLiteDatabaseConfiguration>.promises.filter { !exceptions.contains($0) })
    func tables(promise: String) async throws {
        try await withTemporaryDirectory { url in
            try await TableConformance {
                try SQLiteDatabaseConfiguration(url.appendingPathComponent("\(UUID().uuidString).sqlite").path)
            }.check(promise)
        }
    }

    private struct Note: Codable, Equatable {
        var id: Int
        var text: String
    }

    @Test("a pattern with a null character is refused, and a delete with one deletes nothing") func nullInPattern()
        async throws
    {
        try await withTemporaryDirectory { url in
            let db = Database(configuration: try SQLiteDatabaseConfiguration(url.appendingPathComponent("n").path))
            let notes = try db.create(Note.self)
            try notes.insert([Note(id: 1, text: "apple"), Note(id: 2, text: "a\0b")])
            let error = #expect(throws: CRUDSQLGenError.self) {
                try notes.where(\Note.text %=% "\0zzz").delete()
            }
            #expect(error?.code == .unsupported)
            #expect(try notes.count() == 2)
            #expect(try notes.where(\Note.text == "a\0b").count() == 1)
        }
    }

    @Test("SQLiteRepository conforms") func repository() async throws {
        try await withTemporaryDirectory { url in
            let path = url.appendingPathComponent("app.sqlite").path
            try await RepositoryConformance { try SQLiteRepository(path: path, tableName: $0) }.check()
        }
    }
}
#endif
