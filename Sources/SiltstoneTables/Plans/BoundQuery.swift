import TableKit

/// A query bound to the tables of a catalogue, with its condition split by table.
struct BoundQuery {
    let query: Query
    /// The tables, by source.
    let tables: [TableAccess]
    /// The condition on parents alone.
    private(set) var parentCondition: Condition = .always
    /// The joins, in the query's order.
    private(set) var joins: [BoundJoin]
    /// Conditions that refer to several of the parents and joins.
    private(set) var mixed: [Condition] = []
    /// The numbers of the joins in ``mixed``, and of the joins on the way to them.
    private(set) var mixedJoins: Set<Int> = []
    /// True if the array of a joined row depends on all parents in the result that the row is joined to: a condition
    /// compares its elements with other rows than those that start from it.
    private(set) var hasSharedElements = false

    /// - Throws: `TableErrorCode.noTable`, `TableErrorCode.noColumn`, `TableErrorCode.argument`.
    init(_ query: Query, in catalogue: Catalogue) throws {
        self.query = query
        let tables = try query.sources.map { try catalogue.access($0) }
        self.tables = tables
        joins = try query.joins.enumerated().map { try BoundJoin($0, $1, of: query, tables) }
        try checkColumns()
        let condition = try Normalisation(types: tables.map(\.types)).condition(of: query.predicate)
        try split(condition)
        for number in joins.indices.reversed() { joins[number].isNullMet = areNullsMet(number) }
    }

    /// True if parents that match their own condition may be dropped later.
    var hasLateConditions: Bool { joins.contains { $0.isNamed } || !mixed.isEmpty }

    /// True if the result needs duplicate elimination.
    var needsDistinct: Bool {
        guard query.isDistinct else { return false }
        let key = tables[0].keyColumns
        guard !key.isEmpty else { return true }
        guard let columns = query.columns else { return false }
        return !key.allSatisfy(columns.contains)
    }

    /// The maximum number of parents read, offset included. Nil without a limit.
    var wantedRows: Int? {
        guard let count = query.limit?.count else { return nil }
        let skip = max(query.limit?.skip ?? 0, 0)
        let (sum, isOver) = max(count, 0).addingReportingOverflow(skip)
        return isOver ? nil : sum
    }

    /// The columns that identify distinct parents.
    var distinctTerms: [OrderTerm] {
        let all = tables[0].structure.columns.indices.filter { tables[0].binding.positions[$0] != nil }
        return (query.columns ?? Array(all)).map { OrderTerm(column: $0) }
    }

    /// The number of the join of a source; -1 for the parents.
    func node(of source: Int) -> Int {
        source == 0
            ? -1 : joins.firstIndex { $0.clause.source == source || $0.clause.pivot?.source == source } ?? -1
    }

    // MARK: Taking apart

    private mutating func split(_ condition: Condition) throws {
        if joins.isEmpty {
            parentCondition = condition
            return
        }
        if condition == .never { parentCondition = .never }
        for part in condition.conjuncts where part != .never {
            let nodes = Set(part.sources.map { node(of: $0) })
            for node in nodes where node >= 0 { markNamed(node) }
            if nodes.isSubset(of: [-1]) {
                parentCondition = .all([parentCondition, part])
            } else if nodes.count == 1, let number = nodes.first {
                joins[number].add(part)
            } else {
                mixed.append(part)
                for node in nodes { markMixed(node) }
                if nodes.contains(where: { isShared($0, among: nodes) }) { hasSharedElements = true }
            }
        }
    }

    /// True if a join starts from a joined row, and a node is neither that row nor on a way from it.
    private func isShared(_ node: Int, among nodes: Set<Int>) -> Bool {
        guard node >= 0, joins[node].parent >= 0 else { return false }
        let owner = joins[node].parent
        return nodes.contains { other in
            var other = other
            while other > owner { other = joins[other].parent }
            return other != owner
        }
    }

    private mutating func markNamed(_ number: Int) {
        var number = number
        while number >= 0 {
            joins[number].isNamed = true
            number = joins[number].parent
        }
    }

    private mutating func markMixed(_ number: Int) {
        var number = number
        while number >= 0, mixedJoins.insert(number).inserted { number = joins[number].parent }
    }

