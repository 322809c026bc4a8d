import Foundation

/// Values that compare, equal and hash by ``ColumnValue/order(_:_:)``: the key of a row, a group, or a DISTINCT row.
package struct ValueTuple: Hashable, Comparable, Sendable {
    /// The values, the most significant first.
    package var values: [ColumnValue]

    package init(_ values: [ColumnValue]) { self.values = values }

    package static func == (left: ValueTuple, right: ValueTuple) -> Bool {
        left.values.count == right.values.count && zip(left.values, right.values).allSatisfy(ColumnValue.areSame)
    }

    package static func < (left: ValueTuple, right: ValueTuple) -> Bool {
        for (a, b) in zip(left.values, right.values) {
            let order = ColumnValue.order(a, b)
            if order != 0 { return order < 0 }
        }
        return left.values.count < right.values.count
    }

    package func hash(into hasher: inout Hasher) {
        for value in values { ValueTuple.hash(value, into: &hasher) }
    }

    /// Equal numbers of different types have the same hash.
    private static func hash(_ value: ColumnValue, into hasher: inout Hasher) {
        switch value {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .real(let value): hash(value, into: &hasher)
        case .date(let value): hash(value.timeIntervalSinceReferenceDate, into: &hasher)
        case .uuid(let value): hasher.combine(value)
        case .text(let value), .json(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .bytes(let value): hasher.combine(value)
        }
    }

    private static func hash(_ real: Double, into hasher: inout Hasher) {
        if let whole = Int64(exactly: real) {
            hasher.combine(whole)
        } else if let whole = UInt64(exactly: real) {
            hasher.combine(whole)
        } else {
            hasher.combine(real.isNaN ? Double.nan.bitPattern : real.bitPattern)
        }
    }
}
