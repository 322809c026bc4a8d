import TableKit

/// The result of a query: batches of parents, each with its joined rows.
final class SQLRowStream: RowStream {
    static let batchRows = 500

    private let session: SQLSession
    private let renderer: QueryRenderer
    private let rows: any SQLRows
    private let layout: RowLayout
    private let shape: RowShape
    /// The parents returned so far; nil unless duplicates must be dropped.
    private var seen: Set<ValueTuple>?
    /// The rest of the limit; nil if the server applies it.
    private var cut: RowLimit?
    private var joins: JoinFetch?

    init(_ session: SQLSession, _ renderer: QueryRenderer, _ rows: any SQLRows) {
        self.session = session
        self.renderer = renderer
        self.rows = rows
        (layout, shape) = renderer.sources[0].shape()
        if renderer.needsDistinct {
            seen = []
            cut = renderer.query.limit
        }
        if !renderer.query.joins.isEmpty { joins = JoinFetch(session, renderer) }
    }

    func next() throws -> RowBatch? {
        guard var parents = try nextParents() else { return nil }
        if renderer.query.joins.contains(where: { $0.limit != nil }) || renderer.query.mayShareElements {
            // A limit on joined rows covers those of all parents. A joined row's elements match any of its parents.
            while let more = try nextParents() { parents += more }
        }
        var batch = RowBatch(shape: shape)
        for row in parents { try batch.rows.append(row, layout: layout) }
        if let joins { batch.joined = try joins.joined(to: parents) }
        return batch
    }

    /// The next non-empty batch of parents, in the structure's columns.
    func nextParents() throws -> [[ColumnValue]]? {
        let table = renderer.sources[0].structure.name
        while let found = try session.naming(table, { try session.use { _ in try rows.next() } }) {
            var batch = found.map { renderer.sources[0].values($0, columns: renderer.columns) }
            if seen != nil { batch = distinct(batch) }
            if !batch.isEmpty { return batch }
            if cut?.count == 0 { break }
        }
        return nil
    }

    private func distinct(_ batch: [[ColumnValue]]) -> [[ColumnValue]] {
        var kept: [[ColumnValue]] = []
        for row in batch {
            let key = ValueTuple(renderer.query.columns.map { $0.map { row[$0] } } ?? row)
            guard seen?.insert(key).inserted == true else { continue }
            if let skip = cut?.skip, skip > 0 {
                cut?.skip = skip - 1
                continue
            }
            if let count = cut?.count {
                if count <= 0 { break }
                cut?.count = count - 1
            }
            kept.append(row)
        }
        return kept
    }
}
