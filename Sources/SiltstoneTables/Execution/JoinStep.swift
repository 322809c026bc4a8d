import Siltstone
import TableKit

/// One running join: one look-up, or two with a pivot.
final class JoinStep<Reader: KeyValueReader> {
    private let join: BoundJoin
    private let childLookup: JoinLookup<Reader>
    private let pivotLookup: JoinLookup<Reader>?
    private let on: ColumnReader
    private let pivotColumn: ColumnReader?
    private let childFilter: RowFilter
    private let pivotFilter: RowFilter?
    private let pairValues: TupleValues?
    private let distinctKey: SortKey?

    init(
        _ join: BoundJoin, in bound: BoundQuery, _ lookup: (child: PhysicalPlan.Lookup, pivot: PhysicalPlan.Lookup?),
        _ runner: PlanRunner<Reader>
    ) {
        self.join = join
        on = ColumnReader(join.clause.on, shape: bound.tables[join.clause.parent].shape)
        childLookup = JoinLookup(
            runner, join.child, column: join.childColumn, condition: join.pushedCondition, terms: join.clause.order,
            isAcrossValues: join.pivot != nil || join.clause.limit != nil, method: lookup.child)
        childFilter = RowFilter(join.lateChildCondition, shape: join.child.shape)
        if let pivot = join.pivot, let clause = join.clause.pivot {
            pivotLookup = JoinLookup(
                runner, pivot, column: join.clause.equals, condition: join.pushedPivotCondition, terms: [],
                isAcrossValues: true, method: lookup.pivot ?? .hash)
            pivotColumn = ColumnReader(clause.column, shape: pivot.shape)
            pivotFilter = RowFilter(join.latePivotCondition, shape: pivot.shape)
        } else {
            (pivotLookup, pivotColumn, pivotFilter) = (nil, nil, nil)
        }
        pairValues = join.pairConditions.isEmpty ? nil : TupleValues(bound)
        let columns = join.child.structure.columns.indices.filter { join.child.binding.positions[$0] != nil }
        distinctKey =
            join.child.keyColumns.isEmpty
            ? SortKey(columns.map { OrderTerm(column: $0) }, of: join.child) : nil
    }

    // MARK: Rows

    /// True if the array of an owner is exactly the rows with the owner's value.
    var isPlain: Bool {
        pivotLookup == nil && distinctKey == nil && join.clause.limit == nil && join.clause.limitEach == nil
    }

    /// Fills the arrays of all owners. Only if the join ``isPlain``.
    func fillArrays(_ joined: inout JoinedRows, of owners: RowBuffer) throws {
        try childLookup.fillArrays(&joined, of: owners, on: on)
    }

    /// Finds the joined rows of the owners.
    /// - Parameter only: the owners to look up; nil: all.
    func find(for owners: RowBuffer, only: [Int]?) throws -> JoinMatches {
        var values = [ColumnValue](repeating: .null, count: owners.count)
        for owner in only ?? Array(0..<owners.count) {
            values[owner] = try owners.withRow(owner) { (row) throws(any Error) in try on.value(in: row) }
        }
        var matches = JoinMatches()
        guard let pivotLookup, let pivotColumn else {
            let found = try childLookup.find(values)
            matches.rows = found.rows
            matches.elements = found.members.map { $0.map { JoinMatches.Element(row: $0, pivot: -1) } }
            return matches
        }
        let pivots = try pivotLookup.find(values)
        var keys: [ColumnValue] = []
        for pivot in 0..<pivots.rows.count {
            keys.append(try pivots.rows.withRow(pivot) { (row) throws(any Error) in try pivotColumn.value(in: row) })
        }
        let children = try childLookup.find(keys)
        (matches.rows, matches.pivots) = (children.rows, pivots.rows)
        matches.elements = pivots.members.map { members in
            members.flatMap { pivot in
                let found = children.members[Int(pivot)]
                return (found.isEmpty ? [-1] : found).map { JoinMatches.Element(row: $0, pivot: pivot) }
            }.sorted { ($0.row, $0.pivot) < ($1.row, $1.pivot) }
        }
        return matches
    }

    // MARK: Conditions

    /// True if an element matches the conditions on this join alone.
    func accepts(_ element: JoinMatches.Element, in matches: JoinMatches) throws -> Bool {
        if element.row < 0 {
            if !join.childCondition.isMetByNulls { return false }
        } else {
            let isMet = try matches.rows.withRow(Int(element.row)) { (row) throws(any Error) in
                try childFilter.accepts(row)
            }
            if !isMet { return false }
        }
        if let pivotFilter, element.pivot >= 0 {
            let isMet = try matches.pivots.withRow(Int(element.pivot)) { (row) throws(any Error) in
                try pivotFilter.accepts(row)
            }
            if !isMet { return false }
        }
        guard let pairValues else { return true }
        return try join.pairConditions.allSatisfy { condition in
            try condition.isMet { column in
                let isChild = column.source == join.clause.source
                return try pairValues.value(
                    column, isChild ? matches.rows : matches.pivots, isChild ? element.row : element.pivot)
            }
        }
    }

    // MARK: Arrays

    /// The distinct rows of an owner's array, cut by `limitEach`.
    func array(of elements: [JoinMatches.Element], in matches: JoinMatches) throws -> [Int32] {
        var rows: [Int32] = []
        rows.reserveCapacity(elements.count)
        var seen: Set<[UInt8]> = []
        var key: [UInt8] = []
        for element in elements where element.isAccepted && element.row >= 0 && element.row != rows.last {
            if let distinctKey {
                try matches.rows.withRow(Int(element.row)) { (row) throws(any Error) in
                    try distinctKey.make(&key, of: row)
                }
                if !seen.insert(key).inserted { continue }
            }
            rows.append(element.row)
        }
        guard let limit = join.clause.limitEach else { return rows }
        let rest = rows.dropFirst(max(limit.skip, 0))
        return Array(limit.count.map { rest.prefix(max($0, 0)) } ?? rest)
    }
}
