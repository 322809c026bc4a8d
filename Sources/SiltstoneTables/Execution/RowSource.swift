/// A step of a running plan that produces rows of one table: a scan, a sort, a limit.
///
/// Rows are passed without a copy. A stopped iteration can be resumed, so a stream pulls batches, and a step that needs
/// all rows reads them in one call. Used by one thread at a time.
protocol RowSource: AnyObject {
    /// Passes the remaining rows to `body`.
    /// - Parameter body: receives the row's key without the table's prefix, and the row. Both are valid until it
    ///   returns. Returns false to stop after this row.
    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws
}

/// No rows.
final class NoRows: RowSource {
    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {}
}
