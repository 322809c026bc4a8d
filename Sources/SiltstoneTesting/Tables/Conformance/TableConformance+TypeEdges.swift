import Foundation
import TableKit

private struct Reals: Codable {
    var id: Int
    var double: Double
    var float: Float?
}

private struct Dated: Codable, Equatable {
    var id: Int
    var date: Date
}

private struct Text: Codable {
    var id: Int
    var text: String
}

private struct Blob: Codable, Equatable {
    var id: Int
    var signed: [Int8]?
    var unsigned: [UInt8]?
    var data: Data?
}

private struct Great: Codable, TableNameProvider {
    static let tableName = "number"
    var id: Int
    var value: Int
}

private struct Small: Codable, TableNameProvider {
    static let tableName = "number"
    var id: Int
    var value: Int8
}

private struct Flags: Codable, Equatable {
    var id: Int
    var a, b, c, d, e: Bool
    var f: Bool?
}

private enum Colour: String, Codable, CaseIterable { case red, green, blue }

private enum Level: Int, Codable, CaseIterable { case low = -1, high = 5 }

private struct Painted: Codable, Equatable {
    var id: Int
    var colour: Colour
    var level: Level?
}

private struct Tagged: Codable, Equatable {
    var id: Int
    var tags: [String]
    var numbers: [Int]?
}

/// A type whose JSON is a number, a text, true, false or null.
private struct Wrapped<Value: Codable & Equatable>: Codable, Equatable {
    var value: Value

    init(_ value: Value) { self.value = value }

    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

private struct Priced: Codable, Equatable {
    var id: Int
    var amount: Decimal
    var discount: Decimal?
    var number: Wrapped<UInt64>
    var text: Wrapped<String>
    var flag: Wrapped<Bool>
}

private struct Before: Codable, TableNameProvider {
    static let tableName = "grown"
    var id: Int
}

private struct AfterOptional: Codable, TableNameProvider {
    static let tableName = "grown"
    var id: Int
    var more: String?
}

private struct AfterRequired: Codable, TableNameProvider {
    static let tableName = "grown"
    var id: Int
    var more: String
}

/// A type with coding keys made at run time.
private struct Broad: Codable, Equatable {
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ number: Int) { stringValue = number == 0 ? "id" : "c\(number)" }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var values: [Int]

    init(_ first: Int) { values = (0..<300).map { first + $0 } }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        values = try (0..<300).map { try container.decode(Int.self, forKey: Key($0)) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (number, value) in values.enumerated() { try container.encode(value, forKey: Key(number)) }
    }
}

private struct BlobKey: Codable, Equatable {
    var id: [UInt8]
    var n: Int
}

private struct DateKey: Codable, Equatable {
    var id: Date
    var n: Int
}

private struct BoolKey: Codable, Equatable {
    var id: Bool
    var n: Int
}

private struct EnumKey: Codable, Equatable {
    var id: Colour
    var n: Int
}

/// Edge cases of types and columns.
extension TableConformance {
    static var typeEdges: [(promise: String, check: Check)] {
        [
            ("reals are exact: the least and the greatest, Float", reals),
            ("NaN and the infinities are kept, and in their place in the order", specialReals),
            ("-0.0 keeps its sign", negativeZeros),
            ("dates are exact, before 1970, too", dates),
            ("text is kept byte by byte: composed or not, long", texts),
            ("text may have U+0000", nullCharacters),
            ("bytes are kept: negative ones, none, many", blobs),
            ("a stored value that is too great for the type throws", tooGreat),
            ("a type may have many Bools", manyBools),
            ("enums are columns of their raw values; an unknown raw value throws", enums),
            ("arrays of scalars are columns, not tables", scalarArrays),
            ("nested values whose JSON is a number, a text or a Bool keep every digit", bareJSON),
            ("a column that the table lacks is nil where it is optional, and throws where not", missingColumns),
            ("a type may have more than 125 columns", manyColumns),
            ("blobs, dates, Bools and enums are keys", keysOfAllTypes),
        ]
    }

