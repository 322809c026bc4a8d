import Foundation
import TableKit

private struct AllTypes: Codable, Equatable {
    let int: Int, uint: UInt, int64: Int64, uint64: UInt64, int32: Int32?, uint32: UInt32?
    let int16: Int16, uint16: UInt16, int8: Int8?, uint8: UInt8?
    let double: Double, float: Float, string: String, bytes: [Int8], ubytes: [UInt8]?, bool: Bool
    let date: Date, uuid: UUID
}

private struct AllOptionals: Codable, Equatable {
    var int: Int?, uint: UInt?, int64: Int64?, uint64: UInt64?, int32: Int32?, uint32: UInt32?
    var int16: Int16?, uint16: UInt16?, int8: Int8?, uint8: UInt8?
    var double: Double?, float: Float?, string: String?, bytes: [Int8]?, ubytes: [UInt8]?, bool: Bool?
    var date: Date?, uuid: UUID?
}

private struct Page: Codable, Equatable {
    let id: Int
    let address: URL
    let other: URL?
}

private class Base: Codable {
    let id: Int
    let name: String?

    init(id: Int, name: String?) {
        self.id = id
        self.name = name
    }
}

private final class Derived: Base {
    private enum CodingKeys: String, CodingKey { case size, note }
    let size: Int
    let note: String?

    init(id: Int, name: String?, size: Int, note: String?) {
        self.size = size
        self.note = note
        super.init(id: id, name: name)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decode(Int.self, forKey: .size)
        note = try container.decodeIfPresent(String.self, forKey: .note)
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
        try container.encodeIfPresent(note, forKey: .note)
        try super.encode(to: encoder)
    }
}

private struct Inner: Codable, Equatable {
    var id: Int
    var tags: [String]
    var when: Date?
}

private struct Outer: Codable, Equatable {
    var id: Int
    var inner: Inner
    var maybe: Inner?
    var table: [String: Int]
}

/// Column types, from the test suite of Perfect-SQLite.
extension TableConformance {
    static var classicTypes: [(promise: String, check: Check)] {
        [
            ("AllPrimTypes1: all types are stored, read back and compared", allPrimTypes1),
            ("AllPrimTypes2: optionals of all types are stored, read back and compared", allPrimTypes2),
            ("URL: URLs are columns", url),
            ("ModelClasses: classes that inherit are rows", modelClasses),
            ("CodableProperty: a nested Codable value is a column", codableProperty),
        ]
    }

    private static func allPrimTypes1(_ db: Database<C>) throws {
        let table = try db.create(AllTypes.self, policy: .dropTable)
        let one = AllTypes(
            int: 1, uint: 2, int64: 3, uint64: 4, int32: 5, uint32: 6, int16: 7, uint16: 8, int8: 9, uint8: 10,
            double: 11.25, float: 12.5, string: "13", bytes: [-1, 4], ubytes: [1, 4], bool: true,
            date: Date(timeIntervalSinceReferenceDate: 14.125), uuid: UUID())
        try table.insert(one)
        try requireEqual(try table.first(), one, "The row")
        let conditions: [(String, Condition)] = [
            ("int", \AllTypes.int == one.int), ("uint", \AllTypes.uint == one.uint),
            ("int64", \AllTypes.int64 == one.int64), ("uint64", \AllTypes.uint64 == one.uint64),
            ("int32", \AllTypes.int32 == 5), ("uint32", \AllTypes.uint32 == 6), ("int16", \AllTypes.int16 == 7),
            ("uint16", \AllTypes.uint16 == 8), ("int8", \AllTypes.int8 == 9), ("uint8", \AllTypes.uint8 == 10),
            ("double", \AllTypes.double == one.double), ("float", \AllTypes.float == one.float),
            ("string", \AllTypes.string == one.string), ("bytes", \AllTypes.bytes == one.bytes),
            ("ubytes", \AllTypes.ubytes == one.ubytes), ("bool", \AllTypes.bool == true),
            ("date", \AllTypes.date == one.date), ("uuid", \AllTypes.uuid == one.uuid),
        ]
        for (name, condition) in conditions {
            try requireEqual(try table.where(condition).count(), 1, "Equality of \(name)")
            try requireEqual(try table.where(!condition).count(), 0, "The negation for \(name)")
        }
    }

    private static func allPrimTypes2(_ db: Database<C>) throws {
        let table = try db.create(AllOptionals.self, policy: .dropTable)
        let none = AllOptionals()
        let all = AllOptionals(
            int: .min, uint: .max, int64: .max, uint64: .max, int32: .min, uint32: .max, int16: .min, uint16: .max,
            int8: .min, uint8: .max, double: -.infinity, float: .greatestFiniteMagnitude, string: "", bytes: [],
            ubytes: [], bool: false, date: .distantPast, uuid: UUID())
        try table.insert([none, all])
        try requireEqual(try table.where(\AllOptionals.int == nil).all(), [none], "The row of nils")
        try requireEqual(try table.where(\AllOptionals.int != nil).all(), [all], "The row of values")
        try requireEqual(try table.where(\AllOptionals.uint64 == UInt64.max).count(), 1, "The greatest UInt64")
        try requireEqual(try table.where(\AllOptionals.int8 != 5).count(), 1, "An inequality leaves out NULL")
        try requireEqual(try table.where(\AllOptionals.ubytes == []).count(), 1, "No bytes are not NULL")
        try requireEqual(
            try table.where(\AllOptionals.bool == nil && \AllOptionals.uuid == nil).count(), 1, "Several nils")
    }

    private static func url(_ db: Database<C>) throws {
        let table = try db.create(Page.self)
        let address = try required(URL(string: "https://example.org/a?b=c#d"), "The URL")
        let page = Page(id: 1, address: address, other: nil)
        try table.insert(page)
        try requireEqual(try table.first(), page, "The row")
        try requireEqual(try table.where(\Page.address == address).count(), 1, "Equality")
    }

    private static func modelClasses(_ db: Database<C>) throws {
        let table = try db.create(Derived.self)
        try table.insert([
            Derived(id: 1, name: "a", size: 2, note: nil), Derived(id: 2, name: nil, size: 3, note: "b"),
        ])
        let rows = try table.order(by: \.id).all()
        try requireEqual(rows.map(\.name), ["a", nil], "Inherited properties")
        try requireEqual(rows.map(\.size), [2, 3], "Own properties")
        try requireEqual(try table.where(\Derived.size == 3).first()?.note, "b", "A condition")
    }

    private static func codableProperty(_ db: Database<C>) throws {
        let table = try db.create(Outer.self)
        let inner = Inner(id: 5, tags: ["x", "ü"], when: Date(timeIntervalSinceReferenceDate: 0.1))
        let rows = [
            Outer(id: 1, inner: inner, maybe: nil, table: ["a": 1]),
            Outer(id: 2, inner: inner, maybe: inner, table: [:]),
        ]
        try table.insert(rows)
        try requireEqual(try table.order(by: \.id).all(), rows, "The rows")
    }
}
