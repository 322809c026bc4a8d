import Foundation
import Testing

@testable import TableKit

private enum Kind: String, Codable { case small, large }
private enum Level: Int, Codable { case low, high }
private struct Address: Codable, Equatable { let street: String }

private struct Every: Codable {
    let id: Int
    let int8: Int8, int16: Int16, int32: Int32, int64: Int64
    let uint: UInt, uint8: UInt8, uint16: UInt16, uint32: UInt32, uint64: UInt64
    let double: Double, float: Float, bool: Bool, string: String
    let uuid: UUID, date: Date, url: URL, data: Data, blob: [UInt8], sblob: [Int8]
    let kind: Kind, level: Level, address: Address
    let optInt: Int?, optInt8: Int8?, optUInt64: UInt64?, optDouble: Double?, optFloat: Float?, optBool: Bool?
    let optString: String?, optUUID: UUID?, optDate: Date?, optBlob: [UInt8]?, optKind: Kind?, optAddress: Address?
}

private struct Other: Codable {
    let id: Int
    let name: String
    let optName: String?
}

struct OperatorTests {
    /// The comparison, with its value, that a condition is.
    private func compared(_ condition: Condition) -> (sign: String, value: ColumnValue?)? {
        switch condition.crudExpression {
        case .equality(_, let value): ("==", value.literal)
        case .inequality(_, let value): ("!=", value.literal)
        case .lessThan(_, let value): ("<", value.literal)
        case .lessThanEqual(_, let value): ("<=", value.literal)
        case .greaterThan(_, let value): (">", value.literal)
        case .greaterThanEqual(_, let value): (">=", value.literal)
        default: nil
        }
    }

    @Test("equality takes a value of the property's type, for every type")
    func equality() {
        let id = UUID(), now = Date(), byte: UInt8 = 1, signed: Int8 = -1, data = Data([1])
        let url = URL(fileURLWithPath: "/a")
        let conditions: [(Condition, ColumnValue)] = [
            (\Every.id == 5, .integer(5)), (\Every.int8 == signed, .integer(-1)), (\Every.int16 == 5, .integer(5)),
            (\Every.int32 == 5, .integer(5)), (\Every.int64 == 5, .integer(5)), (\Every.uint == 5, .integer(5)),
            (\Every.uint8 == byte, .integer(1)), (\Every.uint16 == 5, .integer(5)), (\Every.uint32 == 5, .integer(5)),
            (\Every.uint64 == UInt64.max, .unsigned(.max)), (\Every.double == 1.5, .real(1.5)),
            (\Every.double == 1, .real(1)), (\Every.float == 1.5, .real(1.5)), (\Every.bool == true, .bool(true)),
            (\Every.string == "a", .text("a")), (\Every.uuid == id, .uuid(id)), (\Every.date == now, .date(now)),
            (\Every.url == url, .text(url.absoluteString)), (\Every.data == data, .bytes([1])),
            (\Every.blob == [1, 2], .bytes([1, 2])), (\Every.sblob == [-1], .bytes([255])),
            (\Every.kind == .small, .text("small")), (\Every.level == .high, .integer(1)),
            (\Every.optInt == 5, .integer(5)), (\Every.optInt8 == 5, .integer(5)), (\Every.optUInt64 == 5, .integer(5)),
            (\Every.optDouble == 1.5, .real(1.5)), (\Every.optFloat == 1.5, .real(1.5)),
            (\Every.optBool == false, .bool(false)), (\Every.optString == "a", .text("a")),
            (\Every.optUUID == id, .uuid(id)), (\Every.optDate == now, .date(now)),
            (\Every.optBlob == [1], .bytes([1])), (\Every.optKind == .large, .text("large")),
            (\Every.optString! == "a", .text("a")),
        ]
        for (condition, value) in conditions {
            #expect(compared(condition)?.sign == "==")
            #expect(compared(condition)?.value == value)
        }
    }

    @Test("an integer column takes an Int that is out of its range")
    func outOfRange() {
        let big = 300
        for condition in [\Every.int8 == 300, \Every.int8 == big, \Every.optInt8 == 300, \Every.uint8 == 300] {
            #expect(compared(condition)?.value == .integer(300))
        }
        #expect(compared(\Every.uint == -1)?.value == .integer(-1))
        #expect(compared(\Every.uint64 < -1)?.value == .integer(-1))
        #expect(compared(\Every.int8 >= 300)?.value == .integer(300))
    }

    @Test("nil is NULL, for every optional, also of nested values")
    func null() {
        let none: String? = nil
        let conditions: [Condition] = [
            \Every.optInt == nil, \Every.optInt8 == nil, \Every.optDouble == nil, \Every.optBool == nil,
            \Every.optString == nil, \Every.optUUID == nil, \Every.optDate == nil, \Every.optBlob == nil,
            \Every.optKind == nil, \Every.optAddress == nil, \Every.optString == none,
        ]
        for condition in conditions {
            #expect(compared(condition)?.sign == "==")
            #expect(compared(condition)?.value == .null)
        }
        let negations: [Condition] = [
            \Every.optInt != nil, \Every.optKind != nil, \Every.optAddress != nil, \Every.optUUID != nil,
        ]
        for condition in negations {
            #expect(compared(condition)?.sign == "!=")
            #expect(compared(condition)?.value == .null)
        }
    }

