#if SQLite
import Foundation
import SQLiteTables
import TableKit
import Testing

/// What tables of other programs have, and those of `create` have not.
struct SQLiteCatalogueTests {
    private struct Sale: Codable {
        var id: Int
        var price: Int
        var total: Int?
        var half: Int?
        var at: String?
        var word: String?
        var quoted: String?
    }

    /// The columns that a program must give.
    private struct Price: Codable, TableNameProvider {
        static let tableName = "Sale"
        var id: Int
        var price: Int
    }

    @Test("generated columns and defaults that SQLite computes are SQLite's, and it fills them") func defaults()
        throws
    {
        let statements = [
            "CREATE TABLE Sale (id INTEGER PRIMARY KEY, price INT NOT NULL, total INT AS (price * 2) STORED,"
                + " half INT AS (price / 2), at TEXT DEFAULT (strftime('%f', 'now') || hex(randomblob(8))),"
                + " word TEXT DEFAULT new, quoted TEXT DEFAULT \"a b\", least INT DEFAULT (-9223372036854775807 - 1),"
                + " count INT DEFAULT '')"
        ]
        try withTemporaryDatabase(after: statements) { db in
            let info = try #require(try db.tables().first)
            let server = info.serverColumns
            #expect(server["total"]?.isGenerated == true && server["half"]?.isGenerated == true)
            #expect(server["at"]?.computedDefault != nil && server["word"] == nil && server["quoted"] == nil)
            #expect(server["count"]?.computedDefault == "''")
            let columns = info.structure.columns.filter { $0.defaultValue != nil }
            #expect(columns.map(\.name) == ["word", "quoted", "least"])
            #expect(columns.map(\.defaultValue) == [.text("new"), .text("a b"), .integer(.min)])
            let sales = db.table(Sale.self)
            try sales.insert(
                [1, 2].map { Sale(id: $0, price: 5) }, ignoreKeys: \.total, \.half, \.at, \.word, \.quoted)
            let rows = try sales.order(by: \.id).all()
            #expect(rows.map(\.total) == [10, 10] && rows.map(\.half) == [2, 2])
            #expect(rows.map(\.word) == ["new", "new"])
            #expect(Set(rows.map(\.at)).count == 2)
            try db.table(Price.self).upsert(Price(id: 1, price: 7))
            let replaced = try #require(try sales.find(1))
            #expect(replaced.total == 14 && replaced.at != nil && replaced.at != rows[0].at)
            #expect(replaced.word == "new" && replaced.quoted == "a b")
        }
    }

    @Test("indexes of expressions are none of columns") func indexes() throws {
        let statements = [
            "CREATE TABLE Price (id INTEGER PRIMARY KEY, price INT)",
            "CREATE UNIQUE INDEX doubled ON Price (price, abs(price))", "CREATE INDEX both ON Price (price, id)",
        ]
        try withTemporaryDatabase(after: statements) { db in
            let found = try db.tables().flatMap(\.indexes).map(\.definition.columns)
            #expect(found == [["price", "id"]])
        }
    }

    private struct Line: Codable {
        var id: Int
        var text: String?
    }

    @Test("text that is no UTF-8 is refused by table and column, and not read as other text") func texts() throws {
        let statements = [
            "CREATE TABLE Line (id INTEGER PRIMARY KEY, text TEXT)",
            "INSERT INTO Line VALUES (1, CAST(x'61E9' AS TEXT)), (2, 'é')",
        ]
        try withTemporaryDatabase(after: statements) { db in
            let lines = db.table(Line.self)
            let reads: [() throws -> Void] = [
                { _ = try lines.find(1) }, { _ = try lines.all() }, { _ = try lines.limit(1).all() },
            ]
            for read in reads + [reads[0]] {
                let error = #expect(throws: CRUDSQLExeError.self) { try read() }
                #expect(error?.code == .type && error?.table == "Line" && error?.column == "text")
            }
            let other = try #require(try lines.find(2))
            #expect(other.text == "é")
        }
    }

    @Test("the catalogue tells which decimal numbers a real cannot hold") func decimals() throws {
        let statements = [
            "CREATE TABLE d (id INTEGER PRIMARY KEY, a NUMERIC, b DECIMAL(30,10), c DECIMAL(15,4), d REAL, e DOUBLE)"
        ]
        try withTemporaryDatabase(after: statements) { db in
            let server = try #require(try db.tables().first).serverColumns
            #expect(server.keys.sorted() == ["a", "b", "c"] && server.values.allSatisfy { !$0.isExact })
        }
    }
}
#endif
