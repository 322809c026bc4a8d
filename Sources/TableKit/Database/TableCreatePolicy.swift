/// What `create` does with tables that exist, and with those of array properties.
public struct TableCreatePolicy: OptionSet, Sendable {
    /// The policies as bits.
    public let rawValue: Int

    /// A policy.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Leaves the tables of array properties alone.
    public static let shallow = TableCreatePolicy(rawValue: 1)
    /// Drops the tables first, with their rows. Weighs more than ``reconcileTable``.
    public static let dropTable = TableCreatePolicy(rawValue: 2)
    /// Adds the columns that a table lacks and drops those that the type lacks. Never changes a column's type. A renamed
    /// property is one dropped and one added: see `rename`.
    public static let reconcileTable = TableCreatePolicy(rawValue: 4)

    /// Tables that exist are left as they are; those of array properties are made, too.
    public static let defaultPolicy: TableCreatePolicy = []
}
