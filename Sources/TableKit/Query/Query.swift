/// What a select asks for, as a value without key paths: the seam between the typed API and an engine.
///
/// The rows of the first of ``sources``, the parents, that match ``predicate``; for each join, the rows that belong to them.
public struct Query: Sendable {
    /// The tables: first the parents', then those of joins and pivots. A self join lists the table twice.
    public var sources: [TableStructure]
    /// The joins, each after the one that it starts from.
    public var joins: [JoinClause] = []
    /// Which rows. Nil: all.
    public var predicate: Predicate?
    /// The order of the parents, the first term weighing most. Rows that are equal in it come in the order of the key.
    public var order: [OrderTerm] = []
    /// Which of the parents that match, in their order.
    public var limit: RowLimit?
    /// The columns of the parents that are read, by number. Nil: all. The others need not be in the result's rows.
    public var columns: [Int]?
    /// Whether parents that are equal in all columns read come once.
    public var isDistinct = true
    /// The plan to use instead of the cheapest, counted as ``TableSession/plans(for:)`` lists them: for tests.
    public var forcedPlan: Int?

    /// All rows of a table.
    public init(_ table: TableStructure) { sources = [table] }
}

/// A column of one of a query's tables.
public struct ColumnReference: Sendable, Hashable {
    /// The number of the table in ``Query/sources``.
    public var source: Int
    /// The number of the column in the table's structure.
    public var column: Int

    /// A column.
    public init(source: Int = 0, column: Int) {
        self.source = source
        self.column = column
    }
}

/// One term of an order.
public struct OrderTerm: Sendable, Hashable {
    /// The number of the column in the structure of the table that is ordered.
    public var column: Int
    /// From great to small. NULL is the least value.
    public var isDescending: Bool

    /// A term.
    public init(column: Int, isDescending: Bool = false) {
        self.column = column
        self.isDescending = isDescending
    }
}

/// How many rows, and from which on.
public struct RowLimit: Sendable, Hashable {
    /// The most rows. Nil: all.
    public var count: Int?
    /// The rows that are passed over first.
    public var skip: Int

    /// A limit.
    public init(count: Int? = nil, skip: Int = 0) {
        self.count = count
        self.skip = skip
    }
}

/// Rows of another table that belong to each row of one: left joins, grouped by the row that they belong to.
public struct JoinClause: Sendable {
    /// The array property that takes the rows: the name of its coding key.
    public var property: String
    /// The table that the property belongs to: 0, or the source of an earlier join.
    public var parent: Int
    /// The table of the rows that are joined.
    public var source: Int
    /// The parent's column.
    public var on: Int
    /// The joined table's column that equals it; with a pivot, the pivot's column.
    public var equals: Int
    /// The table between the two, for joins of many to many.
    public var pivot: PivotClause?
    /// The order of the joined rows.
    public var order: [OrderTerm] = []
    /// Which of the joined rows, counted over all parents in the result together: in the join's order, then by key; a row
    /// that belongs to two parents counts twice. Counts what ``limitEach`` leaves.
    public var limit: RowLimit?
    /// Which of the joined rows of each parent, in the join's order.
    public var limitEach: RowLimit?

    /// A join.
    public init(property: String, parent: Int = 0, source: Int, on: Int, equals: Int, pivot: PivotClause? = nil) {
        self.property = property
        self.parent = parent
        self.source = source
        self.on = on
        self.equals = equals
        self.pivot = pivot
    }
}

/// The table between two tables that are joined.
public struct PivotClause: Sendable {
    /// The number of the pivot in ``Query/sources``.
    public var source: Int
    /// The pivot's column that refers to the joined table.
    public var column: Int
    /// The joined table's column that it equals.
    public var equals: Int

    /// A pivot.
    public init(source: Int, column: Int, equals: Int) {
        self.source = source
        self.column = column
        self.equals = equals
    }
}