    @Test("inequality takes every type, too")
    func inequality() {
        let conditions: [Condition] = [
            \Every.id != 5, \Every.int8 != 5, \Every.uint8 != 5, \Every.uint16 != 5, \Every.uint32 != 5,
            \Every.uint64 != 5, \Every.uint64 != UInt64.max, \Every.uint != -1, \Every.double != 1.5,
            \Every.float != 1.5, \Every.bool != true, \Every.string != "a", \Every.uuid != UUID(),
            \Every.date != Date(), \Every.blob != [1], \Every.sblob != [-1], \Every.kind != .small,
            \Every.optString != "a", \Every.optKind != .small, \Every.data != Data(),
        ]
        for condition in conditions { #expect(compared(condition)?.sign == "!=") }
    }

    @Test("order compares every type")
    func comparison() {
        let less: [Condition] = [
            \Every.id < 5, \Every.int8 < 5, \Every.uint64 < 5, \Every.double < 1.5, \Every.float < 1.5,
            \Every.string < "a", \Every.bool < true, \Every.uuid < UUID(), \Every.date < Date(), \Every.blob < [1],
            \Every.optInt! < 170, \Every.optInt < 170, \Every.optDouble! < 1, \Every.kind < .small,
        ]
        for condition in less { #expect(compared(condition)?.sign == "<") }
        #expect(compared(\Every.id <= 5)?.sign == "<=")
        #expect(compared(\Every.id > 5)?.sign == ">")
        #expect(compared(\Every.optDouble! >= 170)?.sign == ">=")
    }

    @Test("a column compares with another, of this type or another")
    func columns() {
        let conditions: [Condition] = [
            \Every.id == \Other.id, \Every.string != \Other.name, \Every.id < \Every.optInt!,
            \Every.optString == \Other.optName,
        ]
        for condition in conditions {
            switch condition.crudExpression {
            case .equality(_, .keyPath), .inequality(_, .keyPath), .lessThan(_, .keyPath): break
            default: Issue.record("\(condition)")
            }
        }
    }

    @Test("containment takes arrays of every type, of optionals, and of Int beside narrow integers")
    func containment() {
        let strings = ["a", "b"], ids = [UUID()], dates = [Date()], numbers = [1, 300]
        let conditions: [(Condition, Int)] = [
            (\Every.id ~ [2, 4], 2), (\Every.id ~ numbers, 2), (\Every.int8 ~ [1, 300], 2), (\Every.int8 ~ numbers, 2),
            (\Every.uint64 ~ [UInt64.max], 1), (\Every.double ~ [1.5], 1), (\Every.string ~ strings, 2),
            (\Every.uuid ~ ids, 1), (\Every.date ~ dates, 1), (\Every.optInt ~ [1], 1), (\Every.optInt8 ~ numbers, 2),
            (\Every.optString ~ strings, 2), (\Every.optString ~ ["a"], 1), (\Every.optUUID ~ ids, 1),
            (\Every.optDate ~ dates, 1), (\Every.kind ~ [.small], 1), (\Every.optKind ~ [.small, .large], 2),
            (\Every.string ~ [], 0), (\Every.optString ~ ["a", nil], 2), (\Every.blob ~ [[1]], 1),
        ]
        for (condition, count) in conditions {
            guard case .in(_, let values) = condition.crudExpression else {
                Issue.record("\(condition)")
                continue
            }
            #expect(values.count == count)
        }
        let negations: [Condition] = [
            \Every.id !~ [2], \Every.int8 !~ [300], \Every.double !~ [1.5], \Every.string !~ strings,
            \Every.uuid !~ ids, \Every.optInt !~ [1], \Every.optString !~ strings, \Every.optDouble !~ [1.5],
            \Every.optUUID !~ ids, \Every.optDate !~ dates, \Every.kind !~ [.small], \Every.optKind !~ [.small],
        ]
        for condition in negations {
            guard case .not(.in) = condition.crudExpression else {
                Issue.record("\(condition)")
                continue
            }
        }
    }

    @Test("patterns take strings and optional strings")
    func likeness() {
        func pattern(_ condition: Condition) -> String? {
            switch condition.crudExpression {
            case .like(_, let before, let text, let behind): "\(before ? "%" : "")\(text)\(behind ? "%" : "")"
            case .not(.like(_, let before, let text, let behind)):
                "not \(before ? "%" : "")\(text)\(behind ? "%" : "")"
            default: nil
            }
        }
        #expect(pattern(\Every.string %=% "me") == "%me%")
        #expect(pattern(\Every.string =% "me") == "me%")
        #expect(pattern(\Every.string %= "me") == "%me")
        #expect(pattern(\Every.string %!=% "me") == "not %me%")
        #expect(pattern(\Every.string !=% "me") == "not me%")
        #expect(pattern(\Every.string %!= "me") == "not %me")
        #expect(pattern(\Every.optString %=% "me") == "%me%")
        #expect(pattern(\Every.optString =% "me") == "me%")
        #expect(pattern(\Every.optString %= "me") == "%me")
        #expect(pattern(\Every.optString %!=% "me") == "not %me%")
        #expect(pattern(\Every.optString !=% "me") == "not me%")
        #expect(pattern(\Every.optString %!= "me") == "not %me")
    }

    @Test("logic takes conditions of all kinds, with parentheses as written")
    func logic() {
        let own: any CRUDBooleanExpression = \Every.id == 5
        let condition =
            own && (\Every.string == "a" || \Every.optInt != nil) && !(\Every.bool == true) && \Every.id ~ [1]
        guard case .and(.and(.and(_, .or), .not), .in) = condition.crudExpression else {
            Issue.record("\(condition)")
            return
        }
    }
}
