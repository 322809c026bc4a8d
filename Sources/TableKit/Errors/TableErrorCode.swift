/// The cause of an error, for programs.
public enum TableErrorCode: String, Sendable, Hashable {
    /// A row with the same key, or the same values of a unique index, exists.
    case unique
    /// A foreign key refers to no row, or a referenced row cannot be deleted.
    case foreignKey
    /// A column that cannot be NULL got no value.
    case notNull
    /// Another transaction changed data that this one read, in each of its attempts.
    case conflict
    /// The table does not exist.
    case noTable
    /// The column does not exist.
    case noColumn
    /// The index does not exist.
    case noIndex
    /// The table, column or index exists.
    case exists
    /// A value does not have its column's type, or is out of the type's range.
    case type
    /// A Swift type or key path that cannot be a table, a column or a key.
    case unsupported
    /// An SQL statement that cannot be parsed.
    case syntax
    /// An invalid argument: an empty range as a limit, or a key that is too long.
    case argument
    /// A transaction has ended, or belongs to another task.
    case transaction
    /// The database is closed, or cannot be opened.
    case unavailable
    /// The connection was lost or a timeout expired during a commit: its outcome is unknown. Check for the effects of
    /// the transaction before repeating it. Also a change outside of a transaction that is stored, but whose returned
    /// rows cannot be read: the message says so.
    case unknownOutcome
    /// Invalid bytes: a row, a key or the catalogue is damaged.
    case corrupt
    /// The engine failed: the disk or the network.
    case engine
}
