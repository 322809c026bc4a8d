#if SQLite
import SQLiteTables
import TableKit
import Testing

/// The ends of SQLite's row numbers.
struct SQLiteKeyTests {
    private struct Numbered: Codable {
        var id: Int
        var text = ""
    }

    /// Without a column that cannot be NULL, an insert needs no statement journal.
    private struct Loose: Codable {
        var id: Int
        var text: String?
    }

    private struct Unsigned: Codable {
        var id: UInt64
    }

    @Test("an insert behind the largest key says that there are no more numbers") func exhausted() throws {
        try withTemporaryDatabase { db in
            let table = try db.create(Numbered.self)
            try table.insert([Numbered(id: 1), Numbered(id: .max - 1)])
            func isExhausted(_ error: CRUDSQLExeError?) -> Bool {
                error?.code == .argument && error?.description.contains("no more row numbers") == true
            }
            func draw(_ count: Int) throws {
                try table.insert(Array(repeating: Numbered(id: 0), count: count), ignoreKeys: \.id)
            }
            let several = #expect(throws: CRUDSQLExeError.self) { try draw(2) }
            #expect(isExhausted(several), "\(String(describing: several))")
            #expect(try table.count() == 2)
            try draw(1)
            let one = #expect(throws: CRUDSQLExeError.self) { try draw(1) }
            #expect(isExhausted(one), "\(String(describing: one))")
            let error = #expect(throws: CRUDSQLExeError.self) {
                try db.transaction {
                    try table.where(\Numbered.id == 1).delete()
                    try draw(1)
                }
            }
            #expect(isExhausted(error), "\(String(describing: error))")
            #expect(try table.count() == 3)
            // The transaction goes on behind the refused row.
            func goingOn() throws {
                try table.where(\Numbered.id == 1).delete()
                #expect(throws: CRUDSQLExeError.self) { try draw(1) }
                try table.insert(Numbered(id: 3))
            }
            try db.transaction { try goingOn() }
            #expect(try table.count() == 3)
            #expect(try table.where(\Numbered.id == 1).count() == 0)
            #expect(try table.where(\Numbered.id == 3).count() == 1)
        }
    }

    @Test("that there are no more numbers is said, too, where SQLite takes the whole transaction back")
    func exhaustedTransaction() throws {
        try withTemporaryDatabase { db in
            let table = try db.create(Loose.self)
            try table.insert(Loose(id: .max))
            func draw() throws { try table.insert(Loose(id: 0), ignoreKeys: \.id) }
            func change() throws {
                try table.insert(Loose(id: 1))
                let error = #expect(throws: CRUDSQLExeError.self) { try draw() }
                #expect(error?.code == .argument, "\(String(describing: error))")
                #expect(error?.description.contains("no more row numbers") == true)
                #expect(throws: CRUDSQLExeError.self) { try table.insert(Loose(id: 2)) }
            }
            #expect(throws: CRUDSQLExeError.self) { try db.transaction { try change() } }
            #expect(try table.count() == 1)
        }
    }

    @Test("a key above the row numbers is refused with their end") func unsigned() throws {
        try withTemporaryDatabase { db in
            let table = try db.create(Unsigned.self)
            try table.insert(Unsigned(id: UInt64(Int64.max)))
            for change in [
                { try table.insert(Unsigned(id: .max)) },
                { try table.where(\Unsigned.id == UInt64(Int64.max)).update(Unsigned(id: .max)) },
            ] as [() throws -> Void] {
                let error = #expect(throws: CRUDSQLExeError.self) { try change() }
                #expect(error?.code == .type)
                #expect(
                    error?.description.contains("row numbers end at 9223372036854775807") == true,
                    "\(String(describing: error))")
            }
            #expect(try table.count() == 1)
        }
    }
}
#endif
