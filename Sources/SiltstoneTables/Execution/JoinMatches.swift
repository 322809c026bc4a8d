import TableKit

/// The result of one join for a batch of owners, which are rows of the join's parent.
struct JoinMatches {
    /// A joined row, or none if a row of the pivot refers to no row.
    struct Element {
        /// The index in ``JoinMatches/rows``; -1 for none.
        var row: Int32
        /// The index in ``JoinMatches/pivots``; -1 for joins without a pivot.
        var pivot: Int32
        /// True if the query's condition accepts a tuple with this element.
        var isAccepted = true
    }

    /// The joined rows, in the join's order.
    var rows = RowBuffer()
    var pivots = RowBuffer()
    /// For each owner its elements, in the join's order.
    var elements: [[Element]] = []
    /// For each owner the rows of its array.
    var arrays: [[Int32]] = []
}

/// A batch of parents with the results of the joins.
struct JoinedBatch {
    var parents: RowBuffer
    /// For each parent, true if the query's condition accepts it.
    var isAccepted: [Bool]
    /// The result of each join; nil if it has not run yet.
    var matches: [JoinMatches?]

    /// The rows from which a join starts.
    func owners(of join: BoundJoin) -> RowBuffer {
        join.parent < 0 ? parents : matches[join.parent]?.rows ?? RowBuffer()
    }

    /// The result for some of the kept parents, whose arrays are filled.
    func result(_ bound: BoundQuery, _ kept: ArraySlice<Int>) -> RowBatch {
        var result = RowBatch(shape: bound.tables[0].shape)
        for parent in kept { parents.withRow(parent) { result.rows.append($0) } }
        var places: [[Int]] = []
        for (number, join) in bound.joins.enumerated() {
            var joined = JoinedRows(shape: join.child.shape)
            var taken: [Int] = []
            if let matches = matches[number] {
                var numbers = [Int32](repeating: -1, count: matches.rows.count)
                for owner in join.parent < 0 ? Array(kept) : places[join.parent] {
                    for row in matches.arrays[owner] {
                        if numbers[Int(row)] < 0 {
                            numbers[Int(row)] = Int32(taken.count)
                            taken.append(Int(row))
                            matches.rows.withRow(Int(row)) { joined.rows.append($0) }
                        }
                        joined.members.append(numbers[Int(row)])
                    }
                    joined.ends.append(joined.members.count)
                }
            }
            places.append(taken)
            result.joined.append(joined)
        }
        return result
    }
}
