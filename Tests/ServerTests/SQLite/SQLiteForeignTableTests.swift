#if SQLite
import Foundation
import SQLiteTables
import TableKit
import Testing

/// Tables of other programs, which keep dates and UUIDs as they like.
struct SQLiteForeignTableTests {
    private struct Visit: Codable {
        var id: Int
        var day: Date?
        var at: Date?
        var noted: Date?
        var key: UUID?
        var code: UUID?
    }

    private static let visits = [
        "CREATE TABLE Visit (id INTEGER PRIMARY KEY, day TEXT, at DATETIME, noted TIMESTAMP, key BLOB, code UUID)",
        "INSERT INTO Visit VALUES (1, '2026-01-02T03:04:05Z', '2026-01-02 03:04:05.000', '2026-01-02 03:04:05',"
            + " x'00112233445566778899AABBCCDDEEFF', '00112233-4455-6677-8899-aabbccddeeff')",
    ]

    @Test("dates and UUIDs of every form are read") func reads() throws {
        try withTemporaryDatabase(after: Self.visits) { db in
            let visit = try #require(try db.table(Visit.self).find(1))
            let date = Date(timeIntervalSince1970: 1_767_323_045)
            #expect(visit.day == date && visit.at == date && visit.noted == date, "\(visit)")
            #expect(visit.key?.uuidString == "00112233-4455-6677-8899-AABBCCDDEEFF")
            #expect(visit.code == visit.key)
        }
    }

    @Test("conditions on other forms are refused by name") func conditions() throws {
        try withTemporaryDatabase(after: Self.visits) { db in
            let table = db.table(Visit.self)
            let (date, key) = (Date(), UUID())
            let conditions: [(String, Condition)] = [
                ("day", \Visit.day < date), ("at", \Visit.at == date), ("noted", \Visit.noted > date),
                ("key", \Visit.key == key), ("code", \Visit.code == key), ("day", \Visit.day ~ [date]),
                ("key", \Visit.key !~ [key]), ("day", \Visit.day < \Visit.at!),
            ]
            for (column, condition) in conditions {
                let error = #expect(throws: CRUDSQLExeError.self) { try table.where(condition).count() }
                #expect(error?.code == .unsupported && error?.column == column, "\(String(describing: error))")
            }
            let kept = try table.where(\Visit.at != nil && \Visit.id == 1).count()
            #expect(kept == 1)
        }
    }