    private func areNullsMet(_ number: Int) -> Bool {
        joins[number].conditions.allSatisfy(\.isMetByNulls)
            && joins.indices.allSatisfy { joins[$0].parent != number || !joins[$0].isNamed || joins[$0].isNullMet }
    }

    private func checkColumns() throws {
        func check(_ source: Int, _ column: Int) throws {
            guard tables.indices.contains(source), tables[source].types.indices.contains(column) else {
                throw CRUDSQLGenError("The query names a column that its table lacks.", code: .noColumn)
            }
            if tables[source].binding.positions[column] == nil {
                throw CRUDSQLGenError(
                    "The table lacks the column. Create the table again with `.reconcileTable`.", code: .noColumn,
                    table: tables[source].structure.name, column: tables[source].name(column))
            }
        }
        for term in query.order { try check(0, term.column) }
        for column in query.columns ?? [] where !tables[0].types.indices.contains(column) { try check(0, column) }
        // The normalisation looks columns up in the structures.
        if !tables.allSatisfy(\.hasAllColumns) {
            for reference in query.predicate?.references ?? [] { try check(reference.source, reference.column) }
        }
        for join in query.joins {
            try check(join.parent, join.on)
            try check(join.pivot?.source ?? join.source, join.equals)
            if let pivot = join.pivot {
                try check(pivot.source, pivot.column)
                try check(join.source, pivot.equals)
            }
            for term in join.order { try check(join.source, term.column) }
        }
    }
}

/// A join of a query, with the conditions on its tables alone.
struct BoundJoin {
    let clause: JoinClause
    /// The number of the join that it starts from; -1: the parents.
    let parent: Int
    let child: TableAccess
    let pivot: TableAccess?
    /// The condition on joined rows.
    private(set) var childCondition: Condition = .always
    /// The condition on rows of the pivot.
    private(set) var pivotCondition: Condition = .always
    /// The conditions on both together.
    private(set) var pairConditions: [Condition] = []
    /// True if the query's condition refers to it, or to a join that starts from it.
    var isNamed = false
    /// True if a parent without joined rows matches the conditions of this join and of those that start from it.
    var isNullMet = true

    fileprivate init(_ number: Int, _ clause: JoinClause, of query: Query, _ tables: [TableAccess]) throws {
        self.clause = clause
        let sources = [clause.source, clause.parent, clause.pivot?.source ?? clause.source]
        guard sources.allSatisfy(tables.indices.contains), clause.source != 0 else {
            throw CRUDSQLGenError("The join names a table that the query lacks.", code: .argument)
        }
        parent = query.joins.firstIndex { $0.source == clause.parent } ?? -1
        guard clause.parent == 0 || (parent >= 0 && parent < number) else {
            throw CRUDSQLGenError("A join stands before the one that it starts from.", code: .argument)
        }
        child = tables[clause.source]
        pivot = clause.pivot.map { tables[$0.source] }
    }

    fileprivate mutating func add(_ part: Condition) {
        if part.sources == [clause.source] {
            childCondition = .all([childCondition, part])
        } else if let pivot = clause.pivot, part.sources == [pivot.source] {
            pivotCondition = .all([pivotCondition, part])
        } else {
            pairConditions.append(part)
        }
    }

    fileprivate var conditions: [Condition] { [childCondition, pivotCondition] + pairConditions }

    /// The condition on joined rows that can be applied early: a row that fails acts like no row. Refers to source 0.
    var pushedCondition: Condition {
        childCondition.isMetByNulls ? .always : childCondition.moved(from: clause.source)
    }

    /// As ``pushedCondition``, for rows of the pivot.
    var pushedPivotCondition: Condition {
        pivotCondition.isMetByNulls ? .always : pivotCondition.moved(from: clause.pivot?.source ?? 0)
    }

    /// The rest of ``childCondition`` for rows that were read by ``pushedCondition``.
    var lateChildCondition: Condition {
        childCondition.isMetByNulls ? childCondition.moved(from: clause.source) : .always
    }

    /// As ``lateChildCondition``, for rows of the pivot.
    var latePivotCondition: Condition {
        pivotCondition.isMetByNulls ? pivotCondition.moved(from: clause.pivot?.source ?? 0) : .always
    }

    /// The column that identifies joined rows.
    var childColumn: Int { clause.pivot?.equals ?? clause.equals }
}
