import Siltstone
import TableKit

/// Creates the running steps of plans.
struct PlanRunner<Reader: KeyValueReader> {
    let reader: Reader
    /// The memory limit of each sort and set, in bytes.
    var mostBytes = RowSorter.memoryBytes
    /// The meters of the steps, if the plan is measured.
    var meters: PlanMeters?

    /// The rows of a path.
    /// - Parameter wanted: the expected minimum number of rows read. Nil: all.
    func source(
        _ path: AccessPath, of table: TableAccess, isReverse: Bool = false, wanted: Int? = nil
    ) -> any RowSource {
        let filter = RowFilter(path.filter, shape: table.shape)
        let prefix = table.rowPrefix
        switch path.kind {
        case .nothing: return NoRows()
        case .rowRanges(let ranges):
            return RowIterator(reader, prefixBytes: prefix.count, ranges: ranges, isReverse: isReverse, filter: filter)
        case .rowPoints(let keys):
            let keys = isReverse ? keys.reversed() : keys
            return RowFetch(
                reader, prefixBytes: prefix.count, filter: filter, wanted: wanted,
                fill: RowKeys.list(keys, for: reader))
        case .indexPoints(let keys):
            let keys = isReverse ? keys.reversed() : keys
            return RowFetch(
                reader, prefixBytes: prefix.count, filter: filter, wanted: wanted,
                fill: RowKeys.entries(keys, rowPrefix: prefix, in: reader))
        case .indexRanges(let ranges):
            return RowFetch(
                reader, prefixBytes: prefix.count, filter: filter, wanted: wanted,
                fill: RowKeys.scan(path.order, ranges, isReverse: isReverse, rowPrefix: prefix, in: reader))
        case .union(let branches):
            var sources: [any RowSource] = []
            var earlier: [Condition] = []
            for (branch, condition) in branches {
                let source = source(branch, of: table)
                let filters = earlier.map { RowFilter($0, shape: table.shape) }
                sources.append(filters.isEmpty ? source : RemainingRows(source, except: filters))
                earlier.append(condition)
            }
            return SequentialRows(sources)
        }
    }

    /// The parents of a query, in order, before DISTINCT and the limit.
    func parents(_ bound: BoundQuery, _ plan: PhysicalPlan) throws -> any RowSource {
        let table = bound.tables[0]
        let rows =
            switch plan.parents {
            case .path(let path):
                parentRows(
                    path, of: table, isReverse: plan.isReverse,
                    wanted: plan.ordering == .none ? bound.wantedRows : nil)
            case .join(let number, let order):
                parentRows(try path(bound, drivenBy: number, along: order), of: table, isReverse: plan.isReverse)
            }
        let terms = bound.query.order
        let sortKey = SortKey(terms, of: table)
        switch plan.ordering {
        case .none: return rows
        case .groups(let count):
            let sorted = GroupSortedRows(
                rows, by: sortKey, sortedTerms: count, of: terms.count, mostBytes: mostBytes)
            return metered(sorted, meters?.ordering)
        case .top(let count): return metered(TopRows(rows, by: sortKey, count: count), meters?.ordering)
        case .sort: return metered(SortedRows(rows, by: sortKey, mostBytes: mostBytes), meters?.ordering)
        }
    }

    /// The parents of a query after the order, DISTINCT and the limit. For queries without conditions on joins.
    func limitedParents(_ bound: BoundQuery, _ plan: PhysicalPlan) throws -> any RowSource {
        var rows = try parents(bound, plan)
        if bound.needsDistinct {
            rows = DistinctRows(rows, by: SortKey(bound.distinctTerms, of: bound.tables[0]), mostBytes: mostBytes)
            rows = metered(rows, meters?.distinct)
        }
        if let limit = bound.query.limit { rows = metered(LimitedRows(rows, limit), meters?.limit) }
        return rows
    }

    /// The path to the parents by the values of a join's rows.
    private func path(_ bound: BoundQuery, drivenBy number: Int, along order: KeyOrder) throws -> AccessPath {
        let join = bound.joins[number]
        let finder = PathFinder(reader: reader)
        var (table, column) = (join.child, join.childColumn)
        var condition = join.pushedCondition
        if let pivot = join.pivot, let clause = join.clause.pivot {
            let keys = try values(finder.cheapest(table, condition), of: table, column)
            condition = .among(keys, clause.column, pivot.types[clause.column])
            (table, column) = (pivot, join.clause.equals)
        }
        let keys = try values(finder.cheapest(table, condition), of: table, column)
        let on = join.clause.on
        return try finder.path(
            bound.tables[0], order, .all([.among(keys, on, bound.tables[0].types[on]), bound.parentCondition]))
    }

    /// The values of a column in the rows of a path.
    private func values(_ path: AccessPath, of table: TableAccess, _ column: Int) throws -> [ColumnValue] {
        var values: [ColumnValue] = []
        let reader = ColumnReader(column, shape: table.shape)
        try source(path, of: table).forEach { _, row in
            values.append(try reader.value(in: row))
            return true
        }
        return values
    }
}

/// Drops the rows of a source that match one of some conditions.
private final class RemainingRows: RowSource {
    private let source: any RowSource
    private let filters: [RowFilter]

    init(_ source: any RowSource, except filters: [RowFilter]) {
        self.source = source
        self.filters = filters
    }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        try source.forEach { key, row in
            for filter in filters where try filter.accepts(row) { return true }
            return try body(key, row)
        }
    }
}

extension Condition {
    /// A test that a column of source 0 equals one of some values of any type, without NULL.
    static func among(_ values: [ColumnValue], _ column: Int, _ type: ColumnType) -> Condition {
        let known = values.compactMap { $0.isNull ? nil : LiteralBounds($0, for: type).exact }
        return known.isEmpty ? .never : .test(ColumnReference(column: column), .equal(to: known))
    }
}
