import Siltstone
import TableKit

/// Runs queries on one state of a store: a snapshot, a transaction, or a transaction as it was.
struct QueryExecutor<Reader: KeyValueReader> {
    /// The state.
    let reader: Reader
    /// The catalogue of the reader.
    let catalogue: Catalogue
    /// The memory limit of each sort and set, in bytes.
    var mostBytes = RowSorter.memoryBytes

    private var runner: PlanRunner<Reader> { PlanRunner(reader: reader, mostBytes: mostBytes) }

    /// Runs a query.
    func run(_ query: Query) throws -> any RowStream {
        if let row = try pointQuery(query) { return row }
        return try stream(query)
    }

    /// Runs a query by a plan.
    func stream(_ query: Query) throws -> any RowStream {
        let bound = try BoundQuery(query, in: catalogue)
        let plan = try Planner(bound, reader).plan()
        if bound.joins.isEmpty {
            return QueryStream(try runner.limitedParents(bound, plan), shape: bound.tables[0].shape)
        }
        return try JoinStream(bound, plan, runner)
    }

    // MARK: One row by its key

    /// The result of a look-up by a one-column key, without planning; nil for other queries.
    func pointQuery(_ query: Query) throws -> SingleRow? {
        guard case .compare(_, .equal, _)? = query.predicate, query.joins.isEmpty, query.forcedPlan == nil,
            query.limit.map(isFirst) ?? true
        else { return nil }
        let binding = try catalogue.binding(query.sources[0])
        guard let key = pointKey(binding, query.predicate) else { return nil }
        let batch = try unsafe key.withBytes { (bytes) throws(any Error) in
            try unsafe reader.withValue(bytes) { row in
                var batch = RowBatch(shape: binding.shape)
                batch.rows.append(row)
                return batch
            }
        }
        return SingleRow(batch)
    }

    /// The full key of the only row that can match; nil if the predicate is no look-up by the key.
    private func pointKey(_ binding: TableBinding, _ predicate: Predicate?) -> KeyEncoder? {
        guard case .compare(let column, .equal, let value)? = predicate, column.source == 0,
            let key = binding.keyColumns, key.count == 1, key[0] == column.column,
            let type = binding.positions[column.column].map({ binding.table.columns[$0].column.type }),
            value.isPlain(type)
        else { return nil }
        let encoder = KeyEncoder(binding.table.rowPrefix)
        encoder.append(value)
        return encoder
    }

    private func isFirst(_ limit: RowLimit) -> Bool { limit.skip <= 0 && limit.count.map { $0 > 0 } ?? true }

    // MARK: Changes

    /// Passes the full key and the bytes of each matching row to `body`, once. For updates and deletes.
    /// - Parameters:
    ///   - predicate: a condition on source 0, by the columns of the binding's structure. Nil: all rows.
    ///   - body: receives bytes that are valid until it returns. It may write to the store, which the search does not see
    ///     if the reader is a ``FrozenTransaction``.
    func forEachMatch(
        _ binding: TableBinding, _ predicate: Predicate?, _ body: (RawSpan, RawSpan) throws -> Void
    ) throws {
        if let key = pointKey(binding, predicate) {
            try unsafe key.withBytes { (bytes) throws(any Error) in
                _ = try unsafe reader.withValue(bytes) { row in try unsafe body(bytes.bytes, row) }
            }
            return
        }
        let table = try catalogue.access(binding.structure)
        let condition = try Normalisation(types: [table.types]).condition(of: predicate)
        let path = try PathFinder(reader: reader).cheapest(table, condition)
        let prefix = table.rowPrefix
        var whole = prefix
        try runner.source(path, of: table).forEach { key, row in
            whole.removeLast(whole.count - prefix.count)
            unsafe key.withUnsafeBytes { unsafe whole += $0 }
            try unsafe body(whole.span.bytes, row)
            return true
        }
    }

    // MARK: Counts