    private static func bareJSON(_ db: Database<C>) throws {
        let table = try db.create(Priced.self)
        let texts = [
            "5", "0", "-7", "0.1", "12345678901234567890.123456789", "-0.000000000000000000012345678901234567",
            "99999999999999999999999999999999999999", "9223372036854775808", "1e30",
        ]
        var rows = try texts.enumerated().map { number, text in
            let amount = try required(Decimal(string: text), "The decimal \(text)")
            return Priced(
                id: number, amount: amount, discount: number % 2 == 0 ? amount : nil,
                number: Wrapped(.max - UInt64(number)), text: Wrapped(text), flag: Wrapped(number % 2 == 0))
        }
        try table.insert(rows)
        try requireEqual(try table.order(by: \.id).all(), rows, "The rows")
        for number in rows.indices {
            rows[number].amount = rows[rows.count - 1 - number].amount
            rows[number].text = Wrapped("null")
            try table.where(\Priced.id == number).update(rows[number])
        }
        try requireEqual(try table.order(by: \.id).all(), rows, "The changed rows")
        try requireEqual(try table.where(\Priced.id == 0).first(), rows[0], "The first row")
    }

    private static func checkReals(_ db: Database<C>, _ values: [Double], _ floats: [Float]) throws -> Table<
        Reals, Database<C>
    > {
        let table = try db.create(Reals.self)
        try table.insert(values.indices.map { Reals(id: $0, double: values[$0], float: floats[$0]) })
        let rows = try table.order(by: \.id).all()
        try requireEqual(rows.count, values.count, "The reals")
        for (row, (double, float)) in zip(rows, zip(values, floats)) {
            let isSame =
                double.isNaN
                ? row.double.isNaN && row.float?.isNaN == true
                : row.double.bitPattern == double.bitPattern && row.float?.bitPattern == float.bitPattern
            try require(isSame, "\(double) and \(float) became \(row).")
        }
        return table
    }

    private static func reals(_ db: Database<C>) throws {
        let table = try checkReals(
            db, [.leastNonzeroMagnitude, 0.1, -0.1, .greatestFiniteMagnitude, .pi],
            [.leastNonzeroMagnitude, 0.1, -0.1, .greatestFiniteMagnitude, .pi])
        try requireEqual(try table.where(\Reals.float == Float(0.1)).all().map(\.id), [1], "A Float")
        try requireEqual(try table.where(\Reals.double == 0.1).all().map(\.id), [1], "A Double")
    }

    private static func specialReals(_ db: Database<C>) throws {
        let table = try checkReals(db, [.nan, .infinity, -.infinity, 0.1], [.nan, .infinity, -.infinity, 0.1])
        try requireEqual(try table.order(descending: \.double).limit(2).all().map(\.id), [0, 1], "NaN is greatest")
        try requireEqual(try table.where(\Reals.double > Double.infinity).all().map(\.id), [0], "Above infinity")
    }

    private static func negativeZeros(_ db: Database<C>) throws {
        let table = try checkReals(db, [-0.0, 1], [-0.0, 1])
        try requireEqual(try table.where(\Reals.double == 0).all().map(\.id), [0], "Zero")
    }

    private static func dates(_ db: Database<C>) throws {
        let table = try db.create(Dated.self)
        let seconds = [-1e10, -978_307_200.123_456_7, 0.1 + 0.2, 700_000_000.000_000_1, 1e10]
        let rows = seconds.enumerated().map { Dated(id: $0, date: Date(timeIntervalSinceReferenceDate: $1)) }
        try table.insert(rows.reversed())
        try requireEqual(try table.order(by: \.date).all(), rows, "The dates")
        try requireEqual(try table.where(\Dated.date == rows[2].date).count(), 1, "Equality")
    }

