import Foundation
import SiltstoneTesting
import TableKit
import Testing

struct RowDecoderTests {
    init() { QuietErrors.begin() }

    struct Old: Codable { var id: Int, name: String, gone: String }
    struct New: Codable, Equatable { var id: Int32, name: String, score: Double, note: String? }

    /// Rows of `Old` as the columns of `New`.
    private func shape(_ score: ShapeColumn, _ note: ShapeColumn) throws -> RowShape {
        let old = try TableStructure.of(Old.self).layout.slots, new = try TableStructure.of(New.self)
        return RowShape(new, columns: [[.slot(old[0]), .slot(old[1]), score, note]])
    }

    private func decode(_ score: ShapeColumn, _ note: ShapeColumn, id: Int = 1) throws -> [New] {
        try RowCoding.items(
            New.self, RowCoding.rows([Old(id: id, name: "n", gone: "g")]), shape: shape(score, note))
    }

    @Test func olderRowsHaveTheDefaultOrNull() throws {
        #expect(try decode(.absent(.real(2.5)), .absent(.null)) == [New(id: 1, name: "n", score: 2.5, note: nil)])
        #expect(try decode(.absent(.integer(2)), .absent(.text("t"))) == [New(id: 1, name: "n", score: 2, note: "t")])
    }

    @Test func aColumnThatIsNotThereIsNilOrThrows() throws {
        #expect(try decode(.absent(.real(0)), .missing).first?.note == nil)
        let error = #expect(throws: CRUDDecoderError.self) { try decode(.missing, .missing) }
        #expect(error?.code == .noColumn)
        #expect(error?.table == "New")
        #expect(error?.column == "score")
    }

    @Test func nullForAPropertyThatIsNotOptionalThrows() throws {
        let error = #expect(throws: CRUDDecoderError.self) { try decode(.absent(.null), .missing) }
        #expect(error?.column == "score")
    }

