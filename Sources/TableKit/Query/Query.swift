/// A select statement as a value without key paths: the seam between the typed API and an engine.
///
/// The parents are the rows of the first source that match ``predicate``. Each join adds the rows that belong to them.
public struct Query: Sendable {
    /// The tables: the parents' first, then those of joins and pivots. A self join lists its table twice.
    public var sources: [TableStructure]
    /// The joins. Each follows the join that it starts from.
    public var joins: [JoinClause] = []
    /// The condition. Nil: all rows.
    public var predicate: Predicate?
    /// The order of the parents, the most significant term first. Parents equal in all terms come in primary key order.
    public var order: [OrderTerm] = []
    /// The limit of the matching parents, applied in their order.
    public var limit: RowLimit?
    /// The parents' columns to read, by number. Nil: all. The result's rows may omit the others.
    public var columns: [Int]?
    /// True to return parents once that are equal in all columns read.
    public var isDistinct = true
    /// For tests: the index in ``TableSession/plans(for:)`` of the plan to use instead of the cheapest.
    public var forcedPlan: Int?

    /// A query of all rows of a table.
    public init(_ table: TableStructure) { sources = [table] }

    /// True if the elements of a joined row may depend on which parents are read together: a join starts from a joined
    /// row, which several parents may share, and a part of the condition spans tables.
    package var mayShareElements: Bool {
        guard let predicate, joins.contains(where: { $0.parent != 0 }) else { return false }
        return predicate.conjuncts.contains { Set($0.references.map(\.source)).count > 1 }
    }

    /// These sources and those of the joins that lead to them.
    package func sourcesLeading(to sources: [Int]) -> Set<Int> {
        var all = Set(sources)
        for join in joins.reversed() {
            if let pivot = join.pivot, all.contains(pivot.source) { all.insert(join.source) }
            if all.contains(join.source) { all.insert(join.parent) }
        }
        return all
    }
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
    /// True for descending order. NULL is the least value.
    public var isDescending: Bool

    /// A term.
    public init(column: Int, isDescending: Bool = false) {
        self.column = column
        self.isDescending = isDescending
    }
}

/// A limit and an offset.
public struct RowLimit: Sendable, Hashable {
    /// The maximum number of rows. Nil: all.
    public var count: Int?
    /// The number of rows to skip first.
    public var skip: Int

    /// A limit.
    public init(count: Int? = nil, skip: Int = 0) {
        self.count = count
        self.skip = skip
    }
}

/// A left join. The joined rows are grouped by the row that they belong to.
public struct JoinClause: Sendable {
    /// The coding key of the array property that receives the rows.
    public var property: String
    /// The table that the property belongs to: 0, or the source of an earlier join.
    public var parent: Int
    /// The source of the joined rows.
    public var source: Int
    /// The parent's column.
    public var on: Int
    /// The joined table's column that must equal it; with a pivot, the pivot's column.
    public var equals: Int
    /// The pivot table of a many-to-many join.
    public var pivot: PivotClause?
    /// The order of the joined rows.
    public var order: [OrderTerm] = []
    /// The limit of the joined rows over all parents of the result together, in the join's order, then by key. A row
    /// that belongs to two parents counts twice. Applies after ``limitEach``.
    public var limit: RowLimit?
    /// The limit of the joined rows of each parent, in the join's order.
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

/// The table between the two tables of a many-to-many join.
public struct PivotClause: Sendable {
    /// The number of the pivot in ``Query/sources``.
    public var source: Int
    /// The pivot's column that refers to the joined table.
    public var column: Int
    /// The joined table's column that must equal it.
    public var equals: Int

    /// A pivot.
    public init(source: Int, column: Int, equals: Int) {
        self.source = source
        self.column = column
        self.equals = equals
    }
}
