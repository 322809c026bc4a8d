package import TableKit

import struct Foundation.Date

/// A comparison of a column with a value, folded to one for which the server's order equals
/// ``ColumnValue/order(_:_:)``. Servers round, refuse or convert values of other types.
package enum FoldedComparison: Sendable, Hashable {
    /// A comparison with a value of this type. The column's type compares with it exactly.
    case compare(Comparison, ColumnValue, ColumnType)
    /// The same answer for every value except NULL.
    case constant(Bool)

    package init(_ comparison: Comparison, _ value: ColumnValue, with type: ColumnType, _ dialect: any SQLDialect) {
        switch value {
        case .integer(let number) where type.isInteger: self = .integer(comparison, Int128(number), type)
        case .unsigned(let number) where type.isInteger: self = .integer(comparison, Int128(number), type)
        case .real(let number) where type.isInteger: self = .whole(comparison, number, type)
        case .integer(let number) where type.isFloatingPoint: self = .real(comparison, number)
        case .unsigned(let number) where type.isFloatingPoint: self = .real(comparison, number)
        case .real(let number) where type.isFloatingPoint && dialect.refusal(of: value, type) != nil:
            // The server stores finite numbers only; NaN is above all numbers.
            self = .constant(comparison.holds(order: number == -.infinity ? 1 : -1))
        case .real where type.isFloatingPoint: self = .compare(comparison, value, .double)
        case .text(let text) where type == .string, .json(let text) where type == .json:
            self = .text(comparison, text, value, type, dialect)
        case .date(let date) where type == .date && dialect.refusal(of: value, type) != nil:
            self = .constant(comparison.holds(order: date.timeIntervalSinceReferenceDate == -.infinity ? 1 : -1))
        case .bool where type == .bool, .date where type == .date, .uuid where type == .uuid,
            .bytes where type == .bytes:
            self = .compare(comparison, value, type)
        // Values of different kinds are ordered by kind: one sample stands for all values of the column's type.
        default: self = .constant(comparison.holds(order: ColumnValue.order(type.sample, value)))
        }
    }

    private static func integer(_ comparison: Comparison, _ number: Int128, _ type: ColumnType) -> FoldedComparison {
        let range = range(of: type)
        if number < range.lowerBound { return .constant(comparison.holds(order: 1)) }
        if number > range.upperBound { return .constant(comparison.holds(order: -1)) }
        return .compare(comparison, Int64(exactly: number).map(ColumnValue.integer) ?? .unsigned(UInt64(number)), type)
    }

    /// An integer column and a real value.
    private static func whole(_ comparison: Comparison, _ real: Double, _ type: ColumnType) -> FoldedComparison {
        let floor = real.rounded(.down)
        // Not finite, or beyond all integers. NaN is above all numbers.
        guard let number = Int128(exactly: floor) else {
            return .constant(comparison.holds(order: real < 0 ? 1 : -1))
        }
        if floor == real { return integer(comparison, number, type) }
        switch comparison {
        case .equal: return .constant(false)
        case .notEqual: return .constant(true)
        case .less, .lessOrEqual: return integer(.lessOrEqual, number, type)
        case .greater, .greaterOrEqual: return integer(.greater, number, type)
        }
    }

    /// A real column and an integer value.
    private static func real(_ comparison: Comparison, _ number: some FixedWidthInteger) -> FoldedComparison {
        if let exact = Double(exactly: number) { return .compare(comparison, .real(exact), .double) }
        let nearest = Double(number)
        // The greatest real below the integer; no real lies between the two.
        let below = Int128(nearest) < Int128(number) ? nearest : nearest.nextDown
        switch comparison {
        case .equal: return .constant(false)
        case .notEqual: return .constant(true)
        case .less, .lessOrEqual: return .compare(.lessOrEqual, .real(below), .double)
        case .greater, .greaterOrEqual: return .compare(.greater, .real(below), .double)
        }
    }

    /// A text column and a text value. If the server refuses the value's null character, no stored text lies between
    /// the value's part before it and the value.
    private static func text(
        _ comparison: Comparison, _ text: String, _ value: ColumnValue, _ type: ColumnType, _ dialect: any SQLDialect
    ) -> FoldedComparison {
        guard dialect.refusal(of: value, type) != nil else { return .compare(comparison, value, type) }
        let before = String(decoding: text.utf8.prefix { $0 != 0 }, as: UTF8.self)
        let stored: ColumnValue = type == .json ? .json(before) : .text(before)
        switch comparison {
        case .equal: return .constant(false)
        case .notEqual: return .constant(true)
        case .less, .lessOrEqual: return .compare(.lessOrEqual, stored, type)
        case .greater, .greaterOrEqual: return .compare(.greater, stored, type)
        }
    }

    package static func range(of type: ColumnType) -> ClosedRange<Int128> {
        switch type {
        case .int8: -0x80...0x7f
        case .int16: -0x8000...0x7fff
        case .int32: -0x8000_0000...0x7fff_ffff
        case .uint8: 0...0xff
        case .uint16: 0...0xffff
        case .uint32: 0...0xffff_ffff
        case .uint64: 0...Int128(UInt64.max)
        default: Int128(Int64.min)...Int128(Int64.max)
        }
    }
}
