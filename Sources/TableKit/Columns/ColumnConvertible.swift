/// A Swift type whose values are one column: what operators compare, what keys are, what a property of a row is.
///
/// The standard types of columns conform, and optionals of them. An enum with such a raw value is a column without
/// conforming; one that declares the conformance needs no code either.
public protocol ColumnConvertible {
    /// The type of the column.
    static var columnType: ColumnType { get }
    /// Whether a value can be NULL: true for optionals alone.
    static var isOptionalColumn: Bool { get }
    /// The value, as rows store it.
    var columnValue: ColumnValue { get }
    /// A value that was stored.
    /// - Throws: ``CRUDDecoderError`` with ``TableErrorCode/type`` where it has another type, or is out of range.
    init(columnValue: ColumnValue) throws
}

/// A column whose values can be compared with `<`: all but optionals.
public protocol OrderedColumn: ColumnConvertible {}

/// A column type that has an empty value: 0, false, "", no bytes.
public protocol DefaultableColumn: ColumnConvertible {
    /// The empty value.
    static var emptyColumn: Self { get }
}

extension ColumnConvertible {
    /// False.
    public static var isOptionalColumn: Bool { false }

    /// The error for a value that is none of this type.
    static func misfit(_ value: ColumnValue) -> CRUDDecoderError {
        CRUDDecoderError("The value \(value) is no \(Self.self), or out of its range.", code: .type)
    }
}

extension ColumnConvertible where Self: RawRepresentable, RawValue: ColumnConvertible {
    /// That of the raw value.
    public static var columnType: ColumnType { RawValue.columnType }

    /// That of the raw value.
    public var columnValue: ColumnValue { rawValue.columnValue }

    /// The value with this raw value.
    /// - Throws: ``CRUDDecoderError`` where there is none.
    public init(columnValue: ColumnValue) throws {
        guard let value = Self(rawValue: try RawValue(columnValue: columnValue)) else {
            throw Self.misfit(columnValue)
        }
        self = value
    }
}

extension Optional: ColumnConvertible where Wrapped: ColumnConvertible {
    /// That of the value.
    public static var columnType: ColumnType { Wrapped.columnType }

    /// True.
    public static var isOptionalColumn: Bool { true }

    /// The value, or NULL.
    public var columnValue: ColumnValue { self?.columnValue ?? .null }

    /// Nil for NULL.
    public init(columnValue: ColumnValue) throws {
        self = columnValue.isNull ? nil : try Wrapped(columnValue: columnValue)
    }
}
