#if SQLite
import Foundation
import SiltstoneTesting
import TableKit
import Testing

@testable import SQLiteTables
@testable import SiltTool
@testable import TableSQL

/// JSON in columns that this library declares, and in those of other programs.
struct SQLiteJSONTests {
    /// JSON in the order of its bytes.
    private static let texts = [
        "\"10\"", "-0", "-1e999", "0.10", "0.30000000000000004", "10", "12345678901234567890.123456789", "1E+999", "5",
        "9223372036854775808", "[5]", "true",
    ].sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }

    private static let table = TableStructure(
        name: "J",
        columns: [
            Column("id", .int64), Column("value", .json, isOptional: true), Column("other", .json, isOptional: true),
        ], primaryKey: [0])
    private static let value = ColumnReference(column: 1)

    /// How a column can be declared: by this library, by its earlier versions, by others.
    enum Declared: String, CaseIterable {
        case own, json = "JSON", jsonb = "jsonb", typed = "JSON_TEXT"
    }

    /// Runs `body` with the table and a connection beside its engine.
    private func withTable(
        _ declared: Declared,
        _ body: @escaping @Sendable (any TableEngine, SQLiteConnection) throws -> Void
    ) async throws {
        try await onThread {
            let path = FileManager.default.temporaryDirectory.path + "/json-\(UUID().uuidString.prefix(8))"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let file = path + "/j.sqlite"
            let connection = try SQLiteConnection(path: file, pragmas: [], busyTimeout: 10)
            defer { connection.close() }
            if declared != .own {
                let type = declared.rawValue
                try run("CREATE TABLE J (id INTEGER PRIMARY KEY, value \(type), other \(type))", connection)
            }
            let database = try SQLiteDatabaseConfiguration(file)
            defer { try? database.close() }
            if declared == .own { try database.engine.change { try $0.alter(.createTable(Self.table)) } }
            try body(database.engine, connection)
        }
    }

    private func insert(_ rows: [[ColumnValue]], _ engine: any TableEngine, columns: [Int]? = nil) throws {
        var buffer = RowBuffer()
        for row in rows { try buffer.append(row, layout: Self.table.layout) }
        let statement = InsertStatement(Self.table, columns: columns, rows: buffer)
        try engine.change { _ = try $0.insert(statement) }
    }

    private func found(_ query: Query, _ engine: any TableEngine) throws -> [[ColumnValue]] {
        try engine.reading { try $0.rows(of: query) }.map(\.values)
    }

    @Test("JSON keeps every byte and compares by bytes, however its column is declared", arguments: Declared.allCases)
    func keptAndCompared(declared: Declared) async throws {
        try await withTable(declared) { engine, connection in
            let rows = Self.texts.enumerated().map { number, text in
                [ColumnValue.integer(Int64(number)), .json(text), .json("5")]
            }
            try insert(rows.reversed(), engine)
            var query = Query(Self.table)
            query.order = [OrderTerm(column: 1)]
            #expect(try found(query, engine) == rows)
            if declared == .own || declared == .typed {
                let stored = try connection.execute(
                    SQLStatement("SELECT DISTINCT typeof(value) FROM J", results: [.string]))
                #expect(stored.rows == [[.text("text")]])
            }
            for (number, text) in Self.texts.enumerated() {
                for (comparison, count) in [
                    (Comparison.equal, 1), (.less, number), (.greaterOrEqual, Self.texts.count - number),
                ] {
                    query.predicate = .compare(Self.value, comparison, .json(text))
                    #expect(try found(query, engine).count == count, "\(comparison) \(text)")
                }
                query.predicate = .like(Self.value, LikePattern(text, .whole))
                #expect(try found(query, engine) == [rows[number]], "\(text)")
            }
            query.predicate = .isIn(Self.value, [.json("5"), .json("0.1"), .json("true")])
            #expect(try found(query, engine).count == 2)
            query.predicate = .isIn(Self.value, (0..<300).map { .json("\($0)") })
            #expect(try found(query, engine).count == 2)
            query.predicate = .compareColumns(Self.value, .equal, ColumnReference(column: 2))
            #expect(try found(query, engine).map { $0[1] } == [.json("5")])
        }
    }

    @Test("a changed JSON number keeps every digit", arguments: Declared.allCases)
    func changed(declared: Declared) async throws {
        try await withTable(declared) { engine, _ in
            try insert([[.integer(1), .json("{}"), .null]], engine)
            for text in Self.texts {
                var row = RowBuffer()
                try row.append([.null, .json(text), .null], layout: Self.table.layout)
                var update = UpdateStatement(Self.table, columns: [1], row: row)
                update.isReturning = true
                let result = try engine.change { [update] in try $0.update(update) }
                let shape = try #require(result.shape)
                #expect(try result.rows.values(ofRow: 0, shape)[1] == .json(text))
                #expect(try found(Query(Self.table), engine).map { $0[1] } == [.json(text)])
                var replaced = RowBuffer()
                try replaced.append([.integer(1), .json("7.70"), .json(text)], layout: Self.table.layout)
                var insert = InsertStatement(Self.table, rows: replaced)
                insert.onConflict = .replace
                try engine.change { [insert] in _ = try $0.insert(insert) }
                #expect(try found(Query(Self.table), engine) == [[.integer(1), .json("7.70"), .json(text)]])
            }
        }
    }

    @Test("numbers that SQLite made of JSON are read, compared and grouped as JSON")
    func numbers() async throws {
        try await withTable(.json) { engine, connection in
            let texts = ["5", "0.1", "1e19", "1e999", "-1e999", "0.30000000000000004", "[5]"]
            for (number, text) in texts.enumerated() {
                try run("INSERT INTO J VALUES (\(number), '\(text)', '5')", connection)
            }
            try insert([[.integer(7), .json("5"), .json("5")], [.integer(8), .json("0.1"), .json("5")]], engine)
            let kinds = try connection.execute(
                SQLStatement("SELECT typeof(value) FROM J ORDER BY id", results: [.string]))
            #expect(
                kinds.rows.compactMap(\.first?.string)
                    == ["integer", "real", "real", "real", "real", "real", "text", "blob", "blob"])
            let read = ["5", "0.1", "1e+19", "1e999", "-1e999", "0.30000000000000004", "[5]", "5", "0.1"]
            let rows = try found(Query(Self.table), engine)
            #expect(rows.map { $0[1] } == read.map(ColumnValue.json))
            for text in Set(read) {
                var query = Query(Self.table)
                query.predicate = .compare(Self.value, .equal, .json(text))
                #expect(try found(query, engine).count == read.count { $0 == text }, "\(text)")
                query.predicate = .like(Self.value, LikePattern(text, .whole))
                #expect(try found(query, engine).count == read.count { $0 == text }, "\(text)")
            }
            let groups = AggregateQuery(Query(Self.table), groupBy: [1], aggregates: [.count])
            let counts = try engine.reading { try $0.aggregate(groups) }
            let expected = Set(read).map { text in
                [ColumnValue.json(text), .integer(Int64(read.count { $0 == text }))]
            }
            #expect(Set(counts) == Set(expected))
            let sums = AggregateQuery(
                Query(Self.table), groupBy: [], aggregates: [.countDistinct(1), .countDistinct(2), .min(1), .max(1)])
            #expect(
                try engine.reading { try $0.aggregate(sums) }
                    == [[.integer(7), .integer(1), .json("-1e999"), .json("[5]")]])
        }
    }

    @Test("a default that is a JSON number keeps every digit", arguments: Declared.allCases)
    func defaults(declared: Declared) async throws {
        try await withTable(declared) { engine, connection in
            let text = "12345678901234567890.1234567890"
            if declared == .own {
                let column = Column("more", .json, defaultValue: .json(text))
                try engine.change { try $0.alter(.addColumn(table: "J", column)) }
            } else {
                try run("ALTER TABLE J ADD COLUMN more \(declared.rawValue) DEFAULT '\(text)'", connection)
            }
            try insert([[.integer(1), .null, .null], [.integer(2), .null, .null]], engine, columns: [0])
            let whole = try #require(try engine.reading { try $0.table(named: "J")?.structure })
            #expect(whole.columns[3].defaultValue == .json(text))
            #expect(try found(Query(whole), engine).map { $0[3] } == [.json(text), .json(text)])
        }
    }

    @Test("a move keeps the JSON of columns that were declared JSON") func moved() async throws {
        try await onThread {
            let path = FileManager.default.temporaryDirectory.path + "/json-\(UUID().uuidString.prefix(8))"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let connection = try SQLiteConnection(path: path + "/old.sqlite", pragmas: [], busyTimeout: 10)
            try run("CREATE TABLE J (id INTEGER PRIMARY KEY, value JSON, other JSON)", connection)
            try run("INSERT INTO J VALUES (1, '5', '0.25'), (2, '{}', NULL)", connection)
            connection.close()
            let number = "12345678901234567890.1234567890"
            let expected: [[ColumnValue]] = [
                [.integer(1), .json("5"), .json("0.25")], [.integer(2), .json("{}"), .null],
                [.integer(3), .json(number), .json("5")],
            ]
            let old = try SQLiteDatabaseConfiguration(path + "/old.sqlite")
            try insert([expected[2]], old.engine)
            try old.close()
            try move("sqlite:\(path)/old.sqlite", path + "/one.silt")
            try move(path + "/one.silt", "sqlite:\(path)/new.sqlite")
            let new = try SQLiteDatabaseConfiguration(path + "/new.sqlite")
            defer { try? new.close() }
            #expect(try found(Query(Self.table), new.engine) == expected)
        }
    }

    private func run(_ text: String, _ connection: SQLiteConnection) throws {
        _ = try connection.execute(SQLStatement(text, isRepeated: false))
    }
}
#endif
