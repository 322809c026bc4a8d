import Siltstone
import TableKit

/// Finds the access paths of a table for a condition, with their costs.
struct PathFinder<Reader: KeyValueReader> {
    let reader: Reader

    /// The maximum number of keys from combinations of single values of several columns.
    private var mostProducts: Int { 4_096 }
    /// The maximum number of ranges that are estimated for a path. Their average counts for the others.
    private var mostEstimates: Int { 8 }

    /// Returns all paths that read part of the table or have a useful order. The first is a path by the key: a full
    /// scan, unless the condition narrows it.
    func paths(_ table: TableAccess, _ condition: Condition, terms: [OrderTerm] = []) throws -> [AccessPath] {
        if condition == .never { return [nothing(table)] }
        var paths: [AccessPath] = []
        for order in table.orders {
            let path = try path(table, order, condition, isEstimated: false)
            if case .nothing = path.kind { return [path] }
            if order.index == nil || !path.used.isEmpty || path.coverage(of: terms).terms > 0 { paths.append(path) }
        }
        for number in paths.indices { try estimate(&paths[number], condition) }
        return paths + (try unions(table, condition))
    }

    /// Returns the cheapest path.
    func cheapest(_ table: TableAccess, _ condition: Condition) throws -> AccessPath {
        try paths(table, condition).min { $0.cost < $1.cost } ?? nothing(table)
    }

    /// Returns a path whose entries are exactly the matching rows; nil if there is none. Skips the estimate, because
    /// all of these paths have the same number of entries.
    func exactPath(_ table: TableAccess, _ condition: Condition) throws -> AccessPath? {
        if condition == .never { return nothing(table) }
        for order in table.orders where order.hasAll(columnsOf: condition) {
            let path = try path(table, order, condition, isEstimated: false)
            if path.isExact || path.isNothing { return path }
        }
        return nil
    }

    /// Returns a path whose first entries are the first matching rows of an order; nil if there is none. Skips the
    /// estimate, because no other path reads less for few rows.
    func orderedPath(_ table: TableAccess, _ condition: Condition, terms: [OrderTerm]) throws -> AccessPath? {
        for order in table.orders where order.hasAll(columnsOf: condition) {
            // `contains`, not `first`: columns before the term may be fixed to one value.
            if let term = terms.first, !order.sortColumns.contains(term.column) { continue }
            let path = try path(table, order, condition, isEstimated: false)
            guard path.isExact || path.isNothing else { continue }
            if terms.isEmpty || path.isNothing || path.coverage(of: terms).isTotal { return path }
        }
        return nil
    }

    private func nothing(_ table: TableAccess) -> AccessPath {
        AccessPath(kind: .nothing, order: table.orders[0], filter: .never)
    }

    // MARK: One order

    /// Returns the path along one order of the table.
    /// - Parameter isEstimated: true to estimate its rows and cost.
    func path(
        _ table: TableAccess, _ order: KeyOrder, _ condition: Condition, isEstimated: Bool = true
    ) throws -> AccessPath {
        var path = AccessPath(kind: .nothing, order: order, filter: condition)
        var prefixes = [order.prefix]
        var ranges: [KeyRange]?
        var hasNull = false
        for column in order.columns {
            guard let column, let domain = condition.domain(of: column) else { break }
            if domain.intervals.isEmpty { return nothing(table) }
            let isFirst = path.used.isEmpty
            if domain.isPoints, isFirst || prefixes.count * domain.intervals.count <= mostProducts {
                if domain.isFixed { path.fixed.append(column) }
                hasNull = hasNull || domain.intervals[0] == .null
                prefixes = prefixes.flatMap { prefix in domain.intervals.map { prefix + $0.from } }
                path.used.append(column)
                continue
            }
            if prefixes.count * domain.intervals.count > mostProducts { break }
            path.used.append(column)
            ranges = prefixes.flatMap { prefix in
                domain.intervals.map { KeyRange(from: prefix + $0.from, to: prefix + $0.to) }
            }
            break
        }
        let used = path.used
        if condition.allReferences({ used.contains($0.column) }), condition.isProductOfDomains { path.filter = .always }
        let isWhole = ranges == nil && path.used.count == order.columns.count && !order.columns.isEmpty
        if isWhole, order.index == nil {
            path.kind = .rowPoints(prefixes)
        } else if isWhole, order.index?.isUnique == true, !hasNull {
            path.kind = .indexPoints(prefixes)
        } else {
            let ranges = ranges ?? prefixes.map { KeyRange(from: $0, to: $0 + [0xFF]) }
            path.kind = order.index == nil ? .rowRanges(ranges) : .indexRanges(ranges)
        }
        if isEstimated { try estimate(&path, condition) }
        return path
    }

