/// The type of a column, as rows store it.
///
/// Swift types map to it by ``ColumnConvertible``: `Int` and `Int64` are both ``int64``, `Data`, `[UInt8]` and `[Int8]` are
/// all ``bytes``, `URL` is ``string``, an enum has the type of its raw value, and other `Codable` values are ``json``.
public enum ColumnType: UInt8, Sendable, Hashable, Codable, CaseIterable {
    case bool = 1
    case int8 = 2
    case int16 = 3
    case int32 = 4
    case int64 = 5
    case uint8 = 6
    case uint16 = 7
    case uint32 = 8
    case uint64 = 9
    case float = 10
    case double = 11
    /// Seconds since the reference date, as a `Double`.
    case date = 12
    case uuid = 13
    /// UTF-8.
    case string = 14
    case bytes = 15
    /// A nested `Codable` value as JSON in UTF-8, with sorted keys. No key and no index can hold it.
    case json = 16

    /// The bytes of a value in the fixed part of a row, or nil where values differ in length.
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

    /// True for the integer types of all widths.
    public var isInteger: Bool { rawValue >= ColumnType.int8.rawValue && rawValue <= ColumnType.uint64.rawValue }

    /// True for ``float`` and ``double``.
    public var isFloatingPoint: Bool { self == .float || self == .double }
}
