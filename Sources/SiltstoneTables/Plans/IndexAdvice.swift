import TableKit

/// Finds the index that would spare a plan most of its work: by the columns of the condition, then by those of the order.
///
/// Advice needs no statistics. It says that an index helps where the table grows, also while it is small.
struct IndexAdvice {
    let bound: BoundQuery
    let plan: PhysicalPlan

    /// Conditions that leave more of the rows than this are no reason for an index.
    private static let greatestShare = 0.5
    /// The domain of a pattern that begins with anything: no range of an index.
    private static let allValues = ColumnDomain([.values])
    /// Where an index is used already, fewer rows than these are no reason for another.
    private static let manyRows = 100.0

    private var table: TableAccess { bound.tables[0] }

    /// Advice for the step that reads the parents, or nil where no index would help it.
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

    /// Whether a path that an index or the key has narrowed still reads many rows that do not match.
    private func isWasteful(_ path: AccessPath) -> Bool {
        switch path.kind {
        case .rowRanges, .indexRanges: path.entries >= Self.manyRows && path.rows <= path.entries * Self.greatestShare
        default: false
        }
    }

    /// Advice for the step that brings the parents into order, or nil where no index would help it.
    var forOrder: String? {
        let terms = bound.query.order
        guard case .path(let path) = plan.parents, !path.isNothing, plan.ordering != .none, let first = terms.first,
            terms.allSatisfy({ $0.isDescending == first.isDescending }), forRows == nil || conditionColumns.isEmpty
        else { return nil }
        // Columns of one value each do not disturb the order of those behind them.
        let points = path.isUnion ? [] : pointColumns
        guard narrowColumns.allSatisfy(points.contains) || bound.wantedRows != nil else { return nil }
        var columns = points
        for term in terms where !columns.contains(term.column) { columns.append(term.column) }
        guard columns.allSatisfy(isIndexable), !isKnown(columns) else { return nil }
        return sentence([columns], "the sort")
    }

    // MARK: Columns

    /// The columns that the condition limits to a small part of their values, in the order of the structure.
    private var narrowColumns: [Int] {
        let condition = bound.parentCondition
        return table.structure.columns.indices.filter { column in
            guard isIndexable(column), let domain = condition.domain(of: column) else { return false }
            return domain != Self.allValues && share(column, condition) <= Self.greatestShare
        }
    }

    /// Those that it limits to single values.
    private var pointColumns: [Int] {
        narrowColumns.filter { bound.parentCondition.domain(of: $0)?.isPoints == true }
    }

    /// The columns of an index for the condition: those with single values first, then one with a range; behind those with
    /// single values the columns of the order, where it is one for an index.
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

    /// About which part of the rows meets the conditions on one column.
    private func share(_ column: Int, _ condition: Condition) -> Double {
        condition.conjuncts.filter { $0.references.allSatisfy { $0.column == column } }
            .reduce(1) { $0 * table.selectivity.share($1) }
    }

    private func isIndexable(_ column: Int) -> Bool { table.types[column] != .json }

    /// Whether the key or an index begins with these columns.
    private func isKnown(_ columns: [Int]) -> Bool {
        table.orders.contains { Array($0.columns.prefix(columns.count)) == columns.map(Optional.some) }
    }

    // MARK: Disjunctions

    /// For a disjunction whose parts name different columns, an index for each part that has none.
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
