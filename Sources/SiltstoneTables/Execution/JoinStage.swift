import Siltstone
import TableKit

/// Joins batches of parents: runs the joins, evaluates the condition on their results, and fills arrays.
final class JoinStage<Reader: KeyValueReader> {
    let bound: BoundQuery
    private let steps: [JoinStep<Reader>]
    /// The meters of the joins, if the plan is measured.
    private let meters: PlanMeters?

    init(_ bound: BoundQuery, _ plan: PhysicalPlan, _ runner: PlanRunner<Reader>) {
        self.bound = bound
        meters = runner.meters
        steps = zip(bound.joins, plan.lookups).map { JoinStep($0, in: bound, $1, runner) }
    }

    /// Runs one join. If the plan is measured, counts and times its rows.
    @inline(__always)
    private func metered<R>(_ number: Int, _ rows: (R) -> Int, _ body: () throws -> R) throws -> R {
        guard let meter = meters?.joins[number] else { return try body() }
        let clock = ContinuousClock()
        let start = clock.now
        let found = try body()
        meter.time += start.duration(to: clock.now)
        meter.rows += rows(found)
        return found
    }

    /// Runs a join.
    /// - Parameter isRepeated: true if the join has run for these owners, so that its rows are counted already.
    private func find(
        _ number: Int, for owners: RowBuffer, only: [Int]?, isRepeated: Bool = false
    ) throws -> JoinMatches {
        try metered(number, { isRepeated ? 0 : $0.rows.count }) { try steps[number].find(for: owners, only: only) }
    }

    // MARK: Conditions

    /// Runs the joins in the condition, and determines which parents it accepts.
    /// - Parameter isRepeated: true for parents of earlier batches.
    func accept(_ parents: RowBuffer, isRepeated: Bool = false) throws -> JoinedBatch {
        var batch = JoinedBatch(
            parents: parents, isAccepted: [Bool](repeating: true, count: parents.count),
            matches: bound.joins.map { _ in nil })
        if !bound.hasLateConditions { return batch }
        for (number, join) in bound.joins.enumerated() where join.isNamed {
            batch.matches[number] = try find(number, for: batch.owners(of: join), only: nil, isRepeated: isRepeated)
        }
        for (number, join) in bound.joins.enumerated().reversed() where join.isNamed {
            try acceptElements(number, &batch)
        }
        for parent in 0..<parents.count {
            batch.isAccepted[parent] = bound.joins.indices.allSatisfy { number in
                bound.joins[number].parent >= 0 || !bound.joins[number].isNamed
                    || isAccepted(number, owner: Int32(parent), batch)
            }
        }
        if !bound.mixed.isEmpty {
            var check = TupleCheck(bound)
            for parent in 0..<parents.count where batch.isAccepted[parent] {
                batch.isAccepted[parent] = try check.accepts(parent, batch)
            }
        }
        return batch
    }

    private func acceptElements(_ number: Int, _ batch: inout JoinedBatch) throws {
        guard var matches = batch.matches[number] else { return }
        // Moved out of the batch, so that the arrays change in place.
        batch.matches[number] = nil
        let followers = bound.joins.indices.filter { bound.joins[$0].parent == number && bound.joins[$0].isNamed }
        for owner in matches.elements.indices {
            for place in matches.elements[owner].indices {
                let element = matches.elements[owner][place]
                let isMet = try steps[number].accepts(element, in: matches)
                matches.elements[owner][place].isAccepted =
                    isMet && followers.allSatisfy { isAccepted($0, owner: element.row, batch) }
            }
        }
        batch.matches[number] = matches
    }

    /// True if a join has an accepted element for a row of its parent, or needs none.
    private func isAccepted(_ number: Int, owner: Int32, _ batch: JoinedBatch) -> Bool {
        guard owner >= 0, let elements = batch.matches[number]?.elements[Int(owner)], !elements.isEmpty else {
            return bound.joins[number].isNullMet
        }
        return elements.contains { $0.isAccepted }
    }

    // MARK: Arrays

    /// True if arrays can be filled without single elements: joined rows have no late condition, and no join has a
    /// pivot, a limit, or duplicates.
    var isPlain: Bool { !bound.hasLateConditions && steps.allSatisfy(\.isPlain) }

    /// The result for a batch of parents that are all kept. Only if the stage ``isPlain``.
    func plainResult(_ parents: RowBuffer) throws -> RowBatch {
        var result = RowBatch(shape: bound.tables[0].shape)
        result.rows = parents
        for (number, join) in bound.joins.enumerated() {
            let owners = join.parent < 0 ? parents : result.joined[join.parent].rows
            let joined = try metered(number, { (joined: JoinedRows) in joined.rows.count }) {
                var joined = JoinedRows(shape: join.child.shape)
                try steps[number].fillArrays(&joined, of: owners)
                return joined
            }
            result.joined.append(joined)
        }
        return result
    }

    /// Runs the remaining joins for the kept parents, and fills all arrays.
    func fill(_ batch: inout JoinedBatch, kept: [Int]) throws {
        if !bound.mixed.isEmpty {
            var check = TupleCheck(bound)
            try check.acceptElements(&batch, kept: kept)
        }
        for (number, join) in bound.joins.enumerated() {
            let owners = owners(of: join, kept: kept, in: batch)
            if batch.matches[number] == nil {
                batch.matches[number] = try find(number, for: batch.owners(of: join), only: owners)
            }
            guard var matches = batch.matches[number] else { continue }
            batch.matches[number] = nil
            matches.arrays = [[Int32]](repeating: [], count: matches.elements.count)
            for owner in owners {
                matches.arrays[owner] = try steps[number].array(of: matches.elements[owner], in: matches)
            }
            if let limit = join.clause.limit { limitTogether(&matches.arrays, owners, limit) }
            batch.matches[number] = matches
        }
    }

    /// The rows from which a join starts, in the order of the result.
    private func owners(of join: BoundJoin, kept: [Int], in batch: JoinedBatch) -> [Int] {
        if join.parent < 0 { return kept }
        let parents = owners(of: bound.joins[join.parent], kept: kept, in: batch)
        guard let matches = batch.matches[join.parent] else { return [] }
        var owners: [Int] = []
        var seen = [Bool](repeating: false, count: matches.rows.count)
        for parent in parents {
            for row in matches.arrays[parent] where !seen[Int(row)] {
                seen[Int(row)] = true
                owners.append(Int(row))
            }
        }
        return owners
    }

    /// Limits the rows of all owners together: in the join's order, which is that of their indexes, then by owner.
    private func limitTogether(_ arrays: inout [[Int32]], _ owners: [Int], _ limit: RowLimit) {
        var pairs: [(row: Int32, place: Int)] = []
        for (place, owner) in owners.enumerated() {
            pairs += arrays[owner].map { ($0, place) }
            arrays[owner] = []
        }
        pairs.sort { ($0.row, $0.place) < ($1.row, $1.place) }
        let rest = pairs.dropFirst(max(limit.skip, 0))
        for pair in limit.count.map({ rest.prefix(max($0, 0)) }) ?? rest {
            arrays[owners[pair.place]].append(pair.row)
        }
    }
}
