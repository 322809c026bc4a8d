/// The result of a statement, read batch by batch: it holds one batch in memory.
///
/// Used by one thread at a time, while the session that created it is open.
public final class SQLResult {
    /// The names of the columns. Empty for statements without rows.
    public let columns: [String]
    /// The number of rows that the statement inserted, updated or deleted.
    public let changes: Int
    /// The plan, for EXPLAIN.
    public let plan: QueryPlan?
    private let pull: () throws -> [[ColumnValue]]?

    init(
        columns: [String] = [], changes: Int = 0, plan: QueryPlan? = nil,
        pull: @escaping () throws -> [[ColumnValue]]? = { nil }
    ) {
        self.plan = plan
        self.columns = columns
        self.changes = changes
        self.pull = pull
    }

    /// A result of these rows.
    convenience init(columns: [String], changes: Int = 0, rows: [[ColumnValue]], plan: QueryPlan? = nil) {
        var rest = rows
        self.init(columns: columns, changes: changes, plan: plan) {
            defer { rest = [] }
            return rest.isEmpty ? nil : rest
        }
    }

    /// The next rows, each with one value for each column. Nil at the end.
    public func next() throws -> [[ColumnValue]]? { try pull() }

    /// All remaining rows.
    public func all() throws -> [[ColumnValue]] {
        var all: [[ColumnValue]] = []
        while let rows = try next() { all += rows }
        return all
    }
}
