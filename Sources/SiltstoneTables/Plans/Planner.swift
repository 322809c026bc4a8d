import Siltstone
import TableKit

/// Enumerates the plans of a query, and selects the cheapest.
struct Planner<Reader: KeyValueReader> {
    let bound: BoundQuery
    let finder: PathFinder<Reader>

    /// The maximum size of a top-N heap.
    private var mostTop: Int { 10_000 }
    /// The maximum limit for which a path in the right order is taken without comparing others.
    private var mostFew: Int { 64 }
    /// The maximum number of listed plans.
    private var mostPlans: Int { 32 }

    init(_ bound: BoundQuery, _ reader: Reader) {
        self.bound = bound
        finder = PathFinder(reader: reader)
    }

    /// Returns the forced plan of the query, or the cheapest.
    /// - Parameter isEstimated: true to estimate the rows of a plan that is chosen without estimates.
    /// - Throws: `TableErrorCode.argument` if the forced plan does not exist.
    func plan(isEstimated: Bool = false) throws -> PhysicalPlan {
        if let number = bound.query.forcedPlan {
            let plans = try plans()
            guard plans.indices.contains(number) else {
                throw CRUDSQLExeError(
                    "The query has \(plans.count) plans, but number \(number) was asked for.", code: .argument)
            }
            return plans[number]
        }
        var plan = try planOfFew(isEstimated: isEstimated) ?? cheapestParents()
        plan.lookups = try cheapestLookups(rows: plan.rows)
        return plan
    }

    /// Returns all plans that can be forced.
    func plans() throws -> [PhysicalPlan] {
        var plans: [PhysicalPlan] = []
        for parents in try parentPlans() {
            for lookups in try allLookups() {
                var plan = parents
                plan.lookups = lookups
                plans.append(plan)
            }
        }
        return Array(plans.prefix(mostPlans))
    }

    // MARK: Parents

    /// The plan for a small limit, along a path whose first entries are the result; nil if there is none.
    private func planOfFew(isEstimated: Bool) throws -> PhysicalPlan? {
        guard let wanted = bound.wantedRows, wanted <= mostFew, !bound.needsDistinct, !bound.hasLateConditions,
            var path = try finder.orderedPath(bound.tables[0], bound.parentCondition, terms: bound.query.order)
        else { return nil }
        if isEstimated { try finder.estimate(&path, bound.parentCondition) }
        return PhysicalPlan(
            parents: .path(path), ordering: .none, isReverse: path.coverage(of: bound.query.order).isReverse,
            lookups: [], rows: isEstimated ? min(path.rows, Double(wanted)) : Double(wanted))
    }

    private func cheapestParents() throws -> PhysicalPlan {
        let parents = try parentPlans()
        return parents.min { $0.cost < $1.cost } ?? parents[0]
    }

    private func parentPlans() throws -> [PhysicalPlan] {
        let table = bound.tables[0]
        let terms = bound.query.order
        var plans = try finder.paths(table, bound.parentCondition, terms: terms).map { ordered($0) }
        for (number, join) in bound.joins.enumerated() {
            guard join.parent == -1, join.pushedCondition != .always else { continue }
            for order in table.orders where order.columns.first == .some(join.clause.on) {
                plans.append(try drivenPlan(number, join, order))
            }
        }
        return plans
    }

    /// A plan of a path, with the sort that it needs.
    private func ordered(_ path: AccessPath) -> PhysicalPlan {
        let terms = bound.query.order
        let coverage = path.coverage(of: terms)
        var plan = PhysicalPlan(parents: .path(path), ordering: .none, lookups: [], rows: path.rows, cost: path.cost)
        let wanted = bound.wantedRows
        if terms.isEmpty || coverage.isTotal {
            plan.isReverse = coverage.isReverse
        } else if coverage.terms > 0 {
            plan.isReverse = coverage.isReverse
            plan.ordering = .groups(coverage.terms)
        } else {
            plan.ordering = sorting
        }
        switch plan.ordering {
        case .top: plan.cost += path.rows * Cost.heap
        case .sort: plan.cost += path.rows * Cost.sort
        case .none, .groups:
            if let wanted, path.rows > Double(wanted) {
                plan.cost = Cost.seek + plan.cost * Double(max(wanted, 1)) / path.rows
            }
            if case .groups = plan.ordering { plan.cost += min(path.rows, Double(wanted ?? .max)) * Cost.sort }
        }
        if let wanted { plan.rows = min(plan.rows, Double(wanted)) }
        return plan
    }

