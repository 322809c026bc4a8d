import Foundation
import TableKit
import Testing

struct RowEncoderTests {
    struct Partial: Codable {
        var id: Int, name: String, note: String?
        init(id: Int, name: String, note: String? = nil) {
            self.id = id
            self.name = name
            self.note = note
        }
        /// Leaves the name out, and writes in an order of its own.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(note, forKey: .note)
            try container.encode(id, forKey: .id)
        }
    }

    @Test func whatTheItemLeavesOutIsNull() throws {
        #expect(try RowCoding.values(Partial(id: 1, name: "x")) == [.integer(1), .null, .null])
        #expect(try RowCoding.values(Partial(id: 1, name: "x", note: "n")) == [.integer(1), .null, .text("n")])
    }

    struct Disordered: Codable {
        var a: String, b: String?, c: String
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(c, forKey: .c)
            try container.encode("gone", forKey: .b)
            try container.encode("first", forKey: .a)
            try container.encodeNil(forKey: .b)
            try container.encode(a, forKey: .a)
        }
    }

    @Test func theOrderOfWritingDoesNotMatterAndTheLastValueStays() throws {
        let item = Disordered(a: "one", b: nil, c: "three")
        #expect(try RowCoding.values(item) == [.text("one"), .null, .text("three")])
        #expect(try RowCoding.rows([item]).bytes == RowCoding.row(Disordered.self, RowCoding.values(item)).bytes)
    }

    @Test func longRowsAreTheSameInAnyOrder() throws {
        let long = String(repeating: "ä", count: 40_000)
        for item in [
            Disordered(a: long, b: nil, c: "three"), Disordered(a: "one", b: nil, c: long),
            Disordered(a: "", b: nil, c: ""),
        ] {
            let rows = try RowCoding.rows([item, item])
            #expect(try RowCoding.values(item) == [.text(item.a), .null, .text(item.c)])
            let row = try RowCoding.row(Disordered.self, RowCoding.values(item)).bytes
            #expect(rows.bytes == row + row)
        }
    }

    struct Extra: Codable {
        var id: Int
        enum CodingKeys: String, CodingKey { case id, more }
        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
        }
        init(id: Int) { self.id = id }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            if id > 1 { try container.encode(1, forKey: .more) }
        }
    }

    @Test func anItemThatFailsLeavesTheRowsAsTheyWere() throws {
        let encoder = RowEncoder<Extra>(try TableStructure.of(Extra.self))
        var rows = RowBuffer()
        try encoder.append(Extra(id: 1), to: &rows)
        let before = rows.bytes
        let error = #expect(throws: CRUDEncoderError.self) { try encoder.append(Extra(id: 2), to: &rows) }
        #expect(error?.code == .noColumn)
        #expect(error?.column == "more")
        #expect(rows.bytes == before && rows.count == 1)
        try encoder.append(Extra(id: 0), to: &rows)
        #expect(try RowCoding.items(Extra.self, rows).map(\.id) == [1, 0])
    }

    struct Narrow: Codable {
        var id: Int8
        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int8.self, forKey: .id)
        }
        init(id: Int8) { self.id = id }
        enum CodingKeys: CodingKey { case id }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(100 * Int(id), forKey: .id)
        }
    }

    @Test func aValueOutOfTheColumnsRangeThrows() throws {
        #expect(try RowCoding.values(Narrow(id: 1)) == [.integer(100)])
        let error = #expect(throws: CRUDEncoderError.self) { try RowCoding.rows([Narrow(id: 2)]) }
        #expect(error?.code == .type)
        #expect(error?.column == "id")
    }

    struct Parent: Codable {
        struct Child: Codable { var id: Int }
        var id: Int, children: [Child]?
    }

    @Test func arraysOfSubTablesAreNotWritten() throws {
        #expect(try RowCoding.values(Parent(id: 1, children: [Parent.Child(id: 2)])) == [.integer(1)])
    }

    struct WithContainers: Codable {
        var id: Int
        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
        }
        init() { id = 0 }
        enum CodingKeys: CodingKey { case id }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var nested = container.nestedUnkeyedContainer(forKey: .id)
            try nested.encode(1)
        }
    }

    @Test func containersInARowAreRefused() {
        let error = #expect(throws: CRUDEncoderError.self) { try RowCoding.rows([WithContainers()]) }
        #expect(error?.code == .unsupported)
    }
}
