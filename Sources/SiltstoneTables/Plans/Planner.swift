import Siltstone
import TableKit

/// Finds the plans for a query, and chooses among them.
struct Planner<Reader: KeyValueReader> {
    let bound: BoundQuery
    let finder: PathFinder<Reader>

    /// A sort of more rows than these is no heap.
    private var mostTop: Int { 10_000 }
    /// Of a limit of so many rows, a path in the right order is taken without a look at others.
    private var mostFew: Int { 64 }
    /// Lists of plans for tests end here.
    private var mostPlans: Int { 32 }

    init(_ bound: BoundQuery, _ reader: Reader) {
        self.bound = bound
        finder = PathFinder(reader: reader)
    }

    /// The plan that the query asks for, or the cheapest.
    /// - Parameter isEstimated: whether the plan's rows are wanted where it is clear without them.
    /// - Throws: `TableErrorCode.argument` where the query asks for a plan that is not there.
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

    /// All plans that could be chosen.
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

    /// The plan for a few rows along a path whose first entries they are; nil where that is not what is asked for.
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

    /// A path with what brings its rows into order.
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

    /// The heap where the first few rows are wanted, else a sort.
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

    /// The orders of a table that begin with a column: the key first, then the indexes, those without further columns first.
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

    /// About how many rows of a table a key finds.
    /// - Parameter usual: as many as where nothing is known.
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
        // A hash stays in memory.
        if all.bytes > 64 << 20 { return .order(order) }
        return keys * perKey <= Double(all.entries) * (Cost.row + Cost.hash) ? .order(order) : .hash
    }

    /// The cheapest ways of all joins cannot be told apart from others by tests, so each way of each join comes once.
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
