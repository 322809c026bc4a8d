#if SQLite
import Foundation
import TableKit
import TableSQL
import Testing

@testable import SQLiteTables

/// Tables of other programs, which keep dates and UUIDs as they like.
@Suite("SQLite: tables that other programs have made") struct SQLiteForeignTableTests {
    private struct Visit: Codable {
        var id: Int
        var day: Date
        var at: Date?
        var key: UUID
    }

    private static let definition = "CREATE TABLE Visit (id INTEGER PRIMARY KEY, day TEXT, at DATETIME, key BLOB)"
    private static let row =
        "INSERT INTO Visit VALUES (1, '2026-01-02T03:04:05Z', '2026-01-02 03:04:05.000',"
        + " x'00112233445566778899AABBCCDDEEFF')"

    private func withTable(_ body: (Table<Visit, Database<SQLiteDatabaseConfiguration>>) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/foreign-\(UUID().uuidString.prefix(8)).sqlite"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let other = try SQLiteConnection(path: path, pragmas: [], busyTimeout: 1)
        for text in [Self.definition, Self.row] { _ = try other.execute(SQLStatement(text)) }
        other.close()
        let configuration = try SQLiteDatabaseConfiguration(path)
        defer { try? configuration.close() }
        try body(Database(configuration: configuration).table(Visit.self))
    }

    @Test("dates and UUIDs in columns of other types are read") func reads() throws {
        try withTable { table in
            let visit = try #require(try table.find(1))
            #expect(visit.day == Date(timeIntervalSince1970: 1_767_323_045))
            #expect(visit.at == visit.day)
            #expect(visit.key.uuidString == "00112233-4455-6677-8899-AABBCCDDEEFF")
        }
    }

    @Test("conditions and changes that the columns' types would spoil are refused by name") func refusals() throws {
        try withTable { table in
            let (date, key) = (Date(), UUID())
            let conditions: [(String, Condition)] = [
                ("day", \Visit.day < date), ("at", \Visit.at == date), ("key", \Visit.key == key),
                ("day", \Visit.day ~ [date]), ("key", \Visit.key !~ [key]), ("at", \Visit.day == \Visit.at!),
            ]
            for (column, condition) in conditions {
                let error = #expect(throws: CRUDSQLExeError.self) { try table.where(condition).count() }
                #expect(error?.code == .unsupported, "\(column): \(String(describing: error))")
            }
            #expect(throws: (any Error).self) {
                try table.insert(Visit(id: 2, day: date, at: date, key: key))
            }
            let late = Visit(id: 1, day: date, at: date, key: key)
            #expect(throws: (any Error).self) { try table.where(\Visit.id == 1).update(late, setKeys: \.at) }
            let kept = try table.where(\Visit.at != nil && \Visit.id == 1).count()
            #expect(kept == 1)
        }
    }
}
#endif
