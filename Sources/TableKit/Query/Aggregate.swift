/// An aggregate over many rows.
public enum Aggregate: Sendable, Hashable {
    /// The number of rows.
    case count
    /// The number of rows whose column is not NULL.
    case countValues(Int)
    /// The number of distinct values of a column, without NULL.
    case countDistinct(Int)
    /// The least value; NULL over no rows. All aggregates of a column skip NULLs.
    case min(Int)
    /// The greatest value.
    case max(Int)
    /// The sum: an integer for integer columns, else a real. NULL over no rows. Throws on integer overflow.
    case sum(Int)
    /// The mean as a real; NULL over no rows.
    case average(Int)
}

/// A query that computes aggregates for groups of rows.
public struct AggregateQuery: Sendable {
    /// The rows. Their joins serve the predicate only: each parent counts once.
    public var rows: Query
    /// The columns to group by. If empty, all rows form one group, which also exists over no rows.
    public var groupBy: [Int]
    /// The aggregates of each group.
    public var aggregates: [Aggregate]

    /// An aggregate query.
    public init(_ rows: Query, groupBy: [Int] = [], aggregates: [Aggregate]) {
        self.rows = rows
        self.groupBy = groupBy
        self.aggregates = aggregates
    }
}

extension Aggregate {
    /// The aggregated column; nil for the number of rows.
    package var column: Int? {
        switch self {
        case .count: nil
        case .countValues(let column), .countDistinct(let column), .min(let column), .max(let column), .sum(let column),
            .average(let column):
            column
        }
    }
}
