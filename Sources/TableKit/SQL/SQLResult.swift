/// The result of a statement, pulled batch by batch: a million rows take the memory of one batch.
///
/// Used by one thread at a time, and only as long as the session that made it is open.
public final class SQLResult {
    /// The names of the columns. Empty for statements that give no rows.
    public let columns: [String]
    /// The rows that the statement inserted, changed or deleted.
    public let changes: Int
    /// The plan as a value, of EXPLAIN.
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

    /// The next rows, each with a value for each column, or nil at the end.
    public func next() throws -> [[ColumnValue]]? { try pull() }

    /// All rows that are left.
    public func all() throws -> [[ColumnValue]] {
        var all: [[ColumnValue]] = []
        while let rows = try next() { all += rows }
        return all
    }
}
