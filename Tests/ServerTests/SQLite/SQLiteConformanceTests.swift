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
struct SQLiteConformanceTests {
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
        var text: String?
    }

    @Test("Patterns match as in memory, with null characters in the text, in the pattern and in both") func patterns()
        async throws
    {
        try await withTemporaryDirectory { url in
            let db = Database(configuration: try SQLiteDatabaseConfiguration(url.appendingPathComponent("n").path))
            let notes = try db.create(Note.self)
            let pieces = ["", "a", "B", "\0", "%", "_", "\\", "é"]
            let texts = pieces.flatMap { one in pieces.flatMap { two in pieces.map { one + two + $0 } } }
            try notes.insert(texts.enumerated().map { Note(id: $0, text: $1) } + [Note(id: texts.count, text: nil)])
            let patterns = pieces.flatMap { one in pieces.map { one + $0 } }
            for text in patterns + ["A\0b", "%\0_", "_\0%"] {
                let conditions: [(Condition, LikePattern)] = [
                    (\Note.text %=% text, LikePattern(text, .anywhere)),
                    (\Note.text =% text, LikePattern(text, .atStart)),
                    (\Note.text %= text, LikePattern(text, .atEnd)),
                ]
                for (condition, pattern) in conditions {
                    let found = try notes.order(by: \.id).where(condition).all().map(\.id)
                    let expected = texts.indices.filter { pattern.evaluate(.text(texts[$0])) == true }
                    #expect(found == expected, "\(pattern)")
                }
                let found = try db.sql(
                    "SELECT * FROM Note WHERE text LIKE ? ORDER BY id", bindings: [("", .string(text))], Note.self)
                let pattern = LikePattern(text, .wildcards)
                let expected = texts.indices.filter { pattern.evaluate(.text(texts[$0])) == true }
                #expect(found.map(\.id) == expected, "\(pattern)")
            }
            try notes.where(\Note.text %=% "\0zzz").delete()
            #expect(try notes.count() == texts.count + 1)
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
