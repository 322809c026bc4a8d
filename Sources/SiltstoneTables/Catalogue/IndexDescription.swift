import TableKit

/// An index as the catalogue has it.
package struct IndexDescription: Sendable, Hashable {
    /// What an index is good for.
    package enum State: UInt8, Sendable {
        /// Queries use it.
        case ready = 0
        /// All writers keep it, and no query uses it yet: older rows are still being added.
        case building = 1
    }

    /// The number in the keys of its entries. Never used again in its table.
    package var id: UInt64
    /// The name, for SQL and people.
    package var name: String
    /// The ids of the columns, the first weighing most.
    package var columns: [UInt64]
    /// Whether no two rows may have the same values.
    package var isUnique: Bool
    /// Whether it is only there for a foreign key, and nobody has asked for it.
    package var isAutomatic = false
    /// What it is good for.
    package var state = State.ready
}
