/// A batch of a query's result: the parents and their joined rows.
public struct RowBatch: Sendable {
    /// The parents.
    public var rows = RowBuffer()
    /// The layout of the parents.
    public var shape: RowShape
    /// For each of ``Query/joins``, the joined rows.
    public var joined: [JoinedRows] = []

    /// An empty batch.
    public init(shape: RowShape) { self.shape = shape }
}

/// The rows of one join, by the rows that they belong to.
public struct JoinedRows: Sendable {
    /// The joined rows. Each is stored once, even if it belongs to several parents.
    public var rows = RowBuffer()
    /// The layout of the rows.
    public var shape: RowShape
    /// For each row of the join's parent in this batch, the end of its slice of ``members``.
    public var ends: [Int] = []
    /// Indexes into ``rows``, in the order of the array that they fill.
    public var members: [Int32] = []

    /// No rows.
    public init(shape: RowShape) { self.shape = shape }
}
