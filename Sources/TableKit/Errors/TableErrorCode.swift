/// What went wrong, for programs to tell apart.
public enum TableErrorCode: String, Sendable, Hashable {
    /// A row with the same key, or the same values of a unique index, exists.
    case unique
    /// A foreign key refers to nothing, or a row that is referred to was to go.
    case foreignKey
    /// A column that cannot be NULL was given none.
    case notNull
    /// Another transaction changed what this one read, as often as it was tried again.
    case conflict
    /// The table does not exist.
    case noTable
    /// The column does not exist.
    case noColumn
    /// The index does not exist.
    case noIndex
    /// The table, column or index exists.
    case exists
    /// A value has another type than its column, or is out of its range.
    case type
    /// A Swift type or key path that cannot be a table, a column or a key.
    case unsupported
    /// A statement of SQL that cannot be read.
    case syntax
    /// An argument out of range: an empty range as a limit, a key that is too long.
    case argument
    /// A transaction that has ended, or belongs to another task.
    case transaction
    /// The database is closed, or cannot be opened.
    case unavailable
    /// The connection was lost, or the time was up, while the server committed: nobody knows whether it has. Look for the
    /// effects of the transaction before repeating it.
    case unknownOutcome
    /// Bytes that cannot be: a row, a key or the catalogue is damaged.
    case corrupt
    /// The engine below failed: the disk, the network.
    case engine
}
