#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

extension PostgresTests {
    /// What tables of other programs have, and those of `create` have not.
    struct Catalogues {
        private func table(_ name: String, _ database: Database<PostgresDatabaseConfiguration>) throws -> TableInfo {
            try #require(try database.tables().first { $0.structure.name == name })
        }

        private struct Whole: Codable, Equatable {
            var id: Int
            var short: Int?
            var long: UInt64?
            var huge: Double?
        }

        @Test("Decimal numbers without a fraction are integers with a sign, as far as these hold them")
        func wholeNumbers() throws {
            let statements = [
                "CREATE TABLE \"Whole\" (id bigint PRIMARY KEY, short numeric(18,0), long numeric(20,0), huge numeric(30,0))",
                "INSERT INTO \"Whole\" VALUES (1, -5, 18446744073709551615, -1e20)",
            ]
            try PostgresServer.withDatabase(after: statements) { database, _ in
                let table = database.table(Whole.self)
                let first = Whole(id: 1, short: -5, long: .max, huge: -1e20)
                #expect(try table.find(1) == first)
                try table.insert([2, 3].map { Whole(id: $0, short: -7, long: 7, huge: 0.5e22) })
                try table.where(\Whole.short == -7 && \Whole.id == 3).update(Whole(id: 3, short: 8), setKeys: \.short)
                #expect(try table.order(by: \.id).where(\Whole.short < 0).select().map(\.id) == [1, 2])
                let info = try self.table("Whole", database).serverColumns
                #expect(info["short"] == nil && info["huge"]?.isExact == false)
            }
        }

        private struct Own: Codable {
            var id: Int
        }

        private struct Sale: Codable {
            var id: Int
            var price: Int
            var total: Int?
            var at: Date?
            var code: String?
            var number: Int?
            var tag: String?
        }

        /// The columns that a program must give.
        private struct Price: Codable, TableNameProvider {
            static let tableName = "Sale"
            var id: Int
            var price: Int
        }

        private static let sale = [
            "CREATE SEQUENCE numbers",
            "CREATE TABLE \"Sale\" (id bigint PRIMARY KEY, price integer NOT NULL,"
                + " total integer GENERATED ALWAYS AS (price * 2) STORED, at timestamptz DEFAULT now(),"
                + " code text DEFAULT md5(random()::text), number integer DEFAULT 1000 + nextval('numbers'),"
                + " tag text DEFAULT 'new', host inet DEFAULT '127.0.0.1', tags text[] DEFAULT '{}')",
        ]

        @Test(
            "Generated columns and defaults that the server computes harm no table, and the server fills them",
            arguments: [false, true])
        func defaults(isStrict: Bool) throws {
            try PostgresServer.withDatabase(isStrict: isStrict, after: Self.sale) { database, connection in
                try database.create(Own.self).insert(Own(id: 1))
                let info = try table("Sale", database)
                let server = info.serverColumns
                #expect(server["total"]?.isGenerated == true && server["total"]?.computedDefault == nil)
                #expect(server["at"]?.computedDefault == "now()" && server["code"]?.computedDefault != nil)
                #expect(server["number"]?.computedDefault != nil && server["tag"] == nil && server["id"] == nil)
                let columns = info.structure.columns.filter { $0.defaultValue != nil }
                #expect(columns.map(\.name) == ["tag"] && columns.map(\.defaultValue) == [.text("new")])
                // To read the catalogue takes no number.
                #expect(try connection.rows("SELECT is_called FROM numbers", as: [.bool]) == [[.bool(false)]])
                let sales = database.table(Sale.self)
                try sales.insert(
                    [1, 2].map { Sale(id: $0, price: 5) }, ignoreKeys: \.total, \.at, \.code, \.number, \.tag)
                let rows = try sales.order(by: \.id).all()
                #expect(rows.map(\.total) == [10, 10] && rows.map(\.tag) == ["new", "new"])
                #expect(rows.map(\.number) == [1001, 1002] && Set(rows.map(\.code)).count == 2)
                #expect(rows.allSatisfy { $0.at != nil })
                try database.table(Price.self).upsert(Price(id: 1, price: 7))
                let replaced = try #require(try sales.find(1))
                #expect(replaced.total == 14 && replaced.number ?? 0 > 1002 && replaced.code != rows[0].code)
            }
        }

        private struct Event: Codable {
            var id: Int
            var day: Int
        }