    private static func texts(_ db: Database<C>) throws {
        let table = try db.create(Text.self)
        try table.index(\.text)
        let texts = ["", "a\u{1}b", "é", "e\u{301}", "👩‍👩‍👧", String(repeating: "xü", count: 20_000)]
        try table.insert(texts.enumerated().map { Text(id: $0, text: $1) })
        let rows = try table.order(by: \.id).all()
        for (row, text) in zip(rows, texts) {
            try require(sameBytes(row.text, text), "\(quoted(text)) became \(quoted(row.text)).")
            try requireEqual(
                try table.where(\Text.text == text).all().map(\.id), [row.id], "Equality to \(quoted(text))")
        }
        try requireEqual(rows.count, texts.count, "Counting")
    }

    private static func nullCharacters(_ db: Database<C>) throws {
        let table = try db.create(Text.self)
        try table.insert([Text(id: 0, text: "\u{0}"), Text(id: 1, text: "a\u{0}b"), Text(id: 2, text: "a")])
        try requireEqual(try table.order(by: \.text).all().map(\.text), ["\u{0}", "a", "a\u{0}b"], "The texts")
        try requireEqual(try table.where(\Text.text == "a\u{0}b").all().map(\.id), [1], "Equality")
        let patterns: [(String, Condition, [Int])] = [
            ("b, contained", \Text.text %=% "B", [1]), ("b, at the end", \Text.text %= "b", [1]),
            ("a, at the end", \Text.text %= "a", [2]), ("not b", \Text.text %!=% "b", [0, 2]),
            ("U+0000, contained", \Text.text %=% "\u{0}", [0, 1]), ("U+0000, first", \Text.text =% "\u{0}", [0]),
            ("a and U+0000, first", \Text.text =% "A\u{0}", [1]), ("U+0000 and b, last", \Text.text %= "\u{0}B", [1]),
            ("U+0000 and c", \Text.text %=% "\u{0}c", []), ("not U+0000", \Text.text %!=% "\u{0}", [2]),
        ]
        for (name, condition, ids) in patterns {
            try requireEqual(try table.order(by: \.id).where(condition).all().map(\.id), ids, "The pattern \(name)")
        }
    }

    private static func blobs(_ db: Database<C>) throws {
        let table = try db.create(Blob.self)
        let long = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let rows = [
            Blob(id: 1, signed: [-128, -1, 0, 127], unsigned: [0, 255], data: Data([0, 1])), Blob(id: 2),
            Blob(id: 3, signed: [], unsigned: [], data: Data()), Blob(id: 4, unsigned: long, data: Data(long)),
        ]
        try table.insert(rows)
        try requireEqual(try table.order(by: \.id).all(), rows, "The rows")
        try requireEqual(try table.where(\Blob.unsigned == []).all().map(\.id), [3], "No bytes")
        try requireEqual(try table.where(\Blob.unsigned == nil).all().map(\.id), [2], "NULL")
    }

    private static func tooGreat(_ db: Database<C>) throws {
        try db.create(Great.self).insert([Great(id: 1, value: 100), Great(id: 2, value: 300)])
        let table = db.table(Small.self)
        try requireEqual(try table.where(\Small.id == 1).first()?.value, 100, "A value that fits")
        do {
            _ = try table.where(\Small.id == 2).first()
            throw Violation("300 was decoded as eight bits.")
        } catch let error as CRUDDecoderError {
            try requireEqual(error.column, "value", "The error's column")
        }
    }

    private static func manyBools(_ db: Database<C>) throws {
        let table = try db.create(Flags.self)
        let rows = (0..<8).map {
            Flags(id: $0, a: $0 & 1 > 0, b: $0 & 2 > 0, c: $0 & 4 > 0, d: true, e: false, f: $0 == 3 ? nil : $0 > 3)
        }
        try table.insert(rows)
        try requireEqual(try table.order(by: \.id).all(), rows, "The rows")
        try requireEqual(try table.where(\Flags.c == true && \Flags.b == false).count(), 2, "Two flags")
        try requireEqual(try table.where(\Flags.f == true).count(), 4, "An optional flag")
        try requireEqual(try table.where(\Flags.e == true).count(), 0, "The fifth flag")
    }

