/// An insert of rows, all or none.
public struct InsertStatement: Sendable {
    /// The action if a row with the same key exists.
    public enum Conflict: Sendable, Hashable {
        /// The statement throws ``TableErrorCode/unique`` and changes nothing.
        case fail
        /// The new row replaces the row with its key: an upsert. A conflict in another unique index still throws.
        case replace
        /// The new row is skipped.
        case ignore
    }

    /// The table.
    public var table: TableStructure
    /// The numbers of the columns that the rows set. Nil: all. The other columns get their default, or NULL.
    public var columns: [Int]?
    /// The rows, in the structure's own layout.
    public var rows: RowBuffer
    /// The action if a row with the same key exists.
    public var onConflict: Conflict = .fail
    /// True to return the rows as stored.
    public var isReturning = false

    /// An insert.
    public init(_ table: TableStructure, columns: [Int]? = nil, rows: RowBuffer) {
        self.table = table
        self.columns = columns
        self.rows = rows
    }
}

/// An update of all matching rows.
public struct UpdateStatement: Sendable {
    /// The table.
    public var table: TableStructure
    /// The numbers of the columns to set. A column that is NULL in ``row`` becomes NULL.
    public var columns: [Int]
    /// One row with the new values, in the structure's own layout.
    public var row: RowBuffer
    /// The condition, on source 0 only. Nil: all rows.
    public var predicate: Predicate?
    /// True to return the rows after the update.
    public var isReturning = false

    /// An update.
    public init(_ table: TableStructure, columns: [Int], row: RowBuffer, predicate: Predicate? = nil) {
        self.table = table
        self.columns = columns
        self.row = row
        self.predicate = predicate
    }
}

/// A delete of all matching rows.
public struct DeleteStatement: Sendable {
    /// The table.
    public var table: TableStructure
    /// The condition, on source 0 only. Nil: all rows.
    public var predicate: Predicate?
    /// True to return the rows before the delete.
    public var isReturning = false

    /// A delete.
    public init(_ table: TableStructure, predicate: Predicate? = nil) {
        self.table = table
        self.predicate = predicate
    }
}

/// The result of a change.
public struct ChangeResult: Sendable {
    /// The number of rows inserted, updated or deleted, without those of cascades.
    public var count = 0
    /// The key of the last inserted row, if the key is one integer that fits `Int64`. For a table without a key, an
    /// engine may tell the hidden number of the row. Nil if no row was inserted.
    public var lastInsertID: Int64?
    /// The rows that the statement asked for, in the statement's order.
    public var rows = RowBuffer()
    /// The layout of ``rows``. Nil if the statement asked for no rows.
    public var shape: RowShape?

    /// No change.
    public init() {}
}