        @Test("A table with partitions is one table, with each row once", arguments: [false, true])
        func partitions(isStrict: Bool) throws {
            let statements = [
                "CREATE TABLE \"Event\" (id bigint, day bigint, PRIMARY KEY (id, day)) PARTITION BY RANGE (day)",
                "CREATE TABLE event_1 PARTITION OF \"Event\" FOR VALUES FROM (0) TO (10)",
                "CREATE TABLE event_2 PARTITION OF \"Event\" FOR VALUES FROM (10) TO (20)",
                "INSERT INTO \"Event\" SELECT n, n FROM generate_series(0, 19) AS s(n)",
            ]
            try PostgresServer.withDatabase(isStrict: isStrict, after: statements) { database, _ in
                let names = try database.tables().map(\.structure.name)
                let count = try database.table(Event.self).count()
                #expect(names == ["Event"] && count == 20)
            }
        }

        private struct Entry: Codable {
            var id: Int
            var tenant: Int
            var name: String
        }

        @Test("Indexes of expressions, of some rows, of other methods are none of columns", arguments: [false, true])
        func indexes(isStrict: Bool) throws {
            let statements = [
                "CREATE TABLE \"Entry\" (id bigint, tenant bigint, name text, PRIMARY KEY (id) INCLUDE (name))",
                "CREATE UNIQUE INDEX lowered ON \"Entry\" (tenant, lower(name))",
                "CREATE UNIQUE INDEX large ON \"Entry\" (tenant) WHERE tenant > 5",
                "CREATE UNIQUE INDEX covering ON \"Entry\" (name) INCLUDE (tenant)",
            ]
            try PostgresServer.withDatabase(isStrict: isStrict, after: statements) { database, connection in
                if !isStrict { try connection.run("CREATE INDEX hashed ON \"Entry\" USING hash (tenant)") }
                let info = try table("Entry", database)
                #expect(info.structure.primaryKey == [0])
                #expect(info.indexes.map(\.definition.columns) == [["name"]] && info.indexes[0].definition.isUnique)
                let entries = database.table(Entry.self)
                try entries.index(\.tenant)
                try entries.upsert([Entry(id: 1, tenant: 1, name: "a"), Entry(id: 1, tenant: 1, name: "b")])
                #expect(try entries.all().map(\.name) == ["b"])
                #expect(try table("Entry", database).indexes.count == 2)
            }
        }

        private struct Thing: Codable, Equatable {
            var id: Int
            var mood: String
            var word: String
            var inner: String
        }

        private struct Spanned: Codable, TableNameProvider {
            static let tableName = "Thing"
            var id: Int
            var span: String?
        }

        private static let thing = [
            "CREATE TYPE mood AS ENUM ('calm', 'glad')", "CREATE DOMAIN word AS text CHECK (VALUE <> '')",
            "CREATE DOMAIN inner_word AS word", "CREATE TYPE span AS RANGE (subtype = integer)",
            "CREATE TABLE \"Thing\" (id bigint PRIMARY KEY, mood mood DEFAULT 'calm', word word, \"inner\" inner_word,"
                + " span span DEFAULT '[1,2)')",
            "INSERT INTO \"Thing\" VALUES (1, 'glad', 'a', 'b')",
        ]

        @Test("Enumerations and domains are text; types whose values are no text are refused by name") func types()
            throws
        {
            try PostgresServer.withDatabase(after: Self.thing) { database, _ in
                let things = database.table(Thing.self)
                #expect(try things.find(1) == Thing(id: 1, mood: "glad", word: "a", inner: "b"))
                let info = try table("Thing", database)
                #expect(info.structure.columns[1].defaultValue == .text("calm"))
                #expect(info.serverColumns["span"]?.isReadable == false && info.serverColumns["mood"] == nil)
                let spans = database.table(Spanned.self)
                let reads: [() throws -> Void] = [{ _ = try spans.find(1) }, { _ = try spans.all() }]
                for read in reads {
                    let error = #expect(throws: CRUDSQLExeError.self) { try read() }
                    #expect(error?.code == .type && error?.table == "Thing" && error?.column == "span")
                }
                #expect(try spans.count() == 1)
            }
        }

        @Test("The catalogue tells which decimal numbers a real cannot hold") func decimals() throws {
            let statements = [
                "CREATE TABLE d (id bigint PRIMARY KEY, a numeric, b numeric(20,4), c numeric(15,4), d numeric(18,0),"
                    + " e double precision)",
                "INSERT INTO d VALUES (1, 9007199254740993.5, 9007199254740993.5, 12345678901.2345, 1, 0.1)",
            ]
            try PostgresServer.withDatabase(after: statements) { database, _ in
                try database.create(Own.self)
                let server = try table("d", database).serverColumns
                #expect(server.keys.sorted() == ["a", "b"] && server.values.allSatisfy { !$0.isExact })
                #expect(server["b"]?.typeName == "numeric(20,4)")
                #expect(try table("Own", database).serverColumns.isEmpty)
            }
        }
    }
}
#endif