    /// A heap for a small limit, else a sort.
    private var sorting: PhysicalPlan.Ordering {
        if bound.query.order.isEmpty { return .none }
        if let wanted = bound.wantedRows, wanted <= mostTop, !bound.needsDistinct, !bound.hasLateConditions {
            return .top(wanted)
        }
        return .sort
    }

    private func drivenPlan(_ number: Int, _ join: BoundJoin, _ order: KeyOrder) throws -> PhysicalPlan {
        let path = try finder.cheapest(join.child, join.pushedCondition)
        let perRow = Cost.point + Cost.fetch + (join.pivot == nil ? 0 : Cost.seek + Cost.fetch)
        var plan = PhysicalPlan(
            parents: .join(number, order), ordering: sorting, lookups: [], rows: path.rows,
            cost: path.cost + path.rows * (perRow + Cost.sort))
        if let wanted = bound.wantedRows { plan.rows = min(plan.rows, Double(wanted)) }
        return plan
    }

    // MARK: Joins

    private typealias Lookups = (child: PhysicalPlan.Lookup, pivot: PhysicalPlan.Lookup?)

    /// The orders of a table that begin with a column: the key first, then indexes by number of columns.
    private func orders(_ table: TableAccess, _ column: Int) -> [KeyOrder] {
        table.orders.filter { $0.columns.first == .some(column) }.sorted { left, right in
            (left.index == nil ? 0 : left.columns.count) < (right.index == nil ? 0 : right.columns.count)
        }
    }

    private func cheapestLookups(rows: Double) throws -> [Lookups] {
        var reached: [Int: Double] = [-1: rows]
        return try bound.joins.enumerated().map { number, join in
            let parents = reached[join.parent] ?? rows
            let pivot = try join.pivot.map { try cheapest($0, join.clause.equals, join.pushedPivotCondition, parents) }
            let keys = join.pivot.map { parents * rowsPerKey($0, join.clause.equals, 4) } ?? parents
            reached[number] = join.pivot == nil ? keys * rowsPerKey(join.child, join.childColumn, 4) : keys
            return (try cheapest(join.child, join.childColumn, join.pushedCondition, keys), pivot)
        }
    }

    /// The estimated number of rows of a table for a key.
    /// - Parameter usual: the estimate without statistics.
    private func rowsPerKey(_ table: TableAccess, _ column: Int, _ usual: Double) -> Double {
        table.selectivity.rowsPerValue(column) ?? usual
    }

    private func cheapest(
        _ table: TableAccess, _ column: Int, _ condition: Condition, _ keys: Double
    ) throws -> PhysicalPlan.Lookup {
        guard let order = orders(table, column).first else { return .hash }
        let all = try finder.reader.estimate(prefix: table.rowPrefix)
        let isPoint = order.columns.count == 1 && (order.index == nil || order.index?.isUnique == true)
        let perKey = isPoint ? Cost.point : Cost.seek + rowsPerKey(table, column, 3) * Cost.fetch
        // A hash table must fit in memory.
        if all.bytes > 64 << 20 { return .order(order) }
        return keys * perKey <= Double(all.entries) * (Cost.row + Cost.hash) ? .order(order) : .hash
    }

    /// Two combinations are enough for tests: every method of each join occurs in one of them.
    private func allLookups() throws -> [[Lookups]] {
        var result: [[Lookups]] = [
            bound.joins.map { join in
                let child = orders(join.child, join.childColumn).first.map(PhysicalPlan.Lookup.order) ?? .hash
                let pivot = join.pivot.map { table in
                    orders(table, join.clause.equals).first.map(PhysicalPlan.Lookup.order) ?? .hash
                }
                return (child, pivot)
            }
        ]
        let hashed: [Lookups] = bound.joins.map { (.hash, $0.pivot == nil ? nil : .hash) }
        if bound.joins.contains(where: { !orders($0.child, $0.childColumn).isEmpty }) { result.append(hashed) }
        return result
    }
}
