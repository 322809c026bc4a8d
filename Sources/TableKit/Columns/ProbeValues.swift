/// A type that provides the values from which its columns are found.
///
/// A type is decoded from made-up values to find its columns and the column of a key path. Types whose `init(from:)`
/// rejects such values, and enums with payloads, must conform. So must a table's type whose code traps for negative,
/// large, zero or empty values: they are tried in the column that a property without a setter reads. As a property's
/// type it provides two different values of the property. As a table's type it provides two rows that differ in all
/// columns.
public protocol ProbeValues {
    /// Two different values that the type accepts.
    static var probeValues: (Self, Self) { get }
}
