import TableKit

/// A result of the reference engine, in small batches.
final class ReferenceRowStream: RowStream {
    /// Small, so that results of tests have several batches.
    private static let batchRows = 16

    private let query: Query
    private let sources: ReferenceSources
    private let parents: [Int]
    private let joined: [EvaluatedJoin]
    private var position = 0

    init(_ query: Query, sources: ReferenceSources) {
        self.query = query
        self.sources = sources
        let evaluation = QueryEvaluation(query, rows: sources.values)
        parents = evaluation.parents()
        joined = evaluation.joined(to: parents)
    }

    func next() throws -> RowBatch? {
        guard position < parents.count else { return nil }
        let owners = position..<min(position + ReferenceRowStream.batchRows, parents.count)
        position = owners.upperBound
        var batch = RowBatch(shape: sources.projections[0].shape)
        for owner in owners { try sources.projections[0].append(sources.rows[0][parents[owner]], to: &batch.rows) }
        // For each source, the rows of its join that belong to this batch.
        var present: [Int: [Int]] = [0: Array(owners)]
        for (join, all) in zip(query.joins, joined) {
            let (rows, numbers) = try part(of: all, join, owners: present[join.parent] ?? [])
            batch.joined.append(rows)
            present[join.source] = numbers
        }
        return batch
    }

    /// The rows of a join that belong to some owners, without duplicates.
    private func part(of all: EvaluatedJoin, _ join: JoinClause, owners: [Int]) throws -> (JoinedRows, [Int]) {
        let projection = sources.projections[join.source]
        var result = JoinedRows(shape: projection.shape)
        var numbers: [Int] = []
        for owner in owners {
            for member in all.members[owner] {
                if let known = numbers.firstIndex(of: member) {
                    result.members.append(Int32(known))
                } else {
                    result.members.append(Int32(numbers.count))
                    numbers.append(member)
                    try projection.append(sources.rows[join.source][all.rows[member]], to: &result.rows)
                }
            }
            result.ends.append(result.members.count)
        }
        return (result, numbers)
    }
}
