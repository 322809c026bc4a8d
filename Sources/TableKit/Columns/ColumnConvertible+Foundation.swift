public import Foundation

extension String: OrderedColumn, DefaultableColumn {
    public static var columnType: ColumnType { .string }
    public static var emptyColumn: String { "" }
    public var columnValue: ColumnValue { .text(self) }

    public init(columnValue: ColumnValue) throws {
        guard case .text(let value)? = columnValue.fitting(.string) else { throw String.misfit(columnValue) }
        self = value
    }
}

extension Date: OrderedColumn, DefaultableColumn {
    public static var columnType: ColumnType { .date }
    /// The reference date.
    public static var emptyColumn: Date { Date(timeIntervalSinceReferenceDate: 0) }
    public var columnValue: ColumnValue { .date(self) }

    public init(columnValue: ColumnValue) throws {
        guard case .date(let value)? = columnValue.fitting(.date) else { throw Date.misfit(columnValue) }
        self = value
    }
}

extension UUID: OrderedColumn, DefaultableColumn {
    public static var columnType: ColumnType { .uuid }
    /// 16 zeros.
    public static var emptyColumn: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    public var columnValue: ColumnValue { .uuid(self) }

    public init(columnValue: ColumnValue) throws {
        guard case .uuid(let value)? = columnValue.fitting(.uuid) else { throw UUID.misfit(columnValue) }
        self = value
    }
}

extension URL: OrderedColumn {
    public static var columnType: ColumnType { .string }
    public var columnValue: ColumnValue { .text(absoluteString) }

    public init(columnValue: ColumnValue) throws {
        guard case .text(let value)? = columnValue.fitting(.string), let url = URL(string: value) else {
            throw URL.misfit(columnValue)
        }
        self = url
    }
}

extension Data: OrderedColumn, DefaultableColumn {
    public static var columnType: ColumnType { .bytes }
    public static var emptyColumn: Data { Data() }
    public var columnValue: ColumnValue { .bytes(Array(self)) }

    public init(columnValue: ColumnValue) throws {
        guard case .bytes(let value) = columnValue else { throw Data.misfit(columnValue) }
        self = Data(value)
    }
}

/// The elements of arrays that are bytes: `UInt8` and `Int8`.
public protocol ByteColumn {
    /// The bytes as a column.
    static func columnValue(of bytes: [Self]) -> ColumnValue
    /// The elements for bytes.
    static func elements(of bytes: [UInt8]) -> [Self]
}

extension UInt8: ByteColumn {
    public static func columnValue(of bytes: [UInt8]) -> ColumnValue { .bytes(bytes) }
    public static func elements(of bytes: [UInt8]) -> [UInt8] { bytes }
}

extension Int8: ByteColumn {
    public static func columnValue(of bytes: [Int8]) -> ColumnValue { .bytes(bytes.map(UInt8.init(bitPattern:))) }
    public static func elements(of bytes: [UInt8]) -> [Int8] { bytes.map(Int8.init(bitPattern:)) }
}

extension Array: ColumnConvertible, OrderedColumn, DefaultableColumn where Element: ByteColumn {
    public static var columnType: ColumnType { .bytes }
    public static var emptyColumn: [Element] { [] }
    public var columnValue: ColumnValue { Element.columnValue(of: self) }

    public init(columnValue: ColumnValue) throws {
        guard case .bytes(let value) = columnValue else { throw Self.misfit(columnValue) }
        self = Element.elements(of: value)
    }
}
