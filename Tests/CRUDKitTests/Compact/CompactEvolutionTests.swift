import CRUDKit
import Foundation
import Testing

struct CompactEvolutionTests {
    private func recode<A: Encodable, B: Decodable>(_ value: A, as type: B.Type) throws -> B {
        try CompactDecoder().decode(B.self, from: CompactEncoder().encode(value))
    }

    private struct Old: Codable, Equatable { var id = 1, name = "Ann", extra = [["x": 1], [:]], last = "z" }

    @Test("Fields that were added are nil where they are optional, and an error where they are not") func addedFields()
        throws
    {
        struct New: Codable { var id: Int, added: String?, name: String, more: [Int]?, last: String }
        let new = try recode([Old(), Old()], as: [New].self)[1]
        #expect(new.id == 1 && new.name == "Ann" && new.last == "z" && new.added == nil && new.more == nil)
        struct Strict: Codable { var id: Int, added: String }
        #expect(throws: DecodingError.self) { try recode(Old(), as: Strict.self) }
    }

    @Test("Fields that were removed are skipped, whatever they held") func removedFields() throws {
        struct New: Codable { var last: String }
        #expect(try recode([Old(), Old()], as: [New].self).map(\.last) == ["z", "z"])
        struct None: Codable {}
        #expect(try recode([Old(), Old()], as: [None].self).count == 2)
    }

    @Test("Fields may change their order, however many there are") func reorderedFields() throws {
        struct A: Codable { var a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9 }
        struct B: Codable, Equatable { var i = 9, h = 8, g = 7, f = 6, e = 5, d = 4, c = 3, b = 2, a = 1 }
        #expect(try recode([A(), A()], as: [B].self) == [B(), B()])
    }

    @Test("Numbers may change their type, as long as they fit") func numbers() throws {
        #expect(try recode(5, as: Double.self) == 5)
        #expect(try recode(-5.0, as: Int8.self) == -5)
        #expect(try recode(Float(0.5), as: Double.self) == 0.5)
        #expect(try recode(0.1, as: Float.self) == 0.1)
        #expect(try recode(UInt64.max, as: UInt128.self) == UInt128(UInt64.max))
        #expect(throws: DecodingError.self) { try recode(300, as: UInt8.self) }
        #expect(throws: DecodingError.self) { try recode(-1, as: UInt.self) }
        #expect(throws: DecodingError.self) { try recode(0.5, as: Int.self) }
        #expect(throws: DecodingError.self) { try recode(1e300, as: Float.self) }
        #expect(throws: DecodingError.self) { try recode(Double.nan, as: Int.self) }
    }

    @Test("Values of another kind are errors that tell both") func mismatches() throws {
        for attempt: () throws -> Void in [
            { _ = try recode("5", as: Int.self) }, { _ = try recode(5, as: String.self) },
            { _ = try recode([1], as: [String: Int].self) }, { _ = try recode(["a": 1], as: [Int].self) },
            { _ = try recode(1, as: Bool.self) }, { _ = try recode(Int?.none, as: Int.self) },
            { _ = try recode("not a UUID", as: UUID.self) },
        ] {
            #expect(throws: DecodingError.self) { try attempt() }
        }
    }
}
