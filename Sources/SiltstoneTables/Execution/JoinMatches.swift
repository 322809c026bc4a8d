import TableKit

/// What one join found for a batch of owners: rows of the join's parent.
struct JoinMatches {
    /// A joined row, or none behind a row of the pivot that refers to none.
    struct Element {
        /// The number in ``JoinMatches/rows``; -1 for none.
        var row: Int32
        /// The number in ``JoinMatches/pivots``; -1 for joins without one.
        var pivot: Int32
        /// Whether the query's condition accepts a tuple with it.
        var isAccepted = true
    }

    /// The joined rows, in the join's order.
    var rows = RowBuffer()
    var pivots = RowBuffer()
    /// For each owner what it is joined with, in the join's order.
    var elements: [[Element]] = []
    /// For each owner the rows of the array that it gets.
    var arrays: [[Int32]] = []
}

/// A batch of parents with what joins found for it.
struct JoinedBatch {
    var parents: RowBuffer
    /// Whether the query's condition accepts each of the parents.
    var isAccepted: [Bool]
    /// For each join what it found; nil where it has not run yet.
    var matches: [JoinMatches?]

    /// The rows that a join starts from.
    func owners(of join: BoundJoin) -> RowBuffer {
        join.parent < 0 ? parents : matches[join.parent]?.rows ?? RowBuffer()
    }
}
