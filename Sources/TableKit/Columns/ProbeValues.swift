/// A type that says with which values it can be decoded to find out its columns.
///
/// The columns of a type, and what column a key path names, are found by decoding the type from made-up values. Types
/// whose `init(from:)` refuses such values, and enums with payloads, conform. As the type of a property, it gives two
/// different values of the property; as the type of a table, two rows that differ in all columns.
public protocol ProbeValues {
    /// Two different values that the type accepts.
    static var probeValues: (Self, Self) { get }
}