    /// The number of distinct parents that a query finds.
    func count(_ query: Query) throws -> Int {
        if let count = try rangeCount(query) { return count }
        var query = query
        // Orders and the limits of joins do not affect the count.
        if query.forcedPlan == nil { query.order = [] }
        for number in query.joins.indices { query.joins[number].limit = nil }
        let bound = try BoundQuery(query, in: catalogue)
        if query.forcedPlan == nil, !bound.hasLateConditions, !bound.needsDistinct,
            let path = try PathFinder(reader: reader).exactPath(bound.tables[0], bound.parentCondition),
            let count = try count(path, wanted: bound.wantedRows)
        {
            return cut(count, query.limit)
        }
        let plan = try Planner(bound, reader).plan()
        if bound.hasLateConditions {
            let parents = try ParentBatches(JoinStage(bound, plan, runner), plan, runner, isWhole: false)
            var count = 0
            while let (_, kept) = try parents.next() { count += kept.count }
            return count
        }
        if !bound.needsDistinct, case .path(let path) = plan.parents,
            let count = try count(path, wanted: bound.wantedRows)
        {
            return cut(count, query.limit)
        }
        var count = 0
        try runner.limitedParents(bound, plan).forEach { _, _ in
            count += 1
            return true
        }
        return count
    }

    /// Counts the entries of an exact path without reading rows; nil for other paths.
    /// - Parameter wanted: the maximum count. Nil: no maximum.
    private func count(_ path: AccessPath, wanted: Int?) throws -> Int? {
        if path.isNothing { return 0 }
        guard path.isExact else { return nil }
        switch path.kind {
        case .rowRanges(let ranges), .indexRanges(let ranges):
            guard let wanted else { return try reader.count(ranges: ranges) }
            var count = 0
            try reader.forEachKey(ranges: ranges, limit: wanted) { _ in
                count += 1
                return true
            }
            return count
        case .rowPoints(let keys), .indexPoints(let keys): return try keys.count { try reader.contains($0) }
        case .nothing: return 0
        case .union: return nil
        }
    }

    private func cut(_ count: Int, _ limit: RowLimit?) -> Int {
        let rest = max(count - max(limit?.skip ?? 0, 0), 0)
        return limit?.count.map { min(rest, max($0, 0)) } ?? rest
    }

    // MARK: Aggregates

    /// The groups of an aggregate query.
    func aggregate(_ query: AggregateQuery) throws -> [[ColumnValue]] {
        let bound = try BoundQuery(query.rows, in: catalogue)
        let plan = try Planner(bound, reader).plan()
        var groups = try AggregateGroups(query, of: bound.tables[0])
        if bound.hasLateConditions {
            let parents = try ParentBatches(JoinStage(bound, plan, runner), plan, runner, isWhole: false)
            while let (batch, kept) = try parents.next() {
                for parent in kept {
                    try batch.parents.withRow(parent) { (row) throws(any Error) in try groups.add(row) }
                }
            }
        } else {
            try runner.limitedParents(bound, plan).forEach { _, row in
                try groups.add(row)
                return true
            }
        }
        return try groups.results()
    }

    // MARK: Plans

    /// Returns the plan of a query.
    func explain(_ query: Query) throws -> QueryPlan {
        let bound = try BoundQuery(query, in: catalogue)
        return PlanDescription(bound: bound).describe(try Planner(bound, reader).plan(isEstimated: true))
    }

    /// Returns all plans of a query.
    func plans(for query: Query) throws -> [QueryPlan] {
        let bound = try BoundQuery(query, in: catalogue)
        let description = PlanDescription(bound: bound)
        return try Planner(bound, reader).plans().map { description.describe($0) }
    }
}

extension ColumnValue {
    /// True if a column of this type can have exactly this value, without a conversion.
    func isPlain(_ type: ColumnType) -> Bool {
        switch (self, type) {
        case (.integer, _): type.isInteger
        case (.uuid, .uuid), (.text, .string), (.bytes, .bytes), (.date, .date), (.bool, .bool), (.real, .double): true
        default: false
        }
    }
}