    @Test func aStoredNumberOutOfThePropertysRangeThrows() throws {
        #expect(try decode(.absent(.real(0)), .missing, id: Int(Int32.max)).first?.id == .max)
        let error = #expect(throws: CRUDDecoderError.self) {
            try decode(.absent(.real(0)), .missing, id: Int(Int32.max) + 1)
        }
        #expect(error?.code == .type)
        #expect(error?.column == "id")
    }

    @Test func aStoredNumberAboveTheGreatestFloatIsAnErrorAndNoInfinity() throws {
        struct Stored: Codable {
            var x: Double
        }
        struct Read: Codable {
            var x: Float
        }
        let stored = try TableStructure.of(Stored.self)
        let shape = RowShape(try TableStructure.of(Read.self), columns: [stored.layout.slots.map(ShapeColumn.slot)])
        func read(_ value: Double) throws -> Float? {
            let rows = try RowCoding.rows([Stored(x: value)])
            let items = try RowCoding.items(Read.self, rows, shape: shape)
            return items.first?.x
        }
        #expect(try read(0.1) == 0.1)
        #expect(try read(-.infinity) == -.infinity)
        #expect(try read(.nan)?.isNaN == true)
        #expect(try read(Double(Float.greatestFiniteMagnitude)) == .greatestFiniteMagnitude)
        for value in [1e300, -1e39] {
            let error = #expect(throws: CRUDDecoderError.self) { try read(value) }
            #expect(error?.code == .type && error?.column == "x")
        }
    }

    @Test func anUnknownLayoutIsDamage() throws {
        var rows = try RowCoding.rows([Old(id: 1, name: "", gone: "")])
        rows.bytes[2] = 9
        let error = #expect(throws: CRUDDecoderError.self) { try RowCoding.items(Old.self, rows) }
        #expect(error?.code == .corrupt)
    }

    @Test func rowsOfSeveralLayoutsStandInOneBatch() throws {
        let structure = try TableStructure.of(New.self)
        let second = RowLayout(number: 1, types: [.string, .int64])
        let shape = RowShape(
            structure,
            columns: [
                structure.layout.slots.map(ShapeColumn.slot),
                [.slot(second.slots[1]), .slot(second.slots[0]), .absent(.real(1)), .missing],
            ])
        let first = New(id: 1, name: "one", score: 0.5, note: "n")
        var rows = try RowCoding.rows([first])
        try rows.append([.text("two"), .integer(2)], layout: second)
        try RowEncoder<New>(structure).append(first, to: &rows)
        let expected = [first, New(id: 2, name: "two", score: 1, note: nil), first]
        #expect(try RowCoding.items(New.self, rows, shape: shape) == expected)
    }

    /// Columns of another structure are matched by name: results of SQL.
    @Test func columnsOfAnotherStructureAreFoundByName() throws {
        let rows = try RowCoding.rows([Old(id: 4, name: "n", gone: "g")])
        struct Part: Codable { var gone: String, id: Int, more: Int? }
        let parts = try RowCoding.items(Part.self, rows, shape: RowShape(try TableStructure.of(Old.self)))
        #expect(parts.map(\.id) == [4] && parts.map(\.gone) == ["g"])
    }

    enum Colour: String, Codable { case red, green }
    struct Coloured: Codable { var id: Int, colour: Colour? }

    @Test func anUnknownRawValueThrows() throws {
        let rows = try RowCoding.row(Coloured.self, [.integer(1), .text("violet")])
        let error = #expect(throws: CRUDDecoderError.self) { try RowCoding.items(Coloured.self, rows) }
        #expect(error?.column == "colour")
        #expect(error?.message.contains("violet") == true)
        #expect(
            try RowCoding.items(Coloured.self, RowCoding.row(Coloured.self, [.integer(1), .null])).first?.colour == nil)
    }

    struct Nested: Codable { var id: Int, part: Coloured }

    @Test func jsonThatDoesNotDecodeThrowsWithItsColumn() throws {
        for json in ["", "{", "{\"id\":1}", "[]"] where json != "{\"id\":1}" {
            let rows = try RowCoding.row(Nested.self, [.integer(1), .json(json)])
            let error = #expect(throws: CRUDDecoderError.self) { try RowCoding.items(Nested.self, rows) }
            #expect(error?.column == "part")
        }
    }

    @Test func theItemsBeforeOneThatFailsAreThere() throws {
        let structure = try TableStructure.of(Coloured.self)
        var batch = RowBatch(shape: RowShape(structure))
        for colour in ["red", "green", "violet", "red"] {
            try batch.rows.append([.integer(1), .text(colour)], layout: structure.layout)
        }
        var items: [Coloured] = []
        #expect(throws: CRUDDecoderError.self) {
            try BatchDecoder<Coloured>(Query(structure)).decode(batch, into: &items)
        }
        #expect(items.map(\.colour) == [.red, .green])
    }

    struct Keeping: Codable {
        var id: Int
        let container: KeyedDecodingContainer<CodingKeys>
        enum CodingKeys: CodingKey { case id }
        struct Source: Codable { var id: Int }
        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
        }
    }

    @Test func aContainerThatATypeKeepsReadsNothingAfterwards() throws {
        let rows = try RowCoding.rows([Keeping.Source(id: 3)])
        let shape = RowShape(try TableStructure.of(Keeping.Source.self))
        let kept = try #require(try RowCoding.items(Keeping.self, rows, shape: shape).first)
        #expect(kept.id == 3)
        #expect(throws: CRUDDecoderError.self) { try kept.container.decode(Int.self, forKey: .id) }
        #expect(try kept.container.decodeIfPresent(Int.self, forKey: .id) == nil)
    }

    /// More decoders at once than are kept for later: those above are freed, and the containers of their items are not.
    @Test func aContainerThatATypeKeepsOutlivesItsDecoder() throws {
        let structure = try TableStructure.of(Keeping.Source.self), shape = RowShape(structure)
        let rows = try RowCoding.rows([Keeping.Source(id: 3)])
        var decoders = (0..<40).map { _ in RowDecoder<Keeping>(structure) }
        let kept = try decoders.map { decoder in try rows.withRow(0) { try decoder.decode($0, shape: shape) } }
        decoders = []
        for item in kept {
            #expect(item.id == 3)
            #expect(throws: CRUDDecoderError.self) { try item.container.decode(Int.self, forKey: .id) }
            #expect(try item.container.decodeIfPresent(Int.self, forKey: .id) == nil)
        }
    }

    struct KeepingDecoder: Decodable {
        let decoder: any Decoder
        init(from decoder: any Decoder) throws { self.decoder = decoder }
    }

    @Test func aDecoderThatATypeKeepsReadsNothingAfterwards() throws {
        let structure = try TableStructure.of(Keeping.Source.self), shape = RowShape(structure)
        let rows = try RowCoding.rows([Keeping.Source(id: 3)])
        var decoders = (0..<40).map { _ in RowDecoder<KeepingDecoder>(structure) }
        let kept = try decoders.map { decoder in try rows.withRow(0) { try decoder.decode($0, shape: shape) } }
        decoders = []
        for item in kept {
            #expect(throws: CRUDDecoderError.self) {
                try item.decoder.container(keyedBy: Keeping.CodingKeys.self).decode(Int.self, forKey: .id)
            }
        }
    }

    // MARK: Damage

    struct Everything: Codable {
        var id: Int, flag: Bool, name: String, note: String?, data: Data, date: Date, uuid: UUID?, colour: Colour
        var part: [String: Int], url: URL?, small: Int8
    }

    /// A row of any bytes either decodes or throws; it never traps, and reads nothing outside itself.
    @Test func damagedRowsThrow() throws {
        let item = Everything(
            id: 1, flag: true, name: "name", note: nil, data: Data([1, 2]), date: Date(), uuid: UUID(), colour: .red,
            part: ["a": 1], url: URL(string: "a:b"), small: 3)
        let whole = try RowCoding.rows([item])
        let structure = try TableStructure.of(Everything.self), shape = RowShape(structure)
        let decoder = RowDecoder<Everything>(structure)
        var random = SystemRandomNumberGenerator()
        var failures = 0
        for round in 0..<20_000 {
            var bytes = whole.bytes
            if round % 3 == 0 { bytes.removeLast(Int.random(in: 1...bytes.count, using: &random)) }
            if round % 3 == 1 {
                bytes = (0..<Int.random(in: 0...80)).map { _ in .random(in: 0...255) } + bytes.dropFirst(40)
            }
            for _ in 0..<round % 5 where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count)] = .random(in: 0...255)
            }
            if round % 3 != 2, !bytes.isEmpty { bytes[0] = RowLayout.format }
            do {
                _ = try decoder.decode(bytes.span.bytes, shape: shape)
            } catch is CRUDDecoderError {
                failures += 1
            }
        }
        #expect(failures > 5_000)
        #expect(try whole.withRow(0) { try decoder.decode($0, shape: shape).name } == "name")
    }

    @Test func endsThatAreNoPlacesInTheBytesThrow() throws {
        for ends in [[-1], [1_000_000], [40, 3], [Int.max]] {
            var rows = try RowCoding.rows([Old(id: 1, name: "n", gone: "g")])
            rows.ends = ends
            #expect(throws: CRUDDecoderError.self) { try RowCoding.items(Old.self, rows) }
        }
    }
}