    /// Estimates the entries, the rows and the cost of a path.
    func estimate(_ path: inout AccessPath, _ condition: Condition) throws {
        switch path.kind {
        case .nothing, .union: return
        case .rowPoints(let keys):
            path.entries = Double(keys.count)
            path.cost = Cost.point * path.entries
        case .indexPoints(let keys):
            path.entries = Double(keys.count)
            path.cost = (Cost.point + Cost.fetch) * path.entries
        case .rowRanges(let ranges):
            path.entries = try entries(ranges)
            path.cost = Cost.seek * Double(ranges.count) + Cost.row * path.entries
        case .indexRanges(let ranges):
            path.entries = try entries(ranges)
            path.cost = Cost.seek * Double(ranges.count) + (Cost.entry + Cost.fetch) * path.entries
        }
        let used = path.used
        path.rows = path.entries
        for part in condition.conjuncts where !part.allReferences({ used.contains($0.column) }) {
            path.rows *= path.order.selectivity.share(part)
        }
    }

    /// The estimated number of entries in ranges.
    private func entries(_ ranges: [KeyRange]) throws -> Double {
        let step = max(1, (ranges.count + mostEstimates - 1) / mostEstimates)
        let sample = stride(from: 0, to: ranges.count, by: step)
        var (sum, count) = (0, 0)
        for place in sample {
            sum += try reader.estimate(from: ranges[place].from, to: ranges[place].to).entries
            count += 1
        }
        return count == 0 ? 0 : Double(sum) * Double(ranges.count) / Double(count)
    }

    // MARK: Unions

    /// For each disjunction, the union of one path for each part, if every part has a narrow one.
    private func unions(_ table: TableAccess, _ condition: Condition) throws -> [AccessPath] {
        var result: [AccessPath] = []
        let conjuncts = condition.conjuncts
        for (number, conjunct) in conjuncts.enumerated() {
            guard case .or(let parts) = conjunct, parts.count <= 64 else { continue }
            let others = conjuncts.enumerated().filter { $0.offset != number }.map(\.element)
            var union = AccessPath(kind: .nothing, order: table.orders[0], filter: condition)
            var branches: [(path: AccessPath, branch: Condition)] = []
            for part in parts {
                let branch = try table.orders.map { try path(table, $0, .all([part] + others)) }
                    .filter { path in path.isNarrow(by: part) }.min { $0.cost < $1.cost }
                guard let branch else { break }
                branches.append((branch, part))
            }
            guard branches.count == parts.count else { continue }
            union.entries = branches.reduce(0) { $0 + $1.path.entries }
            union.rows = branches.reduce(0) { $0 + $1.path.rows }
            union.cost = branches.reduce(0) { $0 + $1.path.cost }
            union.kind = .union(branches)
            result.append(union)
        }
        return result
    }
}

extension KeyOrder {
    /// True if the keys contain all columns of a condition. Only then can a range of them be exact.
    fileprivate func hasAll(columnsOf condition: Condition) -> Bool {
        condition.allReferences { reference in columns.contains { $0 == reference.column } }
    }
}

extension AccessPath {
    /// True if a part of the condition narrows the path.
    fileprivate func isNarrow(by part: Condition) -> Bool {
        if case .nothing = kind { return true }
        return used.contains { part.domain(of: $0) != nil }
    }
}
