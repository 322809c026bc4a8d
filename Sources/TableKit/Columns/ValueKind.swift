import Foundation

/// The kind of a Swift type as a property of a row.
///
/// It is found by slow casts. The coders find it once for each column, and compare metatypes afterwards.
enum ValueKind {
    /// A type with a column of its own.
    case convertible(any ColumnConvertible.Type)
    /// A type with the column of its raw value.
    case raw(any RawRepresentable.Type, any ColumnConvertible.Type)
    /// An optional of another type.
    case optional(any OptionalProtocol.Type)
    /// A property wrapper that encodes as the value that it wraps.
    case wrapper(any ColumnWrapper.Type)
    /// Anything else: a column with JSON.
    case nested

    /// - Complexity: several hundred nanoseconds.
    init(_ type: Any.Type) {
        if let type = type as? any ColumnWrapper.Type {
            self = .wrapper(type)
        } else if let type = type as? any OptionalProtocol.Type {
            self = .optional(type)
        } else if let type = type as? any ColumnConvertible.Type {
            self = .convertible(type)
        } else if let type = type as? any RawRepresentable.Type, let raw = ValueKind.rawColumn(of: type) {
            self = .raw(type, raw)
        } else {
            self = .nested
        }
    }

    /// The type of the column, and whether it can be NULL.
    var column: (type: ColumnType, isOptional: Bool) {
        switch self {
        case .convertible(let type): (type.columnType, type.isOptionalColumn)
        case .raw(_, let raw): (raw.columnType, false)
        case .optional(let type): (ValueKind(type.wrapped).column.type, true)
        case .wrapper(let type): ValueKind(type.wrapped).column
        case .nested: (.json, false)
        }
    }

    /// The type in optionals and wrappers.
    static func unwrapped(_ type: Any.Type) -> Any.Type {
        switch ValueKind(type) {
        case .optional(let optional): unwrapped(optional.wrapped)
        case .wrapper(let wrapper): unwrapped(wrapper.wrapped)
        case .convertible, .raw, .nested: type
        }
    }

    static func rawColumn<R: RawRepresentable>(of type: R.Type) -> (any ColumnConvertible.Type)? {
        R.RawValue.self as? any ColumnConvertible.Type
    }
}

/// An optional of any wrapped type.
protocol OptionalProtocol {
    associatedtype Wrapped
    static var wrapped: Any.Type { get }
    static var none: Self { get }
    /// The wrapped value, or nil.
    var wrappedValue: Any? { get }
    /// An optional with a value of the type ``wrapped``.
    static func some(any value: Any) -> Self?
}

extension Optional: OptionalProtocol {
    static var wrapped: Any.Type { Wrapped.self }
    var wrappedValue: Any? { self.map { $0 } }
    static func some(any value: Any) -> Wrapped?? { (value as? Wrapped).map { .some($0) } }
}

/// A property wrapper of a column.
protocol ColumnWrapper {
    associatedtype Value: Codable
    static var wrapped: Any.Type { get }
    /// True if the column is part of the primary key.
    static var isPrimaryKey: Bool { get }
    /// The column's reference; nil if it is not a foreign key.
    static var foreignKey: ForeignKeyReference? { get }
    var wrappedAny: Any { get }
    /// Returns the value.
    /// - Throws: ``CRUDEncoderError`` if it was never set.
    func setValue() throws(CRUDEncoderError) -> Value
    /// Wraps a value.
    init(stored value: Value)
}

extension ColumnWrapper {
    /// Wraps a value of the type ``wrapped``.
    static func wrapping(any value: Any) -> Self? { (value as? Value).map { Self(stored: $0) } }
}

extension PrimaryKey: ColumnWrapper {
    init(stored value: Value) { self.init(wrappedValue: value) }
    func setValue() -> Value { wrappedValue }
    static var wrapped: Any.Type { Value.self }
    static var isPrimaryKey: Bool { true }
    static var foreignKey: ForeignKeyReference? { nil }
    var wrappedAny: Any { wrappedValue }
}

extension ForeignKey: ColumnWrapper {
    static var wrapped: Any.Type { Value.self }
    static var isPrimaryKey: Bool { false }
    static var foreignKey: ForeignKeyReference? {
        ForeignKeyReference(table: Table.CRUDTableName, onDelete: DeleteAction.action, onUpdate: UpdateAction.action)
    }
    var wrappedAny: Any { wrappedValue }
}
