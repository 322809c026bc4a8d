import Siltstone
import TableKit

extension RowWriter {
    /// Rows that a statement has found.
    private struct Matches {
        var keys = RowBuffer()
        var rows = RowBuffer()

        var byteCount: Int { keys.bytes.count + rows.bytes.count }
    }

    /// Bytes of matches that are changed while the search for further ones goes on. The exact value was not measured.
    private static let batchBytes = 1 << 20

    /// Finds the rows of a statement, and passes them to `body`, which changes them.
    ///
    /// The search sees the transaction as it was before the statement, so it meets no row twice.
    /// - Parameter isReturning: true if the rows are returned: then they come at once, by key, and not as some index
    ///   orders them.
    private func forEachBatch(
        _ binding: TableBinding, _ predicate: Predicate?, isReturning: Bool, _ body: (Matches) throws -> Void
    ) throws {
        let rest = try search(binding, predicate, isReturning ? .max : Self.batchBytes, body)
        if !rest.rows.isEmpty { try body(isReturning ? byKey(rest) : rest) }
    }

    /// Passes full batches to `body`.
    /// - Returns: the last batch. The search has ended by then, so that the change of a few rows copies none of the
    ///   transaction's earlier writes.
    private func search(
        _ binding: TableBinding, _ predicate: Predicate?, _ batchBytes: Int, _ body: (Matches) throws -> Void
    ) throws -> Matches {
        var matches = Matches()
        let executor = QueryExecutor(reader: try transaction.frozen(), catalogue: catalogue)
        try executor.forEachMatch(binding, predicate) { key, row in
            matches.keys.append(key)
            matches.rows.append(row)
            guard matches.byteCount >= batchBytes else { return }
            try body(matches)
            matches = Matches()
        }
        return matches
    }

    private func byKey(_ matches: Matches) -> Matches {
        let keys = (0..<matches.keys.count).map { Array(matches.keys.bytes[matches.keys[range: $0]]) }
        if zip(keys, keys.dropFirst()).allSatisfy({ $0.lexicographicallyPrecedes($1) }) { return matches }
        var sorted = Matches()
        for number in keys.indices.sorted(by: { keys[$0].lexicographicallyPrecedes(keys[$1]) }) {
            matches.keys.withRow(number) { sorted.keys.append($0) }
            matches.rows.withRow(number) { sorted.rows.append($0) }
        }
        return sorted
    }

    /// Passes the current version of a matching row. Does nothing if the row is gone.
    private func withCurrentRow(_ matches: Matches, _ number: Int, _ body: (RawSpan) throws -> Void) throws {
        guard hasFollowed else { return try matches.rows.withRow(number, body) }
        let row = try matches.keys.withRow(number) { key in
            try unsafe key.withUnsafeBytes { try unsafe transaction.get($0) }
        }
        if let row { try unsafe body(row.span.bytes) }
    }

    /// Updates all matching rows.
    func update(_ statement: UpdateStatement, _ binding: TableBinding) throws -> ChangeResult {
        let plan = catalogue.writePlan(binding.table)
        var result = ChangeResult()
        if statement.isReturning { result.shape = binding.shape }
        guard statement.row.count == 1 else { return result }
        var changes: [(position: Int, source: RowComposer.Source)] = []
        var composer = RowComposer(plan.layout)
        var sources: [RowComposer.Source] = []
        var sourcesLayout: UInt16?
        try forEachBatch(binding, statement.predicate, isReturning: statement.isReturning) { matches in
            // Not before a row matches: a statement that changes nothing may name any columns.
            if changes.isEmpty { changes = try changedColumns(statement, binding, plan) }
            let changed = changes.map(\.position)
            for number in 0..<matches.rows.count {
                try withCurrentRow(matches, number) { old in
                    let layout = try RowHeader.layout(of: old)
                    if layout != sourcesLayout {
                        sources = try RowWriter.unchanged(plan, try plan.columns(of: old))
                        for (position, source) in changes { sources[position] = source }
                        sourcesLayout = layout
                    }
                    try statement.row.withRow(0) { new in try composer.compose(sources, old: old, new: new) }
                    let key = matches.keys.withRow(number) { unsafe $0.withUnsafeBytes { unsafe Array($0) } }
                    try unsafe change(
                        plan, key: key, from: old, to: composer.bytes.span.bytes, depth: 0, changed: changed)
                    result.count += 1
                    if statement.isReturning { unsafe result.rows.append(composer.bytes.span.bytes) }
                }
                try finishPending()
            }
        }
        return result
    }

    private func changedColumns(
        _ statement: UpdateStatement, _ binding: TableBinding, _ plan: TableWritePlan
    ) throws -> [(position: Int, source: RowComposer.Source)] {
        try statement.columns.map { number in
            guard binding.positions.indices.contains(number), let position = binding.positions[number] else {
                throw CRUDSQLExeError(
                    "The table has no such column. Create it anew with .reconcileTable.", code: .noColumn,
                    table: plan.table.name,
                    column: binding.positions.indices.contains(number) ? binding.structure.columns[number].name : nil)
            }
            let slot = binding.structure.layout.slots[number]
            return (position, .slot(slot, isOld: false, for: plan.layout.slots[position].type))
        }
    }

    /// Deletes all matching rows.
    func delete(_ statement: DeleteStatement, _ binding: TableBinding) throws -> ChangeResult {
        let plan = catalogue.writePlan(binding.table)
        var result = ChangeResult()
        if statement.isReturning { result.shape = binding.shape }
        // Rows that refer to their own table are deleted as well, so these references need no check.
        let isReferredTo = plan.incoming.contains { $0.table.id != plan.table.id || $0.onDelete == .restrict }
        if statement.predicate == nil, !statement.isReturning, !isReferredTo {
            return try deleteAll(plan, result)
        }
        try forEachBatch(binding, statement.predicate, isReturning: statement.isReturning) { matches in
            for number in 0..<matches.rows.count {
                try withCurrentRow(matches, number) { row in
                    try matches.keys.withRow(number) { key in try remove(plan, key: key, row, depth: 0) }
                }
                try finishPending()
            }
            result.count += matches.rows.count
            if statement.isReturning { result.rows = matches.rows }
        }
        return result
    }

    /// Deletes all rows of a table without incoming references by one range deletion. Only the count needs a scan.
    private func deleteAll(_ plan: TableWritePlan, _ result: ChangeResult) throws -> ChangeResult {
        var result = result
        result.count = try transaction.count(prefix: plan.table.rowPrefix)
        if result.count == 0 { return result }
        try transaction.deleteRange(prefix: KeySpace.table(plan.table.id))
        rowChanges[plan.table.id, default: 0] -= result.count
        if plan.table.hasRowNumbers || plan.table.hasIntegerKey { tablesToMark.insert(plan.table.id) }
        return result
    }
}

extension Transaction {
    /// Deletes all keys that begin with a prefix.
    func deleteRange(prefix: [UInt8]) throws {
        let range = KeySpace.range(prefix)
        guard let end = range.to else { return }
        try deleteRange(from: range.from, to: end)
    }
}