    private static func enums(_ db: Database<C>) throws {
        let table = try db.create(Painted.self)
        let rows = [
            Painted(id: 1, colour: .red, level: nil), Painted(id: 2, colour: .blue, level: .high),
            Painted(id: 3, colour: .green, level: .low),
        ]
        try table.insert(rows)
        try requireEqual(try table.order(by: \.id).all(), rows, "The rows")
        try requireEqual(try table.where(\Painted.colour == .blue).all().map(\.id), [2], "Equality")
        try requireEqual(try table.where(\Painted.level == .low).all().map(\.id), [3], "An optional one")
        try db.sql("UPDATE Painted SET colour = 'pink' WHERE id = 1")
        do {
            _ = try table.where(\Painted.id == 1).first()
            throw Violation("An unknown raw value was decoded.")
        } catch is any TableError {} catch is DecodingError {}
        let found = try table.order(descending: \.id).select().map(\.id)
        try requireEqual(found, [3, 2], "The rows before the one that does not decode")
    }

    private static func scalarArrays(_ db: Database<C>) throws {
        let table = try db.create(Tagged.self)
        let rows = [Tagged(id: 1, tags: ["a", "b"], numbers: nil), Tagged(id: 2, tags: [], numbers: [1, 2])]
        try table.insert(rows)
        try requireEqual(try table.order(by: \.id).all(), rows, "The rows")
        try requireEqual(try db.tables().map(\.structure.name), ["Tagged"], "The tables")
    }

    private static func missingColumns(_ db: Database<C>) throws {
        try db.create(Before.self).insert(Before(id: 1))
        try requireEqual(try db.table(AfterOptional.self).first()?.more, nil, "An optional property")
        do {
            _ = try db.table(AfterRequired.self).first()
            throw Violation("A row without a column that the type needs was decoded.")
        } catch let error as any TableError {
            try requireEqual(error.column, "more", "The error's column")
        }
    }

    private static func manyColumns(_ db: Database<C>) throws {
        let table = try db.create(Broad.self)
        try table.insert([Broad(1), Broad(2)])
        try requireEqual(try table.all(), [Broad(1), Broad(2)], "The rows")
        try requireEqual(try db.tables().first?.structure.columns.count, 300, "Columns")
    }

    private static func keysOfAllTypes(_ db: Database<C>) throws {
        let blobs = try db.create(BlobKey.self)
        try blobs.insert([[], [0], [0, 0], [1]].map { BlobKey(id: $0, n: $0.count) })
        try requireEqual(try blobs.order(by: \.id).all().map(\.n), [0, 1, 2, 1], "Blobs in order")
        try requireError(.unique, "A blob twice") { try blobs.insert(BlobKey(id: [0, 0], n: 9)) }
        let dates = try db.create(DateKey.self)
        try dates.insert([1.5, -1.5].map { DateKey(id: Date(timeIntervalSinceReferenceDate: $0), n: 1) })
        try requireEqual(
            try dates.find(Date(timeIntervalSinceReferenceDate: 1.5))?.n, 1, "A date")
        let bools = try db.create(BoolKey.self)
        try bools.insert([BoolKey(id: true, n: 1), BoolKey(id: false, n: 2)])
        try requireEqual(try bools.order(by: \.id).all().map(\.n), [2, 1], "Bools in order")
        let enums = try db.create(EnumKey.self)
        try enums.insert(EnumKey(id: .green, n: 1))
        try requireError(.unique, "An enum twice") { try enums.insert(EnumKey(id: .green, n: 2)) }
    }
}
