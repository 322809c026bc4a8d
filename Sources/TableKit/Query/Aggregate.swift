/// A value over many rows.
public enum Aggregate: Sendable, Hashable {
    /// The number of rows.
    case count
    /// The number of rows whose column is not NULL.
    case countValues(Int)
    /// The number of different values of a column, NULL left out.
    case countDistinct(Int)
    /// The least value; NULL over no rows. NULLs are left out, here and below.
    case min(Int)
    /// The greatest value.
    case max(Int)
    /// The sum: an integer for integer columns, else a real. NULL over no rows. An integer sum out of range throws.
    case sum(Int)
    /// The mean as a real; NULL over no rows.
    case average(Int)
}

/// Aggregates of a query's rows, in groups.
public struct AggregateQuery: Sendable {
    /// The rows. Its joins only serve its predicate: each parent counts once.
    public var rows: Query
    /// The columns whose values make a group. Empty: all rows are one group, which exists also over no rows.
    public var groupBy: [Int]
    /// What is computed for each group.
    public var aggregates: [Aggregate]

    /// Aggregates.
    public init(_ rows: Query, groupBy: [Int] = [], aggregates: [Aggregate]) {
        self.rows = rows
        self.groupBy = groupBy
        self.aggregates = aggregates
    }
}
