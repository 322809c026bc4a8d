/// The treatment of existing tables, and of the tables of array properties, by `create`.
public struct TableCreatePolicy: OptionSet, Sendable {
    /// The policies as bits.
    public let rawValue: Int

    /// A policy.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Ignores the tables of array properties.
    public static let shallow = TableCreatePolicy(rawValue: 1)
    /// Drops existing tables first, with their rows. Takes precedence over ``reconcileTable``.
    public static let dropTable = TableCreatePolicy(rawValue: 2)
    /// Adds the columns that a table lacks and drops those that the type lacks. Never changes a column's type. A
    /// renamed property counts as one dropped and one added; use `rename` first.
    public static let reconcileTable = TableCreatePolicy(rawValue: 4)

    /// Keeps existing tables as they are, and creates the tables of array properties.
    public static let defaultPolicy: TableCreatePolicy = []
}
