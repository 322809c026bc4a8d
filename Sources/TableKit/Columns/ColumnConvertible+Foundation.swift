public import Foundation

extension String: OrderedColumn, DefaultableColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .string }
    /// The empty value.
    public static var emptyColumn: String { "" }
    /// The column value.
    public var columnValue: ColumnValue { .text(self) }

    /// Converts a column value. Throws if it does not fit the type.
    public init(columnValue: ColumnValue) throws {
        guard case .text(let value)? = columnValue.fitting(.string) else { throw String.misfit(columnValue) }
        self = value
    }
}

extension Date: OrderedColumn, DefaultableColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .date }
    /// The reference date.
    public static var emptyColumn: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// The column value.
    public var columnValue: ColumnValue { .date(self) }

    /// Converts a column value. Throws if it does not fit the type.
    public init(columnValue: ColumnValue) throws {
        guard case .date(let value)? = columnValue.fitting(.date) else { throw Date.misfit(columnValue) }
        self = value
    }
}

extension UUID: OrderedColumn, DefaultableColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .uuid }
    /// The zero UUID.
    public static var emptyColumn: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    /// The column value.
    public var columnValue: ColumnValue { .uuid(self) }

    /// Converts a column value. Throws if it does not fit the type.
    public init(columnValue: ColumnValue) throws {
        guard case .uuid(let value)? = columnValue.fitting(.uuid) else { throw UUID.misfit(columnValue) }
        self = value
    }
}

extension URL: OrderedColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .string }
    /// The column value.
    public var columnValue: ColumnValue { .text(absoluteString) }

    /// Converts a column value. Throws if it does not fit the type.
    public init(columnValue: ColumnValue) throws {
        guard case .text(let value)? = columnValue.fitting(.string), let url = URL(string: value) else {
            throw URL.misfit(columnValue)
        }
        self = url
    }
}

extension Data: OrderedColumn, DefaultableColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .bytes }
    /// The empty value.
    public static var emptyColumn: Data { Data() }
    /// The column value.
    public var columnValue: ColumnValue { .bytes(Array(self)) }

    /// Converts a column value. Throws if it does not fit the type.
    public init(columnValue: ColumnValue) throws {
        guard case .bytes(let value) = columnValue else { throw Data.misfit(columnValue) }
        self = Data(value)
    }
}

/// The elements of byte arrays: `UInt8` and `Int8`.
public protocol ByteColumn {
    /// The bytes as a column value.
    static func columnValue(of bytes: [Self]) -> ColumnValue
    /// The bytes as elements.
    static func elements(of bytes: [UInt8]) -> [Self]
}

extension UInt8: ByteColumn {
    /// The bytes as a column value.
    public static func columnValue(of bytes: [UInt8]) -> ColumnValue { .bytes(bytes) }
    /// The bytes as elements.
    public static func elements(of bytes: [UInt8]) -> [UInt8] { bytes }
}

extension Int8: ByteColumn {
    /// The bytes as a column value.
    public static func columnValue(of bytes: [Int8]) -> ColumnValue { .bytes(bytes.map(UInt8.init(bitPattern:))) }
    /// The bytes as elements.
    public static func elements(of bytes: [UInt8]) -> [Int8] { bytes.map(Int8.init(bitPattern:)) }
}

extension Array: ColumnConvertible, OrderedColumn, DefaultableColumn where Element: ByteColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .bytes }
    /// The empty value.
    public static var emptyColumn: [Element] { [] }
    /// The column value.
    public var columnValue: ColumnValue { Element.columnValue(of: self) }

    /// Converts a column value. Throws if it does not fit the type.
    public init(columnValue: ColumnValue) throws {
        guard case .bytes(let value) = columnValue else { throw Self.misfit(columnValue) }
        self = Element.elements(of: value)
    }
}
