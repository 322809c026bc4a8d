import Foundation
import TableKit
import Testing

struct RowDecodableTests {
    enum Colour: String, Codable { case red, green }
    struct Child: Codable, Equatable { var id: Int }

    struct Item: Codable, RowDecodable, Equatable {
        var id: Int, name: String?, score: Double, date: Date, colour: Colour, parts: [String: Int], nothing: UUID?
        var children: [Child]?
        var isByRow = false

        enum CodingKeys: CodingKey { case id, name, score, date, colour, parts, nothing, children }

        init(id: Int) {
            self.id = id
            name = "n"
            score = 1.5
            date = Date(timeIntervalSinceReferenceDate: 1)
            colour = .green
            parts = ["a": 1]
        }

        init(row: borrowing Row) throws {
            id = try row.value(0)
            name = try row.value(1)
            score = try row.value(2)
            date = try row.value(3)
            colour = try row.value(4)
            parts = try row.value(5)
            nothing = try row.value(6)
            children = try row.joined("children")
            isByRow = true
        }
    }

    struct Part: Codable, RowDecodable {
        static var rowColumns: [String]? { ["score", "id"] }
        var id: Int, name: String?, score: Double
        init(row: borrowing Row) throws {
            score = try row.value(0)
            id = try row.value(1)
        }
    }

    struct TooMany: Codable, RowDecodable {
        var id: Int
        init(row: borrowing Row) throws {
            let none: Int? = try row.value(-1)
            id = try row.value(none ?? 7)
        }
    }

    @Test func theRowIsReadByNumber() throws {
        var expected = Item(id: 5)
        expected.isByRow = true
        #expect(try RowCoding.roundTrip([Item(id: 5)]) == [expected])
    }

    @Test func theColumnsMayBeNamed() throws {
        let rows = try RowCoding.rows([Item(id: 9)])
        let parts = try RowCoding.items(Part.self, rows, shape: RowShape(try TableStructure.of(Item.self)))
        #expect(parts.map(\.id) == [9] && parts.map(\.score) == [1.5])
    }

    @Test func aNumberThatIsNoColumnThrows() throws {
        let rows = try RowCoding.rows([Child(id: 9)])
        #expect(throws: CRUDDecoderError.self) {
            try RowCoding.items(TooMany.self, rows, shape: RowShape(try TableStructure.of(Child.self)))
        }
    }

    @Test func joinedArraysAreThere() throws {
        let structure = try TableStructure.of(Item.self), child = try TableStructure.of(Child.self)
        var query = Query(structure)
        query.sources.append(child)
        query.joins = [JoinClause(property: "children", source: 1, on: 0, equals: 0)]
        var batch = RowBatch(shape: RowShape(structure))
        batch.rows = try RowCoding.rows([Item(id: 1)])
        var joined = JoinedRows(shape: RowShape(child))
        joined.rows = try RowCoding.rows([Child(id: 2)])
        (joined.ends, joined.members) = ([1], [0])
        batch.joined = [joined]
        var items: [Item] = []
        try BatchDecoder<Item>(query, children: [ChildDecoder.of(Child.self)]).decode(batch, into: &items)
        #expect(items.first?.children == [Child(id: 2)])
    }
}
