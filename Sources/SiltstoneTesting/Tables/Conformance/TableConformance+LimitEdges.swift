import Foundation
import TableKit

private struct Named: Codable, Equatable {
    var id: String
    var n: Int
}

private struct Keyed: Codable, Equatable {
    var id: [UInt8]
    var n: Int
}

private struct Coded: Codable, Equatable {
    var id: Int
    var code: String
}

/// Edge cases of sizes and names: an engine may refuse what it cannot hold, with one code for each case.
extension TableConformance {
    static var limitEdges: [(promise: String, check: Check)] {
        [
            ("a long key is kept whole, or refused as an argument", longKeys),
            ("a long value in an index is kept whole, or refused as an argument", longIndexValues),
            ("the name of a table is kept, or refused as unsupported", tableNames),
            ("the name of a column is kept, or refused as unsupported", columnNames),
        ]
    }

    private static var lengths: [Int] { [100, 800, 3_000, 10_000, 100_000] }

    /// Letters that no server compresses, so that the length counts.
    private static func text(_ length: Int) -> String {
        var numbers = SplitMix64(seed: UInt64(length))
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+".utf8)
        return String(decoding: (0..<length).map { _ in letters[numbers.index(letters.count)] }, as: UTF8.self)
    }

    /// Runs a change that the engine may refuse.
    /// - Returns: whether it was made.
    private static func mayRefuse(
        _ code: TableErrorCode, _ what: @autoclosure () -> String, _ body: () throws -> Void
    ) throws -> Bool {
        do { try body() } catch let error as any TableError {
            try require(error.code == code, "\(what()) was refused with \(error) instead of an error of code \(code).")
            return false
        }
        return true
    }

    private static func longKeys(_ db: Database<C>) throws {
        let (names, keys) = (try db.create(Named.self), try db.create(Keyed.self))
        try names.insert(Named(id: "short", n: 0))
        try keys.insert(Keyed(id: [1], n: 0))
        for length in lengths {
            let text = text(length)
            let named = Named(id: text, n: length), keyed = Keyed(id: Array(text.utf8), n: length)
            let count = (try names.count(), try keys.count())
            let isNameKept = try mayRefuse(.argument, "A key of \(length) letters") { try names.insert(named) }
            let isKeyKept = try mayRefuse(.argument, "A key of \(length) bytes") { try keys.insert(keyed) }
            try requireEqual(try names.find(text), isNameKept ? named : nil, "The row of a key of \(length) letters")
            try requireEqual(try keys.find(keyed.id), isKeyKept ? keyed : nil, "The row of a key of \(length) bytes")
            try requireEqual(try names.count(), count.0 + (isNameKept ? 1 : 0), "The number of rows")
            try requireEqual(try keys.count(), count.1 + (isKeyKept ? 1 : 0), "The number of rows")
            if !isNameKept {
                _ = try mayRefuse(.argument, "An upsert of a key of \(length) letters") { try names.upsert(named) }
                _ = try mayRefuse(.argument, "An update to a key of \(length) letters") {
                    try names.where(\Named.id == "short").update(named)
                }
                try requireEqual(try names.find("short"), Named(id: "short", n: 0), "The short row")
            }
        }
    }

    private static func longIndexValues(_ db: Database<C>) throws {
        for isUnique in [false, true] {
            try db.create(Coded.self, policy: .dropTable).index(unique: isUnique, \.code)
            let table = db.table(Coded.self)
            for length in lengths {
                let row = Coded(id: length, code: text(length))
                let isKept = try mayRefuse(.argument, "A value of \(length) letters") { try table.insert(row) }
                try requireEqual(
                    try table.where(\Coded.code == row.code).all(), isKept ? [row] : [],
                    "The row of a value of \(length) letters")
            }
        }
    }

    /// Each control character, quotes, wildcards, spaces, letters of one to four bytes, and lengths around the limits.
    private static var oddNames: [String] {
        let characters = (Array(0...0x20) + Array(0x7f...0xa0)).compactMap(Unicode.Scalar.init).map { String($0) }
        let others = [
            "\"", "`", "'", "\\", "%", "_", ";", "--", "/*", ".", "/", "$", "?", "@", "#", "é", "e\u{301}", "漢", "🙂",
        ]
        let long = ["n", "漢", "\u{1}", "é"].flatMap { one in
            [50, 51, 63, 64, 65, 128, 300].map { String(repeating: one, count: $0) }
        }
        return ["", " ", "a "] + (characters + others).map { "a\($0)b" } + long
    }

    private static func tableNames(_ db: Database<C>) throws {
        for name in oddNames {
            let table = TableStructure(
                name: name, columns: [Column("id", .int64), Column("text", .string)], primaryKey: [0])
            try check(table, "The name of a table \(quoted(name))", db.engine)
        }
    }

    private static func columnNames(_ db: Database<C>) throws {
        for (number, name) in oddNames.enumerated() {
            let table = TableStructure(
                name: "odd\(number)", columns: [Column("id", .int64), Column(name, .string)], primaryKey: [0])
            try check(table, "The name of a column \(quoted(name))", db.engine)
        }
    }

    /// Makes a table with an index and a row, unless the engine refuses the names, and drops it.
    private static func check(_ table: TableStructure, _ what: String, _ engine: any TableEngine) throws {
        func change<R>(_ body: (any TableSession) throws -> R) throws -> R { try engine.begin(.serial).commit(body) }
        func found() throws -> TableStructure? {
            let session = try engine.beginRead()
            defer { session.rollback() }
            return try session.table(named: table.name)?.structure
        }
        let isKept: Bool
        do {
            isKept = try mayRefuse(.unsupported, what) { try change { try $0.alter(.createTable(table)) } }
        } catch let violation as Violation { throw violation } catch { throw Violation("\(what) threw \(error).") }
        guard isKept else {
            do { _ = try found() } catch let error as any TableError {
                try require(error.code == .unsupported, "\(what) threw \(error) when it was looked up.")
            }
            return
        }
        var rows = RowBuffer()
        try rows.append([.integer(1), .text("x")], layout: table.layout)
        let result: [[ColumnValue]]
        do {
            try requireEqual(try found()?.columns.map(\.name), table.columns.map(\.name), "\(what): the columns")
            _ = try change { try $0.insert(InsertStatement(table, rows: rows)) }
            result = try change { session in
                let stream = try session.run(Query(table))
                var result: [[ColumnValue]] = []
                while let batch = try stream.next() {
                    for row in 0..<batch.rows.count { result.append(try batch.rows.values(ofRow: row, batch.shape)) }
                }
                return result
            }
            try change { try $0.alter(.dropTable(table.name)) }
        } catch let violation as Violation { throw violation } catch { throw Violation("\(what) threw \(error).") }
        try requireEqual(result, [[.integer(1), .text("x")]], "\(what): the rows")
        try requireEqual(try found()?.name, nil, "\(what): the dropped table")
    }
}
