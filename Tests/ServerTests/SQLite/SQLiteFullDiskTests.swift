#if SQLite
import SQLiteTables
import TableKit
import Testing

/// A disk without room. `max_page_count` limits the file as a full disk would.
struct SQLiteFullDiskTests {
    private struct Entry: Codable, Equatable {
        var id: Int
        var text: String
    }

    private static let rows = [Entry(id: 1, text: "a"), Entry(id: 2, text: "b")]

    private static let large = String(repeating: "x", count: 1 << 20)

    private func withDatabase(_ body: (Database<SQLiteDatabaseConfiguration>) throws -> Void) throws {
        try withTemporaryDatabase(pragmas: ["journal_mode = DELETE", "max_page_count = 24"]) { db in
            try db.create(Entry.self).insert(Self.rows)
            try body(db)
        }
    }

    private func isFull(_ error: (any Error)?) -> Bool {
        (error as? CRUDSQLExeError)?.message.contains("the disk is full") == true
    }

    @Test("where the database has ended the transaction, later statements and the commit throw its error")
    func ended() throws {
        try withDatabase { db in
            let table = db.table(Entry.self)
            func goingOn() throws {
                try table.where(\Entry.id == 1).update(Entry(id: 1, text: "changed"), setKeys: \.text)
                // SQLite keeps no statement journal for the change of one row, so it can only take back everything.
                #expect(
                    isFull(
                        #expect(throws: (any Error).self) {
                            try table.where(\Entry.id == 2).update(Entry(id: 2, text: Self.large), setKeys: \.text)
                        }))
                #expect(isFull(#expect(throws: (any Error).self) { try table.insert(Entry(id: 4, text: "d")) }))
                #expect(isFull(#expect(throws: (any Error).self) { try table.count() }))
                let nested = #expect(throws: (any Error).self) {
                    try db.transaction { try table.insert(Entry(id: 5, text: "e")) }
                }
                #expect(isFull(nested))
            }
            #expect(isFull(#expect(throws: (any Error).self) { try db.transaction { try goingOn() } }))
            #expect(try table.order(by: \.id).select().map { $0 } == Self.rows)
            try db.transaction { try table.insert(Entry(id: 4, text: "d")) }
            #expect(try table.count() == 3)
        }
    }

    @Test("a query under way throws the error, and gives no rows from before the transaction") func cursor() throws {
        try withDatabase { db in
            let table = db.table(Entry.self)
            // More than one batch, and small.
            try table.insert((10..<1_500).map { Entry(id: $0, text: "") })
            func change() throws {
                try table.where(\Entry.id == 10).delete()
                var rows = try table.order(by: \.id).select().makeIterator()
                _ = try rows.nextElement()
                #expect(throws: (any Error).self) {
                    try table.where(\Entry.id == 2).update(Entry(id: 2, text: Self.large), setKeys: \.text)
                }
                #expect(isFull(#expect(throws: (any Error).self) { while try rows.nextElement() != nil {} }))
            }
            #expect(throws: (any Error).self) { try db.transaction { try change() } }
            #expect(try table.count() == 1_492)
        }
    }

    @Test("where only the statement is taken back, the transaction goes on") func goingOn() throws {
        try withDatabase { db in
            let table = db.table(Entry.self)
            func change() throws {
                try table.insert(Entry(id: 6, text: "f"))
                let several = [Entry(id: 3, text: "c"), Entry(id: 4, text: Self.large)]
                #expect(isFull(#expect(throws: (any Error).self) { try table.insert(several) }))
                try table.insert(Entry(id: 5, text: "e"))
            }
            try db.transaction { try change() }
            #expect(try table.order(by: \.id).select().map(\.id) == [1, 2, 5, 6])
        }
    }
}
#endif
