public import Foundation

/// One value of a column, apart from any Swift property: what conditions compare with, what SQL binds, what groups return.
public enum ColumnValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// An integer of any width that fits into `Int64`.
    case integer(Int64)
    /// An integer above `Int64.max`. Smaller ones are ``integer(_:)``, so that equal numbers are equal values.
    case unsigned(UInt64)
    case real(Double)
    case date(Date)
    case uuid(UUID)
    case text(String)
    case bytes([UInt8])
    /// A nested value as JSON.
    case json(String)

    /// The value of an unsigned integer, in the one case that it has.
    public init(_ value: UInt64) {
        self = Int64(exactly: value).map(ColumnValue.integer) ?? .unsigned(value)
    }

    /// True for ``null``.
    public var isNull: Bool { if case .null = self { true } else { false } }
}
