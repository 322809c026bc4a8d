import TableKit

/// Describes plans as ``QueryPlan`` values.
struct PlanDescription {
    let bound: BoundQuery
    /// The measurements of a run of the plan, if any.
    var meters: PlanMeters?

    func describe(_ plan: PhysicalPlan) -> QueryPlan {
        let advice = IndexAdvice(bound: bound, plan: plan)
        var step = parents(plan)
        step.advice = advice.forRows
        if let meters {
            note(meters.path, in: &step)
            if meters.read.rows > 0 { step.rowsRead = meters.read.rows }
        }
        let terms = bound.query.order.map { term in
            bound.tables[0].name(term.column) + (term.isDescending ? " descending" : "")
        }.joined(separator: ", ")
        switch plan.ordering {
        case .none: break
        case .groups(let count):
            step = above(step, "sort within groups", "by \(terms), of which \(count) terms come in order", plan.rows)
        case .top(let count): step = above(step, "top \(count)", "by \(terms)", plan.rows)
        case .sort: step = above(step, "sort", "by \(terms)", plan.rows)
        }
        if plan.ordering != .none {
            step.advice = advice.forOrder
            note(meters?.ordering, in: &step)
        }
        if bound.needsDistinct {
            step = above(step, "distinct", "", plan.rows)
            // After joins with conditions, duplicates and limit are handled with the result.
            if !bound.hasLateConditions { note(meters?.distinct, in: &step) }
        }
        for (number, join) in bound.joins.enumerated() { step = self.join(step, number, join, plan) }
        if let limit = bound.query.limit {
            let count = limit.count.map { "\($0) rows" } ?? "all rows"
            step = above(step, "limit", count + (limit.skip > 0 ? " after \(limit.skip)" : ""), plan.rows)
        }
        note(meters?.result, in: &step)
        return step
    }

    private func note(_ meter: StepMeter?, in step: inout QueryPlan) {
        guard let meter else { return }
        step.actualRows = meter.rows
        step.seconds = meter.time / .seconds(1)
    }

    private func above(_ input: QueryPlan, _ step: String, _ detail: String, _ rows: Double) -> QueryPlan {
        QueryPlan(step: step, detail: detail, estimatedRows: Self.whole(rows), inputs: [input])
    }

    /// An estimate as a whole number, at least 1: only a read can show that there is no row.
    private static func whole(_ rows: Double) -> Int { Int(min(max(rows.rounded(.up), 1), 1e15)) }

    // MARK: Parents

    private func parents(_ plan: PhysicalPlan) -> QueryPlan {
        let table = bound.tables[0]
        switch plan.parents {
        case .path(let path): return describe(path, table, isReverse: plan.isReverse)
        case .join(let number, let order):
            let clause = bound.joins[number].clause
            return QueryPlan(
                step: "lookup in \(table.structure.name) by \(order.name)",
                detail: "for the rows of \(clause.property) that match", estimatedRows: Self.whole(plan.rows))
        }
    }

    private func describe(_ path: AccessPath, _ table: TableAccess, isReverse: Bool) -> QueryPlan {
        let name = table.structure.name
        let columns = path.used.map { table.name($0) }.joined(separator: ", ")
        let backwards = isReverse ? ", backwards" : ""
        let filter = path.filter == .always ? "" : "filtered"
        func plan(_ step: String, _ parts: String..., inputs: [QueryPlan] = []) -> QueryPlan {
            QueryPlan(
                step: step, detail: (parts + [filter]).filter { !$0.isEmpty }.joined(separator: ", "),
                estimatedRows: Self.whole(path.rows), inputs: inputs)
        }
        switch path.kind {
        case .nothing:
            return QueryPlan(step: "nothing", detail: "the condition is never met", estimatedRows: 0)
        case .rowPoints(let keys):
            return plan("point in \(name)", "\(keys.count) by key (\(columns))\(backwards)")
        case .indexPoints(let keys):
            return plan("point in \(name)", "\(keys.count) by unique index \(path.order.name) (\(columns))\(backwards)")
        case .rowRanges(let ranges):
            if path.used.isEmpty { return plan("walk of \(name)", String(backwards.dropFirst(2))) }
            return plan("range of \(name)", "\(ranges.count) by key (\(columns))\(backwards)")
        case .indexRanges(let ranges):
            let used = path.used.isEmpty ? "for its order" : "(\(columns))"
            return plan("range of index \(path.order.name)", "\(ranges.count) in \(name) \(used)\(backwards)")
        case .union(let branches):
            return plan("union", inputs: branches.map { describe($0.path, table, isReverse: false) })
        }
    }

    // MARK: Joins

    private func join(_ input: QueryPlan, _ number: Int, _ join: BoundJoin, _ plan: PhysicalPlan) -> QueryPlan {
        var inputs = [input]
        var advice: String?
        func lookup(_ method: PhysicalPlan.Lookup, _ table: TableAccess, _ column: Int) {
            let perKey = table.selectivity.rowsPerValue(column) ?? 1
            let name = table.structure.name
            switch method {
            case .order(let order):
                inputs.append(
                    QueryPlan(
                        step: "lookup in \(name) by \(order.name)", detail: "(\(table.name(column)))",
                        estimatedRows: Self.whole(plan.rows * perKey)))
            case .hash:
                inputs.append(
                    QueryPlan(
                        step: "hash of \(name)", detail: "(\(table.name(column)))",
                        estimatedRows: Self.whole(plan.rows * perKey)))
                if !table.orders.contains(where: { $0.columns.first == .some(column) }) {
                    advice = "An index on \(name)(\(table.name(column))) would save reading the whole table."
                }
            }
        }
        let methods = plan.lookups[number]
        if let pivot = join.pivot, let method = methods.pivot { lookup(method, pivot, join.clause.equals) }
        lookup(methods.child, join.child, join.childColumn)
        note(meters?.joins[number], in: &inputs[inputs.count - 1])
        return QueryPlan(
            step: "join \(join.clause.property)", detail: join.isNamed ? "with conditions" : "",
            estimatedRows: Self.whole(plan.rows), inputs: inputs, advice: advice)
    }
}
