/// The storage type of a column.
///
/// ``ColumnConvertible`` maps Swift types to it: `Int` and `Int64` to ``int64``; `Data`, `[UInt8]` and `[Int8]` to
/// ``bytes``; `URL` to ``string``; an enum to the type of its raw value. All other `Codable` values are ``json``.
public enum ColumnType: UInt8, Sendable, Hashable, Codable, CaseIterable {
    /// True or false.
    case bool = 1
    /// A signed integer of 8 bits.
    case int8 = 2
    /// A signed integer of 16 bits.
    case int16 = 3
    /// A signed integer of 32 bits.
    case int32 = 4
    /// A signed integer of 64 bits.
    case int64 = 5
    /// An unsigned integer of 8 bits.
    case uint8 = 6
    /// An unsigned integer of 16 bits.
    case uint16 = 7
    /// An unsigned integer of 32 bits.
    case uint32 = 8
    /// An unsigned integer of 64 bits.
    case uint64 = 9
    /// A real number of 32 bits.
    case float = 10
    /// A real number of 64 bits.
    case double = 11
    /// Seconds since the reference date, as a `Double`.
    case date = 12
    /// 16 bytes.
    case uuid = 13
    /// UTF-8.
    case string = 14
    /// Any number of bytes.
    case bytes = 15
    /// A nested `Codable` value as UTF-8 JSON with sorted keys. Keys and indexes cannot contain it.
    case json = 16

    /// The width in bytes of a value in the fixed part of a row, or nil for types of variable length.
    public var fixedWidth: Int? {
        switch self {
        case .bool, .int8, .uint8: 1
        case .int16, .uint16: 2
        case .int32, .uint32, .float: 4
        case .int64, .uint64, .double, .date: 8
        case .uuid: 16
        case .string, .bytes, .json: nil
        }
    }

    /// True for integer types of any width.
    public var isInteger: Bool { rawValue >= ColumnType.int8.rawValue && rawValue <= ColumnType.uint64.rawValue }

    /// True for ``float`` and ``double``.
    public var isFloatingPoint: Bool { self == .float || self == .double }
}
