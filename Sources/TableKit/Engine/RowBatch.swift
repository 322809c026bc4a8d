/// A batch of a query's result: parents, and the rows that joins found for them.
public struct RowBatch: Sendable {
    /// The parents.
    public var rows = RowBuffer()
    /// How the parents are read.
    public var shape: RowShape
    /// For each of ``Query/joins``, the joined rows.
    public var joined: [JoinedRows] = []

    /// An empty batch.
    public init(shape: RowShape) { self.shape = shape }
}

/// The rows of one join, by the rows that they belong to.
public struct JoinedRows: Sendable {
    /// The joined rows, each once, however many rows it belongs to.
    public var rows = RowBuffer()
    /// How they are read.
    public var shape: RowShape
    /// For each row of the join's parent in this batch, in the parent's order, the end of its part of ``members``.
    public var ends: [Int] = []
    /// Numbers of ``rows``, in the order of the array that they fill.
    public var members: [Int32] = []

    /// No rows.
    public init(shape: RowShape) { self.shape = shape }
}
