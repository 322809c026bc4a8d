/// The rows that a join found.
package struct EvaluatedJoin {
    /// The numbers of the joined rows in their source. Each occurs once.
    package var rows: [Int] = []
    /// For each row of the join's parent, in the parent's order, indexes into ``rows``.
    package var members: [[Int]] = []
}

extension QueryEvaluation {
    /// Returns the rows of each join for these parents.
    /// - Parameter parents: the result of ``parents()``.
    package func joined(to parents: [Int]) -> [EvaluatedJoin] {
        var found: [Int: EvaluatedJoin] = [:]
        return query.joins.map { join in
            let owners = join.parent == 0 ? parents : found[join.parent]?.rows ?? []
            let result = arrays(of: join, parents: parents, owners: owners)
            found[join.source] = result
            return result
        }
    }

    private func arrays(of join: JoinClause, parents: [Int], owners: [Int]) -> EvaluatedJoin {
        let needed = query.sourcesLeading(to: (query.predicate?.references.map(\.source) ?? []) + [join.source])
        var members: [Int: Set<Int>] = [:]
        for parent in parents {
            for tuple in tuples(of: parent, sources: needed) {
                guard let owner = tuple[join.parent], let row = tuple[join.source], isAccepted(tuple) else { continue }
                members[owner, default: []].insert(row)
            }
        }
        var arrays = owners.map { owner in
            let sorted = QueryEvaluation.sorted(
                (members[owner] ?? []).sorted(), rows: rows[join.source], by: join.order)
            let distinct = QueryEvaluation.distinct(sorted, rows: rows[join.source])
            return QueryEvaluation.cut(distinct, join.limitEach)
        }
        if join.limit != nil { arrays = limitedTogether(arrays, join) }
        return numbered(arrays)
    }

    /// Limits the joined rows of all owners together: in the join's order, then by key, then by owner.
    private func limitedTogether(_ arrays: [[Int]], _ join: JoinClause) -> [[Int]] {
        let pairs = arrays.enumerated().flatMap { owner, array in array.map { (owner: owner, row: $0) } }
        let sorted = pairs.sorted { left, right in
            let order = QueryEvaluation.compare(
                rows[join.source][left.row], rows[join.source][right.row], by: join.order)
            if order != 0 { return order < 0 }
            return left.row == right.row ? left.owner < right.owner : left.row < right.row
        }
        var kept = arrays.map { _ in [Int]() }
        for pair in QueryEvaluation.cut(sorted, join.limit) { kept[pair.owner].append(pair.row) }
        return kept
    }

    /// Numbers the distinct rows of the arrays.
    private func numbered(_ arrays: [[Int]]) -> EvaluatedJoin {
        var result = EvaluatedJoin()
        var numbers: [Int: Int] = [:]
        for array in arrays {
            result.members.append(
                array.map { row in
                    if let number = numbers[row] { return number }
                    numbers[row] = result.rows.count
                    result.rows.append(row)
                    return result.rows.count - 1
                })
        }
        return result
    }
}
