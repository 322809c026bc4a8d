public import Foundation

/// One value of a column: an operand of a condition, a binding of SQL, or a result of a group.
public enum ColumnValue: Sendable, Hashable {
    /// SQL's NULL: no value.
    case null
    /// True or false.
    case bool(Bool)
    /// An integer of any width that fits into `Int64`.
    case integer(Int64)
    /// An integer above `Int64.max`. Smaller ones are ``integer(_:)``, so that equal numbers are the same case.
    case unsigned(UInt64)
    /// A real number. A value of a `Float` column is exact in it.
    case real(Double)
    /// A date.
    case date(Date)
    /// A UUID.
    case uuid(UUID)
    /// Text, ordered by its UTF-8 bytes.
    case text(String)
    /// Bytes.
    case bytes([UInt8])
    /// A nested value as JSON.
    case json(String)

    /// The value of an unsigned integer, in its only valid case.
    public init(_ value: UInt64) {
        self = Int64(exactly: value).map(ColumnValue.integer) ?? .unsigned(value)
    }

    /// True for ``null``.
    public var isNull: Bool { if case .null = self { true } else { false } }
}