    @Test("changes that would mix two forms in a column are refused by name") func changes() throws {
        try withTemporaryDatabase(after: Self.visits) { db in
            let table = db.table(Visit.self)
            let visit = Visit(id: 1, at: Date(), noted: Date(), code: UUID())
            let keys: [(String, PartialKeyPath<Visit>)] = [
                ("at", \Visit.at), ("noted", \Visit.noted), ("code", \Visit.code),
            ]
            for (column, key) in keys {
                let update = #expect(throws: CRUDSQLExeError.self) {
                    try table.where(\Visit.id == 1).update(visit, setKeys: key)
                }
                #expect(update?.code == .unsupported && update?.column == column, "\(String(describing: update))")
                let insert = #expect(throws: CRUDSQLExeError.self) { try table.insert(visit, setKeys: key) }
                #expect(insert?.code == .unsupported && insert?.column == column, "\(String(describing: insert))")
            }
            let count = try table.count()
            #expect(count == 1)
        }
    }

    private struct Link: Codable, Equatable {
        var id: Int
        var url: String?
        var code: String
    }

    @Test("text that a column would make another number is refused; other text is kept") func numbers() throws {
        let made = ["CREATE TABLE Link (id INTEGER PRIMARY KEY, url URL, code STRING)"]
        try withTemporaryDatabase(after: made) { db in
            let table = db.table(Link.self)
            let kept = [
                "https://a.b/1", "", "-", "7", "-12", "1.2.3", "e5", "0x10", " ", "infinity", "1 2", "2026-01-02",
            ]
            for (number, text) in kept.enumerated() {
                try table.insert(Link(id: number, url: text, code: text))
                let found = try table.find(number)
                #expect(found == Link(id: number, url: text, code: text))
            }
            for text in ["007", "+5", "1.0", "1e3", ".5", "5.", " 5", "5\n", "9223372036854775808", "-0", "00"] {
                let insert = #expect(throws: CRUDSQLExeError.self, "\(text)") {
                    try table.insert(Link(id: 100, url: "a", code: text))
                }
                #expect(insert?.code == .unsupported && insert?.column == "code", "\(String(describing: insert))")
                let update = #expect(throws: CRUDSQLExeError.self, "\(text)") {
                    try table.where(\Link.id == 1).update(Link(id: 1, url: text, code: "a"), setKeys: \.url)
                }
                #expect(update?.code == .unsupported && update?.column == "url", "\(String(describing: update))")
            }
            let count = try table.count()
            #expect(count == kept.count)
        }
    }

    private struct Owner: Codable {
        var id: UUID
        var pets: [Pet]?
    }

    private struct Pet: Codable {
        var id: Int
        var ownerId: UUID
    }

    @Test("tables are joined by UUIDs that are kept as text") func joins() throws {
        let id = "'00112233-4455-6677-8899-aabbccddeeff'"
        let statements = [
            "CREATE TABLE Owner (id TEXT PRIMARY KEY)", "CREATE TABLE Pet (id INTEGER PRIMARY KEY, ownerId TEXT)",
            "INSERT INTO Owner VALUES (\(id))", "INSERT INTO Pet VALUES (1, \(id))",
        ]
        try withTemporaryDatabase(after: statements) { db in
            let owners = try db.table(Owner.self).join(\.pets, on: \.id, equals: \.ownerId).select().map { $0 }
            #expect(owners.map { $0.pets?.count } == [1])
        }
    }

    private struct Stamp: Codable {
        var id: Int
        var at: Date
    }

    @Test("a column counts by its values: one declared DATETIME in which this library keeps dates has their order")
    func ownForms() throws {
        let statements = [
            "CREATE TABLE Stamp (id INTEGER PRIMARY KEY, at DATETIME)", "INSERT INTO Stamp VALUES (0, 5.0)",
        ]
        try withTemporaryDatabase(after: statements) { db in
            let table = db.table(Stamp.self)
            let dates = [5, 6, 7].map { Date(timeIntervalSinceReferenceDate: $0) }
            for (number, date) in dates.enumerated() { try table.upsert(Stamp(id: number, at: date)) }
            let late = try table.where(\Stamp.at > dates[0]).count()
            #expect(late == 2)
        }
    }

    @Test("values behind NULLs and beside an index count; a column without values counts by its declared type")
    func samples() throws {
        let nulls = (1...150).map { "(\($0), NULL)" }.joined(separator: ", ")
        let makers = [
            ["INSERT INTO Stamp VALUES \(nulls), (200, '2026-01-02 03:04:05')", "CREATE INDEX i ON Stamp (at)"], [],
        ]
        for statements in makers {
            try withTemporaryDatabase(after: ["CREATE TABLE Stamp (id INTEGER PRIMARY KEY, at DATETIME)"] + statements)
            { db in
                let table = db.table(Stamp.self)
                let error = #expect(throws: CRUDSQLExeError.self) { try table.where(\Stamp.at < Date()).count() }
                #expect(error?.code == .unsupported)
                #expect(throws: CRUDSQLExeError.self) { try table.insert(Stamp(id: 300, at: Date())) }
            }
        }
    }

    @Test("joins by columns of different forms are refused, and do not find nothing") func mixedJoins() throws {
        let id = "'00112233-4455-6677-8899-aabbccddeeff'"
        for (owner, pet, value) in [
            ("TEXT", "BLOB", "x'00112233445566778899AABBCCDDEEFF'"), ("UUID", "UUID", id), ("TEXT", "UUID", id),
        ] {
            let statements = [
                "CREATE TABLE Owner (id \(owner) PRIMARY KEY)",
                "CREATE TABLE Pet (id INTEGER PRIMARY KEY, ownerId \(pet))",
                "INSERT INTO Owner VALUES (\(id))", "INSERT INTO Pet VALUES (1, \(value))",
            ]
            try withTemporaryDatabase(after: statements) { db in
                let error = #expect(throws: CRUDSQLExeError.self) {
                    var owners = try db.table(Owner.self).join(\.pets, on: \.id, equals: \.ownerId).select()
                        .makeIterator()
                    _ = try owners.nextElement()
                }
                #expect(error?.code == .unsupported, "\(owner), \(pet)")
            }
        }
    }
}
#endif
