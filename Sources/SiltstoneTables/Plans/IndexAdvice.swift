import TableKit

/// Finds the index that would save a plan most of its work: on the columns of the condition, then those of the order.
///
/// Needs no statistics. Also advises on small tables, because they may grow.
struct IndexAdvice {
    let bound: BoundQuery
    let plan: PhysicalPlan

    /// A condition that matches a greater share of the rows justifies no index.
    private static let greatestShare = 0.5
    /// The domain of a pattern with a leading wildcard, which has no index range.
    private static let allValues = ColumnDomain([.values])
    /// With an index in use, fewer rows than these justify no further index.
    private static let manyRows = 100.0

    private var table: TableAccess { bound.tables[0] }

    /// Advice for the step that reads the parents; nil if no index would help.
    var forRows: String? {
        guard case .path(let path) = plan.parents, !path.isNothing, !path.isUnion, path.filter != .always else {
            return nil
        }
        let columns = conditionColumns
        if columns.isEmpty { return alternatives(path) }
        if isKnown(columns) { return nil }
        if path.used.isEmpty { return sentence([columns], "reading the whole table") }
        guard columns.count > path.used.count, isWasteful(path) else { return nil }
        return sentence([columns], "reading rows that do not match")
    }

    /// True if a path by an index or the key still reads many rows that do not match.
    private func isWasteful(_ path: AccessPath) -> Bool {
        switch path.kind {
        case .rowRanges, .indexRanges: path.entries >= Self.manyRows && path.rows <= path.entries * Self.greatestShare
        default: false
        }
    }

    /// Advice for the step that sorts the parents; nil if no index would help.
    var forOrder: String? {
        let terms = bound.query.order
        guard case .path(let path) = plan.parents, !path.isNothing, plan.ordering != .none, let first = terms.first,
            terms.allSatisfy({ $0.isDescending == first.isDescending }), forRows == nil || conditionColumns.isEmpty
        else { return nil }
        // Columns with a single value preserve the order of the columns after them.
        let points = path.isUnion ? [] : pointColumns
        guard narrowColumns.allSatisfy(points.contains) || bound.wantedRows != nil else { return nil }
        var columns = points
        for term in terms where !columns.contains(term.column) { columns.append(term.column) }
        guard columns.allSatisfy(isIndexable), !isKnown(columns) else { return nil }
        return sentence([columns], "the sort")
    }

    // MARK: Columns

    /// The columns that the condition restricts to a small part of their values, in the structure's order.
    private var narrowColumns: [Int] {
        let condition = bound.parentCondition
        return table.structure.columns.indices.filter { column in
            guard isIndexable(column), let domain = condition.domain(of: column) else { return false }
            return domain != Self.allValues && share(column, condition) <= Self.greatestShare
        }
    }

    /// The narrow columns that are restricted to single values.
    private var pointColumns: [Int] {
        narrowColumns.filter { bound.parentCondition.domain(of: $0)?.isPoints == true }
    }

    /// The columns of an index for the condition: first those with single values, then one with a range, or else the
    /// columns of the order if it has one direction.
    private var conditionColumns: [Int] {
        var columns = pointColumns
        if let range = narrowColumns.first(where: { !columns.contains($0) }) { return columns + [range] }
        let terms = bound.query.order
        let isOneWay = terms.allSatisfy { $0.isDescending == terms[0].isDescending }
        guard plan.ordering != .none, isOneWay, !columns.isEmpty else { return columns }
        for term in terms where !columns.contains(term.column) && isIndexable(term.column) {
            columns.append(term.column)
        }
        return columns
    }

    /// The estimated share of rows that match the conditions on one column.
    private func share(_ column: Int, _ condition: Condition) -> Double {
        condition.conjuncts.filter { $0.references.allSatisfy { $0.column == column } }
            .reduce(1) { $0 * table.selectivity.share($1) }
    }

    private func isIndexable(_ column: Int) -> Bool { table.types[column] != .json }

    /// True if the key or an index begins with these columns.
    private func isKnown(_ columns: [Int]) -> Bool {
        table.orders.contains { Array($0.columns.prefix(columns.count)) == columns.map(Optional.some) }
    }

    // MARK: Disjunctions

    /// For a disjunction on different columns, advises an index for each part without one.
    private func alternatives(_ path: AccessPath) -> String? {
        guard path.used.isEmpty else { return nil }
        for case .or(let parts) in bound.parentCondition.conjuncts {
            let columns = parts.map { part in part.references.map(\.column).first { part.domain(of: $0) != nil } }
            let known = columns.compactMap(\.self)
            let isNarrow = table.selectivity.share(bound.parentCondition) <= Self.greatestShare
            guard known.count == parts.count, known.allSatisfy(isIndexable), isNarrow else { continue }
            var missing: [[Int]] = []
            for column in known where !isKnown([column]) && !missing.contains([column]) { missing.append([column]) }
            if !missing.isEmpty { return sentence(missing, "reading the whole table") }
        }
        return nil
    }

    // MARK: Text

    private func sentence(_ indexes: [[Int]], _ gain: String) -> String {
        let names = indexes.map { columns in
            "\(table.structure.name)(\(columns.map { table.name($0) }.joined(separator: ", ")))"
        }
        return names.count == 1
            ? "An index on \(names[0]) would save \(gain)."
            : "Indexes on \(names.joined(separator: " and ")) would save \(gain)."
    }
}
