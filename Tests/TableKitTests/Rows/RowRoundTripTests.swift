import Foundation
import TableKit
import Testing

struct RowRoundTripTests {
    struct Integers: Codable, Equatable {
        var i: Int, i8: Int8, i16: Int16, i32: Int32, i64: Int64
        var u: UInt, u8: UInt8, u16: UInt16, u32: UInt32, u64: UInt64
    }

    @Test func integersOfAllWidthsKeepTheirExtremes() throws {
        let items = [
            Integers(
                i: .min, i8: .min, i16: .min, i32: .min, i64: .min, u: .min, u8: .min, u16: .min, u32: .min, u64: 0),
            Integers(
                i: .max, i8: .max, i16: .max, i32: .max, i64: .max, u: .max, u8: .max, u16: .max, u32: .max, u64: .max),
            Integers(i: -1, i8: -1, i16: -1, i32: -1, i64: -1, u: 1, u8: 1, u16: 1, u32: 1, u64: 1 << 63),
        ]
        #expect(try RowCoding.roundTrip(items) == items)
    }

    struct Reals: Codable {
        var double: Double, float: Float, date: Date
    }

    @Test func realsAndDatesKeepTheirBits() throws {
        let doubles: [Double] = [
            0, -0.0, 0.1, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        ]
        let items = doubles.map {
            Reals(double: $0, float: Float($0), date: Date(timeIntervalSinceReferenceDate: $0))
        }
        for (item, back) in zip(items, try RowCoding.roundTrip(items)) {
            #expect(item.double.bitPattern == back.double.bitPattern)
            #expect(item.float.bitPattern == back.float.bitPattern)
            #expect(
                item.date.timeIntervalSinceReferenceDate.bitPattern
                    == back.date.timeIntervalSinceReferenceDate.bitPattern)
        }
    }

    enum Colour: String, Codable { case red, green, blue }
    enum Level: Int8, Codable { case low = -3, high = 9 }
    struct Tag: RawRepresentable, Codable, Equatable { var rawValue: String }
    struct Options: OptionSet, Codable { var rawValue: UInt16 }
    struct Point: Codable, Equatable { var x: Int, when: Date?, names: [String] }

    struct Mixed: Codable, Equatable {
        var bool: Bool, string: String, uuid: UUID, url: URL, data: Data, bytes: [UInt8], signed: [Int8]
        var colour: Colour, level: Level, tag: Tag, options: Options, point: Point, scalars: [String]
        var dictionary: [String: Int], points: [Point]
    }
    struct Optionals: Codable, Equatable {
        var bool: Bool?, string: String?, uuid: UUID?, url: URL?, data: Data?, bytes: [UInt8]?, signed: [Int8]?
        var colour: Colour?, level: Level?, tag: Tag?, options: Options?, point: Point?, scalars: [String]?
        var int: Int?, int8: Int8?, uint64: UInt64?, double: Double?, float: Float?, date: Date?
    }

    private func mixed(_ text: String) throws -> Mixed {
        Mixed(
            bool: true, string: text, uuid: UUID(), url: try #require(URL(string: "https://example.com/a?b=c#d")),
            data: Data(text.utf8), bytes: Array(text.utf8), signed: [-128, -1, 0, 1, 127], colour: .blue, level: .low,
            tag: Tag(rawValue: text), options: [Options(rawValue: 1), Options(rawValue: 0x8000)],
            point: Point(x: -5, when: Date(timeIntervalSinceReferenceDate: 0.123_456_789), names: [text]),
            scalars: [text, ""], dictionary: ["b": 1, "a": 2], points: [])
    }

    @Test func allOtherTypesComeBack() throws {
        let items = try ["", "a", "ä\u{0}b", "e\u{301}", "👩‍👩‍👧", String(repeating: "long ", count: 100)].map(mixed)
        let back = try RowCoding.roundTrip(items)
        #expect(back == items)
        // Not canonical equivalence alone: the bytes.
        #expect(back.map { Array($0.string.utf8) } == items.map { Array($0.string.utf8) })
    }

    @Test func optionalsAreNilOrTheirValue() throws {
        let full = Optionals(
            bool: false, string: "", uuid: UUID(), url: URL(string: "a:b"), data: Data(), bytes: [], signed: [],
            colour: .red, level: .high, tag: Tag(rawValue: ""), options: [], point: Point(x: 0, when: nil, names: []),
            scalars: [], int: 0, int8: 0, uint64: .max, double: 0, float: 0, date: Date(timeIntervalSince1970: -1e10))
        let items = [Optionals(), full]
        #expect(try RowCoding.roundTrip(items) == items)
        #expect(try RowCoding.values(Optionals()).allSatisfy(\.isNull))
    }

    @Test func aRowLongerThanSixtyFourKiBHasWideEnds() throws {
        let items = try [String(repeating: "x", count: 40_000), "short"].map(mixed)
        let rows = try RowCoding.rows(items)
        #expect(rows.bytes[1] == RowLayout.wideEnds)
        #expect(try RowCoding.items(Mixed.self, rows) == items)
    }

    @Test func equalValuesAreEqualBytesWhoeverWritesThem() throws {
        let item = try mixed("text")
        let values = try RowCoding.values(item)
        #expect(try RowCoding.row(Mixed.self, values).bytes == RowCoding.rows([item]).bytes)
        #expect(try RowCoding.rows([item]).bytes == RowCoding.rows([item]).bytes)
    }

    @Test func nestedValuesAreJSONWithSortedKeys() throws {
        let structure = try TableStructure.of(Mixed.self)
        let values = try RowCoding.values(mixed("a/b"))
        #expect(values[try #require(structure.number(of: "dictionary"))] == .json(#"{"a":2,"b":1}"#))
        #expect(values[try #require(structure.number(of: "scalars"))] == .json(#"["a/b",""]"#))
    }

    @Test func twoHundredColumnsComeBack() throws {
        var values = [ColumnValue](repeating: .bool(true), count: 200)
        let structure = try TableStructure.of(WideType.self)
        for (number, column) in structure.columns.enumerated() where column.type == .int64 {
            values[number] = number % 3 == 0 ? .null : .integer(Int64(number))
        }
        let item = try #require(try RowCoding.items(WideType.self, RowCoding.row(WideType.self, values)).first)
        #expect(try RowCoding.values(item) == values)
    }

    // MARK: Classes

    class Base: Codable {
        var id = 0
        var note: String?
        init() {}
    }
    final class Derived: Base {
        var name = ""
        private enum CodingKeys: String, CodingKey { case name }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
        }
    }

    @Test func theRowOfAClassHoldsItsAncestorsProperties() throws {
        let item = Derived()
        (item.id, item.name, item.note) = (7, "seven", "written before name, decoded after it")
        let back = try #require(try RowCoding.roundTrip([item, item]).last)
        #expect(back.id == 7 && back.name == "seven" && back.note == item.note)
    }

    // MARK: Wrappers

    struct Parent: Codable { var id: Int }
    struct Child: Codable, Equatable {
        @PrimaryKey var id: Int
        @ForeignKey(Parent.self, onDelete: cascade, onUpdate: cascade) var parent: Int
        @ForeignKey(Parent.self, onDelete: setNull, onUpdate: .ignore) var guardian: String?
        init(id: Int) { self.id = id }
    }

    @Test func wrappedPropertiesAreTheirValues() throws {
        var child = Child(id: 1)
        child.parent = 5
        #expect(try RowCoding.values(child) == [.integer(1), .integer(5), .null])
        #expect(try RowCoding.roundTrip([child]) == [child])
        child.guardian = "g"
        #expect(try RowCoding.roundTrip([child]) == [child])
        #expect(child.$id == 1 && child.$parent == 5)
    }

    @Test func aReferenceThatWasNeverSetReadsAsEmptyAndIsNotWritten() throws {
        let child = Child(id: 1)
        #expect(child.parent == 0)
        #expect(child.$parent == nil)
        #expect(child.guardian == nil)
        let error = #expect(throws: CRUDEncoderError.self) { try RowCoding.rows([child]) }
        #expect(error?.code == .notNull)
        #expect(error?.column == "parent")
        #expect(error?.table == "Child")
    }

    @Test func wrappersAreTheirValuesInJSON() throws {
        let child = try JSONDecoder().decode(Child.self, from: Data(#"{"id":3,"parent":4}"#.utf8))
        #expect(child.id == 3 && child.parent == 4 && child.guardian == nil)
    }
}
