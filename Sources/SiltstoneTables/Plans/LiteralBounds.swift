import TableKit

/// The position of a literal among the values of a column's type: equal to one, or between two.
struct LiteralBounds {
    /// The value of the type that equals the literal.
    private(set) var exact: ColumnValue?
    /// The greatest value of the type not above the literal. Nil: all are above.
    private(set) var below: ColumnValue?
    /// The least value of the type not below the literal. Nil: all are below.
    private(set) var above: ColumnValue?
    /// The order of all values of the type relative to the literal, if they are of different kinds.
    private(set) var orderOfKinds: Int?

    /// - Parameter value: not NULL.
    init(_ value: ColumnValue, for type: ColumnType) {
        switch value {
        case .integer, .unsigned, .real:
            if type.isInteger {
                placeAmongIntegers(value, type)
                return
            }
            if type.isFloatingPoint {
                placeAmongReals(value, type)
                return
            }
        case .bool where type == .bool, .date where type == .date, .uuid where type == .uuid,
            .text where type == .string, .bytes where type == .bytes, .json where type == .json:
            exact = value
            return
        default: break
        }
        orderOfKinds = ColumnValue.order(type.sample, value)
    }

    private mutating func placeAmongIntegers(_ value: ColumnValue, _ type: ColumnType) {
        let (least, greatest) = type.integerLimits
        if ColumnValue.order(value, least) < 0 { return above = least }
        if ColumnValue.order(value, greatest) > 0 { return below = greatest }
        guard case .real(let real) = value else { return exact = value }
        below = ColumnValue(wholeReal: real.rounded(.down))
        above = ColumnValue(wholeReal: real.rounded(.up))
        if real == real.rounded(.down) { exact = below }
    }

    private mutating func placeAmongReals(_ value: ColumnValue, _ type: ColumnType) {
        let near =
            switch value {
            case .integer(let number): Double(number)
            case .unsigned(let number): Double(number)
            case .real(let number): number
            default: 0.0
            }
        let rounded = type == .float ? Double(Float(near)) : near
        let order = ColumnValue.order(.real(rounded), value)
        func neighbour(_ isUp: Bool) -> ColumnValue {
            guard type == .float else { return .real(isUp ? rounded.nextUp : rounded.nextDown) }
            let float = Float(rounded)
            return .real(Double(isUp ? float.nextUp : float.nextDown))
        }
        if order == 0 { return exact = .real(rounded) }
        (below, above) = order < 0 ? (.real(rounded), neighbour(true)) : (neighbour(false), .real(rounded))
    }
}

extension ColumnValue {
    /// A whole real as an integer value.
    fileprivate init?(wholeReal real: Double) {
        if let value = Int64(exactly: real) {
            self = .integer(value)
        } else if let value = UInt64(exactly: real) {
            self = ColumnValue(value)
        } else {
            return nil
        }
    }
}

extension ColumnType {
    /// The greatest value of an integer type, or `Int64.max` where that is less. Nil for other types.
    var greatestInteger: Int64? {
        if !isInteger { return nil }
        return if case .integer(let greatest) = integerLimits.1 { greatest } else { .max }
    }

    /// The least and the greatest value of an integer type.
    fileprivate var integerLimits: (ColumnValue, ColumnValue) {
        switch self {
        case .int8: (.integer(-128), .integer(127))
        case .int16: (.integer(-32_768), .integer(32_767))
        case .int32: (.integer(Int64(Int32.min)), .integer(Int64(Int32.max)))
        case .uint8: (.integer(0), .integer(255))
        case .uint16: (.integer(0), .integer(65_535))
        case .uint32: (.integer(0), .integer(Int64(UInt32.max)))
        case .uint64: (.integer(0), ColumnValue(UInt64.max))
        default: (.integer(.min), .integer(.max))
        }
    }
}
