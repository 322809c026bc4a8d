/// A Swift type whose values fit one column: an operand of an operator, a key, or a property of a row.
///
/// Standard column types and their optionals conform. An enum with such a raw value is a column without conforming.
/// One that declares the conformance needs no code.
public protocol ColumnConvertible {
    /// The type of the column.
    static var columnType: ColumnType { get }
    /// True if a value can be NULL: for optionals only.
    static var isOptionalColumn: Bool { get }
    /// The column value.
    var columnValue: ColumnValue { get }
    /// Creates a value from a column value.
    /// - Throws: ``CRUDDecoderError`` with ``TableErrorCode/type`` if the type differs or the value is out of range.
    init(columnValue: ColumnValue) throws
}

/// A column type with an order for `<`: all types except optionals.
public protocol OrderedColumn: ColumnConvertible {}

/// A column type with an empty value: 0, false, "", or no bytes.
public protocol DefaultableColumn: ColumnConvertible {
    /// The empty value.
    static var emptyColumn: Self { get }
}

extension ColumnConvertible {
    /// False, as for all types except optionals.
    public static var isOptionalColumn: Bool { false }

    /// The error for a value that does not fit this type.
    static func misfit(_ value: ColumnValue) -> CRUDDecoderError {
        CRUDDecoderError("The value \(value) is no \(Self.self), or out of its range.", code: .type)
    }
}

extension ColumnConvertible where Self: RawRepresentable, RawValue: ColumnConvertible {
    /// The column type of the raw value.
    public static var columnType: ColumnType { RawValue.columnType }

    /// The column value of the raw value.
    public var columnValue: ColumnValue { rawValue.columnValue }

    /// Creates the value with this raw value.
    /// - Throws: ``CRUDDecoderError`` if there is none.
    public init(columnValue: ColumnValue) throws {
        guard let value = Self(rawValue: try RawValue(columnValue: columnValue)) else {
            throw Self.misfit(columnValue)
        }
        self = value
    }
}

extension Optional: ColumnConvertible where Wrapped: ColumnConvertible {
    /// The column type of the wrapped value.
    public static var columnType: ColumnType { Wrapped.columnType }

    /// True: the column can be NULL.
    public static var isOptionalColumn: Bool { true }

    /// The column value of the wrapped value, or NULL.
    public var columnValue: ColumnValue { self?.columnValue ?? .null }

    /// Converts NULL to nil.
    public init(columnValue: ColumnValue) throws {
        self = columnValue.isNull ? nil : try Wrapped(columnValue: columnValue)
    }
}
