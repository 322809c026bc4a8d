import TableKit

/// An index in the catalogue.
package struct IndexDescription: Sendable, Hashable {
    /// The state of an index.
    package enum State: UInt8, Sendable {
        /// Queries use it.
        case ready = 0
        /// Writers maintain the index. Queries ignore it, because entries of older rows are still missing.
        case building = 1
    }

    /// The number in the keys of its entries. Never reused in its table.
    package var id: UInt64
    /// The name in SQL and messages.
    package var name: String
    /// The ids of the columns, the most significant first.
    package var columns: [UInt64]
    /// True if no two rows may have the same values.
    package var isUnique: Bool
    /// True if the index exists only for a foreign key.
    package var isAutomatic = false
    /// The state.
    package var state = State.ready
}
