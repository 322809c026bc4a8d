/// Rows to be inserted, all or none.
public struct InsertStatement: Sendable {
    /// What happens where a row of the same key exists.
    public enum Conflict: Sendable, Hashable {
        /// The statement throws ``TableErrorCode/unique`` and changes nothing.
        case fail
        /// The row takes the place of the one with its key: an upsert. A conflict in another unique index still throws.
        case replace
        /// The row is passed over.
        case ignore
    }

    /// The table.
    public var table: TableStructure
    /// The numbers of the columns that the rows set. Nil: all. The others take their default, or NULL.
    public var columns: [Int]?
    /// The rows, laid out by the structure's own layout.
    public var rows: RowBuffer
    /// What happens where a row of the same key exists.
    public var onConflict: Conflict = .fail
    /// Whether the result has the rows as they were stored.
    public var isReturning = false

    /// Rows to be inserted.
    public init(_ table: TableStructure, columns: [Int]? = nil, rows: RowBuffer) {
        self.table = table
        self.columns = columns
        self.rows = rows
    }
}

/// A change of all rows that match.
public struct UpdateStatement: Sendable {
    /// The table.
    public var table: TableStructure
    /// The numbers of the columns that change. A column that ``row`` has as NULL becomes NULL.
    public var columns: [Int]
    /// One row with the new values, laid out by the structure's own layout.
    public var row: RowBuffer
    /// Which rows; it names source 0 alone. Nil: all.
    public var predicate: Predicate?
    /// Whether the result has the rows as they are after.
    public var isReturning = false

    /// A change.
    public init(_ table: TableStructure, columns: [Int], row: RowBuffer, predicate: Predicate? = nil) {
        self.table = table
        self.columns = columns
        self.row = row
        self.predicate = predicate
    }
}

/// A removal of all rows that match.
public struct DeleteStatement: Sendable {
    /// The table.
    public var table: TableStructure
    /// Which rows; it names source 0 alone. Nil: all.
    public var predicate: Predicate?
    /// Whether the result has the rows as they were.
    public var isReturning = false

    /// A removal.
    public init(_ table: TableStructure, predicate: Predicate? = nil) {
        self.table = table
        self.predicate = predicate
    }
}

/// What a change did.
public struct ChangeResult: Sendable {
    /// The rows inserted, changed or deleted, those of cascades not counted.
    public var count = 0
    /// The greatest number among the keys inserted, if the key is one integer: for an insert of several, that of the last.
    public var lastInsertID: Int64?
    /// The rows, in the order of the statement's, if it asked for them.
    public var rows = RowBuffer()
    /// How ``rows`` are read. Set where the statement asked for rows.
    public var shape: RowShape?

    /// No change.
    public init() {}
}
