import Siltstone
import TableKit

/// The parents of a query with joins, in batches, with the numbers of the parents in the result.
final class ParentBatches<Reader: KeyValueReader> {
    private let stage: JoinStage<Reader>
    /// The remaining parents; nil at the end. Released there: see ``JoinStream``.
    private var rows: (any RowSource)?
    private let batchRows: Int
    /// True if the batches only select parents, which then come as one batch.
    private let isSelecting: Bool
    /// True if DISTINCT and the limit apply after the joins, because the joins drop parents.
    private let isLate: Bool
    private let distinctKey: SortKey?
    private var seen: DistinctSet
    private var skip: Int
    private var left: Int

    /// - Parameter isWhole: true for one batch of all kept parents.
    init(_ stage: JoinStage<Reader>, _ plan: PhysicalPlan, _ runner: PlanRunner<Reader>, isWhole: Bool) throws {
        let bound = stage.bound
        self.stage = stage
        isLate = bound.hasLateConditions
        rows = isLate ? try runner.parents(bound, plan) : try runner.limitedParents(bound, plan)
        distinctKey = isLate && bound.needsDistinct ? SortKey(bound.distinctTerms, of: bound.tables[0]) : nil
        seen = DistinctSet(mostBytes: runner.mostBytes)
        let limit = isLate ? bound.query.limit : nil
        let skip = max(limit?.skip ?? 0, 0)
        self.skip = skip
        left = limit?.count.map { max($0, 0) } ?? .max
        // A small limit needs only a small batch. One of a row more than the limit is never full, so it is the last.
        let wanted = bound.query.limit?.count.map { max($0, 1).addingReportingOverflow(skip).partialValue } ?? .max
        isSelecting = isWhole && limit?.count != nil
        batchRows = isWhole && !isSelecting ? .max : min(255, max(wanted, 15)) + 1
    }

    /// True if no batch follows. False if that is unknown.
    var isAtEnd: Bool { rows == nil || left == 0 }

    /// The next batch with parents of the result, and their numbers; nil at the end.
    func next() throws -> (batch: JoinedBatch, kept: [Int])? {
        guard isSelecting else { return try nextBatch() }
        // The joins run again for the kept parents: few of all, because of the limit.
        var all = RowBuffer()
        while let (batch, kept) = try nextBatch() {
            for parent in kept { batch.parents.withRow(parent) { all.append($0) } }
        }
        return all.isEmpty ? nil : (try stage.accept(all, isRepeated: true), Array(0..<all.count))
    }

    private func nextBatch() throws -> (batch: JoinedBatch, kept: [Int])? {
        while left > 0, let rows {
            var parents = RowBuffer()
            try rows.forEach { _, row in
                parents.append(row)
                return parents.count < batchRows
            }
            if parents.count < batchRows { self.rows = nil }
            if parents.isEmpty { return nil }
            let batch = try stage.accept(parents)
            let kept = try keep(batch)
            if !kept.isEmpty { return (batch, kept) }
        }
        return nil
    }

    private func keep(_ batch: JoinedBatch) throws -> [Int] {
        guard isLate else { return Array(0..<batch.parents.count) }
        var kept: [Int] = []
        var key: [UInt8] = []
        for parent in 0..<batch.parents.count where batch.isAccepted[parent] && left > 0 {
            if let distinctKey {
                try batch.parents.withRow(parent) { (row) throws(any Error) in try distinctKey.make(&key, of: row) }
                if try !seen.insert(key) { continue }
            }
            if skip > 0 {
                skip -= 1
                continue
            }
            left -= 1
            kept.append(parent)
        }
        return kept
    }
}

/// The result of a query with joins, batch by batch.
///
/// Releases the state that it reads before it returns the last part: a transaction's next write copies the earlier ones
/// while a stream reads them.
final class JoinStream<Reader: KeyValueReader>: RowStream {
    private let bound: BoundQuery
    /// The joins and the parents; nil at the end.
    private var source: (stage: JoinStage<Reader>, parents: ParentBatches<Reader>)?
    private var batch: JoinedBatch?
    private var kept: ArraySlice<Int> = []

    private let mostRows = 256

    init(_ bound: BoundQuery, _ plan: PhysicalPlan, _ runner: PlanRunner<Reader>) throws {
        self.bound = bound
        let stage = JoinStage(bound, plan, runner)
        let isWhole = bound.hasSharedElements || bound.joins.contains { $0.clause.limit != nil }
        source = (stage, try ParentBatches(stage, plan, runner, isWhole: isWhole))
    }

    func next() throws -> RowBatch? {
        try mappingStoreErrors {
            if kept.isEmpty {
                guard let source else { return nil }
                guard let next = try source.parents.next() else {
                    release()
                    return nil
                }
                defer { if source.parents.isAtEnd { release() } }
                if source.stage.isPlain { return try source.stage.plainResult(next.batch.parents) }
                var batch = next.batch
                try source.stage.fill(&batch, kept: next.kept)
                self.batch = batch
                kept = next.kept[...]
            }
            guard let batch else { return nil }
            let part = kept.prefix(mostRows)
            kept = kept.dropFirst(mostRows)
            return batch.result(bound, part)
        }
    }

    private func release() { source = nil }
}
