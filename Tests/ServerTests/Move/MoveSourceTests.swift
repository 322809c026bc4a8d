#if SQLite
import Foundation
import TableKit
import TableSQL
import Testing

@testable import SQLiteTables
@testable import SiltTool

/// Files of SQLite as sources.
@Suite struct MoveSourceTests {
    @Test("a file of another program arrives with its unique constraint, and keeps all of its bytes")
    func unchanged() async throws {
        try await onThread {
            let sample = try MovedSample()
            let path = sample.directory + "/other.sqlite"
            let other = try SQLiteConnection(path: path, pragmas: [], busyTimeout: 1)
            for text in [
                "CREATE TABLE City (id INTEGER PRIMARY KEY, name TEXT UNIQUE)",
                "INSERT INTO City VALUES (1, 'Rome'), (2, 'Oslo')",
            ] { _ = try other.execute(SQLStatement(text)) }
            other.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            for there in [sample.directory + "/city.silt", "sqlite:\(sample.directory)/city.sqlite"] {
                let report = try move("sqlite:" + path, there)
                #expect(report.rows == 2 && report.tables.first?.indexes == 1)
                let found = try withEngine(there) { engine in
                    try engine.reading { try $0.table(named: "City")?.indexes.map(\.definition) }
                }
                #expect(found?.map(\.columns) == [["name"]] && found?.first?.isUnique == true)
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        }
    }
}
#endif
