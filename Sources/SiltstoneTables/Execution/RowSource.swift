/// A step of a running plan that hands out rows of one table: a walk, a sort, a limit.
///
/// Rows are lent, not copied. A caller that stops goes on later: so a stream pulls batch by batch, and a step that needs all
/// rows takes them in one call. Used by one thread at a time.
protocol RowSource: AnyObject {
    /// Hands out the rows that are left.
    /// - Parameter body: gets the row's key behind the table's prefix, and the row, good until it returns; returns false to
    ///   stop behind this row.
    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws
}

/// No rows.
final class NoRows: RowSource {
    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {}
}
