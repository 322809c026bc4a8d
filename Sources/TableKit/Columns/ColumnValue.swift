public import Foundation

/// One value of a column: an operand of a condition, a binding of SQL, or a result of a group.
public enum ColumnValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// An integer of any width that fits into `Int64`.
    case integer(Int64)
    /// An integer above `Int64.max`. Smaller ones are ``integer(_:)``, so that equal numbers are the same case.
    case unsigned(UInt64)
    case real(Double)
    case date(Date)
    case uuid(UUID)
    case text(String)
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
